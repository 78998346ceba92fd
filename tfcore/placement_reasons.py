"""Why an operation is on the CPU although a GPU was there, and all that in one sentence.

What TensorFlow has kernels for is asked of its own registry, which needs no GPU. A log of another version
is judged by the registry of this one, and the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tfcore.placement import FUNCTION, ONE_DNN, Operation, Placement, is_gpu
from tfcore.wire import Task

NO_KERNEL = "no GPU kernel exists for it"
NO_DTYPE = "no GPU kernel for this dtype"
BY_HAND = "placed by hand"
FELL_BACK = "fell back softly"
HOST_MEMORY = "host memory by design"
UNKNOWN = "unknown"
REASONS = (NO_KERNEL, NO_DTYPE, BY_HAND, FELL_BACK, HOST_MEMORY, UNKNOWN)

# TensorFlow's own words for a device that is not there, and what they mean.
MESSAGES = (
    (
        re.compile(r"[Nn]o supported kernel for \w+ devices"),
        "The operation has no kernel for the device, or none for this dtype.",
        "Let TensorFlow choose the device, turn soft placement on, or change the dtype.",
    ),
    (
        re.compile(r"unknown device\b"),
        "A device is named that this TensorFlow does not have.",
        "Name one that tf.config.list_logical_devices() lists.",
    ),
    (
        re.compile(r"(?:Visible|Physical|Virtual) devices cannot be modified after being initialized"),
        "Devices were to be changed after TensorFlow's runtime had started, which fixes them.",
        "Make the call before any operation, in a fresh process. Here each run has one of its own.",
    ),
    (
        re.compile(r"(?:Intra|Inter) op parallelism cannot be modified after initialization"),
        "The number of threads was to be changed after TensorFlow's runtime had started, which fixes it.",
        "Make the call before any operation, in a fresh process.",
    ),
    (
        re.compile(r"Memory growth cannot differ between GPU devices"),
        "Memory growth was set for some of the visible GPUs and not for others.",
        "Set it for all of them, or hide the others first.",
    ),
    (
        re.compile(r"Cannot set memory growth on device when virtual devices configured"),
        "Growth and a fixed memory limit were both asked for; they exclude each other.",
        "Choose one.",
    ),
    (
        re.compile(r"NCCL is not supported when using virtual GPUs"),
        "NCCL was to sum gradients over logical GPUs of one card, which it cannot.",
        "Use HierarchicalCopyAllReduce or ReductionToOneDevice.",
    ),
    (
        re.compile(r"There are non-GPU devices in `?tf.distribute.Strategy"),
        "MirroredStrategy found no GPU and trains on the CPU.",
        "Find out first why TensorFlow sees no GPU.",
    ),
    (
        re.compile(r"Some requested devices in `?tf.distribute.Strategy`? are not visible"),
        "MirroredStrategy was given devices that TensorFlow does not see; its own next line lists them all the same.",
        "Give only devices that tf.config.list_logical_devices() lists.",
    ),
    (
        re.compile(r"Could not satisfy (?:explicit )?device specification|Unable to find any devices for spec"),
        "An operation was asked onto a device that is not there, and soft placement is off.",
        "Turn soft placement on, or choose a device that exists.",
    ),
    (
        re.compile(r"Operation was explicitly assigned to|was explicitly assigned to \S+ but available devices are"),
        "A node of the graph was given a device that this process does not have.",
        "Use allow_soft_placement (TensorFlow 1) or tf.config.set_soft_device_placement(True), or another device.",
    ),
    (
        re.compile(
            r"Unknown attribute '.*' is encountered while parsing the device spec|Malformed device specification"
        ),
        "The device string cannot be read: its type is none that TensorFlow knows.",
        "Write it as /GPU:0 or /CPU:0.",
    ),
    (
        re.compile(r"Unrecognized device:"),
        "Something that is no physical device was given to tf.config.",
        "Give the devices that tf.config.list_physical_devices() lists, one by one.",
    ),
    (
        re.compile(r"Invalid device ordinal value|invalid device ordinal"),
        "A GPU was asked for by a number that the visible GPUs do not have.",
        "Count the GPUs after CUDA_VISIBLE_DEVICES and tf.config.set_visible_devices have hidden some.",
    ),
    (
        re.compile(r"Cannot colocate nodes|Could not colocate node"),
        "Nodes that must share a device were asked onto different ones.",
        "Turn soft placement on, or move the variables and their updates to one device.",
    ),
    (
        re.compile(r"No OpKernel was registered to support Op|could not find valid device for node"),
        "No kernel exists for an operation on the device, or for its dtype.",
        "Let TensorFlow choose the device, or change the dtype.",
    ),
)


@dataclass(frozen=True)
class Kernel:
    """What the registry knows of an operation: whether a GPU kernel exists, and for which dtypes; none means any.

    For `host_dtypes` the GPU's kernel keeps its result in host memory; with `host_output` it always does.
    """

    gpu: bool
    dtypes: tuple[str, ...] = ()
    host_output: bool = False
    host_dtypes: tuple[str, ...] = ()


@dataclass(frozen=True)
class KernelsPlan:
    """Nothing to choose."""


@dataclass(frozen=True)
class Kernels:
    """The registry of one TensorFlow."""

    version: str
    operations: Mapping[str, Kernel]


KERNELS = Task("kernels", KernelsPlan, Kernels)


@dataclass(frozen=True)
class Asked:
    """What a capture asked for. `device` is empty where TensorFlow was to choose; `dtypes` by name of node."""

    device: str = ""
    dtypes: Mapping[str, str] = field(default_factory=dict)
    there: tuple[str, ...] = ()


NOT_ASKED = Asked()


@dataclass(frozen=True)
class Explained:
    """A placement with all that is known about why."""

    placement: Placement
    kernels: Kernels | None = None
    asked: Asked = NOT_ASKED
    messages: tuple[tuple[str, str], ...] = ()

    @property
    def registry_version(self) -> str | None:
        """The version whose registry the reasons are from."""
        return self.kernels.version if self.kernels else None

    @property
    def gpu_was_there(self) -> bool:
        """Whether the log, or what is known of the run, shows a GPU."""
        return self.placement.has_gpu() or any(is_gpu(device) for device in self.asked.there)

    def reason(self, row: Operation) -> str:
        """Say why a kind of operation is on the CPU; empty where there is nothing to explain."""
        if not row.device.rsplit("/", 1)[-1].startswith("CPU:"):
            return ""
        if self.asked.device and self.asked.there and self.asked.device not in self.asked.there:
            return FELL_BACK
        if not self.gpu_was_there:
            return ""
        if self.asked.device.startswith("CPU:"):
            return BY_HAND
        return self._by_registry(row)

    def _by_registry(self, row: Operation) -> str:
        kernel = self.kernels.operations.get(row.kind.removeprefix(ONE_DNN)) if self.kernels else None
        if kernel is None:
            return UNKNOWN
        if not kernel.gpu:
            return NO_KERNEL
        dtypes = {self.asked.dtypes[name] for name in row.names if name in self.asked.dtypes}
        if kernel.dtypes and dtypes and not dtypes & set(kernel.dtypes):
            return NO_DTYPE
        if kernel.host_output or (dtypes and dtypes <= set(kernel.host_dtypes)):
            return HOST_MEMORY
        return FELL_BACK if is_gpu(self.asked.device) else UNKNOWN


def explain_messages(text: str) -> tuple[tuple[str, str], ...]:
    """Find TensorFlow's messages about devices in a log; give what each means and what to do."""
    return tuple((meaning, todo) for pattern, meaning, todo in MESSAGES if pattern.search(text))


