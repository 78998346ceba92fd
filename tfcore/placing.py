"""The programs behind Placement: capture where a workload's operations run, and explain a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tfcore.capture import CAPTURE, WORKLOADS, CapturePlan, CaptureResult, check
from tfcore.devices import Inventory
from tfcore.errors import CaptureError, LabError
from tfcore.log_text import Decoder, Ends
from tfcore.placement import in_canonical_form
from tfcore.placement_log import read
from tfcore.placement_reasons import KERNELS, Asked, Explained, Kernels, KernelsPlan, explain_messages
from tfcore.runtime.job import Program, Steps
from tfcore.settings import Settings

Versus = Literal["one", "soft-strict", "auto-explicit"]
MOST_MESSAGE_BYTES = 4 << 20  # of the beginning, and as much of the end: an error stands last


@dataclass(frozen=True)
class Capture:
    """One captured run: what was asked, what TensorFlow logged, and what it means."""

    label: str
    plan: CapturePlan
    settings: Settings
    explained: Explained
    error: str
    crossings: tuple[tuple[str, str, str, str], ...]
    log: str


def capturing(
    settings: Settings, inventory: Inventory, plan: CapturePlan, versus: Versus
) -> Program[tuple[Capture, ...]]:
    """Give a program that captures one run, or two to be compared. Raise SettingsError if that cannot be meant."""
    check(plan)
    return lambda steps: tuple(
        _capture(steps, label, chosen, of, inventory) for label, chosen, of in _runs(settings, plan, versus)
    )


def explaining(pieces: Callable[[], Iterator[bytes]], size: int) -> Program[Explained]:
    """Give a program that reads a log of `size` bytes as a stream and explains it."""

    def program(steps: Steps) -> Explained:
        ends, decode = Ends(MOST_MESSAGE_BYTES), Decoder()

        def heard() -> Iterator[bytes]:
            for piece in pieces():
                ends.add(decode(piece))
                steps.raise_if_cancelled()
                yield piece

        def tell(done: int) -> None:
            steps.progress(f"Reading: {done / 2**20:,.0f} MB", min(1.0, done / size) if size else None)

        placement = read(heard(), tell)
        ends.add(decode.rest())
        kernels = registry(steps) if placement.has_gpu() else None
        return Explained(placement, kernels, messages=explain_messages(ends.text()))

    return program


def registry(steps: Steps) -> Kernels | None:
    """Ask TensorFlow's registry of kernels; None where that cannot be done, which makes reasons unknown."""
    try:
        return steps.run(KERNELS, Settings("none"), KernelsPlan())
    except LabError:
        return None


def _runs(settings: Settings, plan: CapturePlan, versus: Versus) -> list[tuple[str, CapturePlan, Settings]]:
    if versus == "soft-strict":
        return [
            ("Soft placement", plan, replace(settings, soft_placement=True)),
            ("Strict placement", plan, replace(settings, soft_placement=False)),
        ]
    if versus == "auto-explicit":
        return [
            ("TensorFlow chooses", replace(plan, device=""), settings),
            (f"On {plan.device or '/CPU:0'}", replace(plan, device=plan.device or "/CPU:0"), settings),
        ]
    return [("The run", plan, settings)]


def _capture(steps: Steps, label: str, plan: CapturePlan, settings: Settings, inventory: Inventory) -> Capture:
    """Run a plan in a worker of its own, and read both of its streams."""
    steps.progress(f"{label}: {WORKLOADS[plan.workload]}")
    found = steps.run(CAPTURE, settings, plan)
    log = steps.printed()
    placement = read(iter([log.encode(errors="surrogateescape")]))
    if placement.is_empty and not found.error:
        raise CaptureError(
            "TensorFlow logged no placement.",
            cause="Something keeps its log from being written: TF_CPP_MIN_LOG_LEVEL, for one.",
            todo="Unset it and start the dashboard again.",
            log=log[-2000:],
        )
    there = tuple(device.short_name for device in inventory.logical)
    asked = Asked(_whole_name(plan.device), found.dtypes, there)
    explained = Explained(placement, registry(steps), asked, explain_messages(found.error))
    return Capture(label, plan, settings, explained, found.error, _crossings(explained, found), log)


def _whole_name(device: str) -> str:
    """Write a device as the log does; TensorFlow takes "/CPU" for the first CPU."""
    return in_canonical_form(device if ":" in device else f"{device}:0") if device else ""


def _crossings(explained: Explained, found: CaptureResult) -> tuple[tuple[str, str, str, str], ...]:
    """Give the edges of the graph that lead from one device to another: (from, its device, to, its device)."""
    where = {record.node.name: record.node.device for record in explained.placement.nodes}
    return tuple(
        (one, where[one], other, where[other])
        for one, other in found.edges
        if one in where and other in where and where[one] != where[other]
    )