def summary(explained: Explained) -> str:
    """Say in a sentence where operations ran, and why some are on the CPU. Nodes and calls are told apart."""
    placement = explained.placement
    if placement.is_empty:
        return "No operation is placed or executed in this log."
    placed, called = _by_device(placement, "placed"), _by_device(placement, "executed")
    parts = _shares("{} of {} operations are placed on {}", placed) + _shares("{} of {} calls ran on {}", called)
    if not parts:
        return "The log holds nothing but the graphs that wrap eager operations."
    return "; ".join(parts + _reasons(explained)) + "."


def _by_device(placement: Placement, what: str) -> dict[str, int]:
    """Count the user's nodes, or the eager calls; calls of functions show as their nodes."""
    found: dict[str, int] = {}
    for row in placement.operations:
        if number := row.placed if what == "placed" else row.executed if row.kind != FUNCTION else 0:
            found[row.device] = found.get(row.device, 0) + number
    return found


def _shares(words: str, counts: Mapping[str, int]) -> list[str]:
    total = f"{sum(counts.values()):,}"
    most_first = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [words.format(f"{count:,}", total, device) for device, count in most_first]


def _reasons(explained: Explained) -> list[str]:
    found: dict[str, int] = {}
    for row in explained.placement.operations:
        if (reason := explained.reason(row)) and row.kind != FUNCTION:
            found[reason] = found.get(reason, 0) + row.placed + row.executed
    words = {NO_KERNEL: ("has no GPU kernel", "have no GPU kernel"),
             NO_DTYPE: ("has no GPU kernel for its dtype", "have no GPU kernel for their dtype"),
             BY_HAND: ("was placed by hand", "were placed by hand"),
             FELL_BACK: ("fell back softly", "fell back softly"),
             HOST_MEMORY: ("works in host memory by design", "work in host memory by design"),
             UNKNOWN: ("is on the CPU for a reason that the log does not tell",
                       "are on the CPU for a reason that the log does not tell")}  # fmt: skip
    return [f"{number:,} {words[reason][number != 1]}" for reason, number in found.items()]
