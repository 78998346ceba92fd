"""What TensorFlow sees on this machine, and what the settings make of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tfcore.wire import Task

SIMULATED_NAME = "Simulated GPU"
SIMULATED_ONE = " It is simulated: no hardware stands behind it."
SIMULATED_MANY = " They are simulated: no hardware stands behind them."


@dataclass(frozen=True)
class Unavailable:
    """A value that could not be had, and why."""

    reason: str

    def __str__(self) -> str:
        return f"not available: {self.reason}"


@dataclass(frozen=True)
class PhysicalDevice:
    """A device as TensorFlow lists it before any setting is applied."""

    name: str
    type: str
    index: int
    visible: bool
    model: str | Unavailable
    compute_capability: str | Unavailable
    memory_bytes: int | Unavailable
    pci_bus_id: str | Unavailable

    @property
    def simulated(self) -> bool:
        """Whether no hardware stands behind the device, so that its times and results mean nothing."""
        return self.model == SIMULATED_NAME

    @property
    def memory_mb(self) -> int | None:
        """Memory in MB of 2**20 bytes, TensorFlow's unit for limits; None where it is unknown."""
        return self.memory_bytes // 2**20 if isinstance(self.memory_bytes, int) else None


@dataclass(frozen=True)
class LogicalDevice:
    """A device that operations can be placed on. `memory_limit_mb` is what TensorFlow says it may use."""

    name: str
    type: str
    physical: str | Unavailable
    memory_limit_mb: int | Unavailable
    simulated: bool = False

    @property
    def short_name(self) -> str:
        """The name as people write it: GPU:0."""
        return short_name(self.name)


@dataclass(frozen=True)
class GpuState:
    """A GPU at one moment, as NVML tells it. `throttled` names what holds its clock down."""

    clock_mhz: int | Unavailable
    temperature_c: int | Unavailable
    throttled: tuple[str, ...]
    other_processes: int


@dataclass(frozen=True)
class Computer:
    """The machine around the devices. `memory_bytes` respects a container's limit."""

    system: str
    cpu_model: str | Unavailable
    logical_cores: int
    physical_cores: int | Unavailable
    memory_bytes: int
    available_memory_bytes: int


@dataclass(frozen=True)
class Software:
    """The versions in play. CUDA and cuDNN are those TensorFlow was built for."""

    python: str
    tensorflow: str
    cuda: str | Unavailable
    cudnn: str | Unavailable
    nvidia_driver: str | Unavailable


@dataclass(frozen=True)
class InventoryPlan:
    """Nothing to choose: the settings say it all."""


@dataclass(frozen=True)
class Inventory:
    """All that one worker found under its settings."""

    physical: tuple[PhysicalDevice, ...]
    logical: tuple[LogicalDevice, ...]
    computer: Computer
    software: Software

    @property
    def gpus(self) -> tuple[PhysicalDevice, ...]:
        """The physical GPUs, in TensorFlow's order."""
        return tuple(device for device in self.physical if device.type == "GPU")

    @property
    def gpu_memory_mb(self) -> tuple[int | None, ...]:
        """The memory of each physical GPU, as `Settings.fitted_to` takes it."""
        return tuple(gpu.memory_mb for gpu in self.gpus)

    def room_bytes(self, device: str) -> int:
        """The memory that work on a logical device may use: its limit, or what the host has free."""
        for found in self.logical:
            if found.short_name == device and isinstance(found.memory_limit_mb, int):
                return found.memory_limit_mb * 2**20
        return self.computer.available_memory_bytes

    def pci_bus_id(self, device: str) -> str:
        """The PCI id of the GPU behind a logical device; empty where there is none."""
        names = {found.physical for found in self.logical if found.short_name == device}
        found = next((gpu.pci_bus_id for gpu in self.gpus if gpu.name in names), "")
        return found if isinstance(found, str) else ""

    def of_type(self, kind: str) -> tuple[LogicalDevice, ...]:
        """The logical devices of one type, such as "GPU"."""
        return tuple(device for device in self.logical if device.type == kind)


INVENTORY = Task("inventory", InventoryPlan, Inventory)


@dataclass(frozen=True)
class CreatedDevice:
    """TensorFlow's own statement, in its log, of a logical GPU that it made."""

    name: str
    memory_mb: int
    ordinal: int
    pci_bus_id: str


_CREATED = re.compile(
    r"Created device (?P<name>/job:\S+) with (?P<mb>\d+) MB memory:\s+-> "
    r"device: (?P<ordinal>\d+), name: .*?, pci bus id: (?P<pci>[^,\s]+)"
)


def created_devices(log: str) -> tuple[CreatedDevice, ...]:
    """Read the device creation lines of TensorFlow 2.7 and later from a log."""
    return tuple(
        CreatedDevice(short_name(found["name"]), int(found["mb"]), int(found["ordinal"]), found["pci"])
        for found in _CREATED.finditer(log)
    )


def short_name(name: str) -> str:
    """Shorten a device string to type and index: "/job:localhost/.../device:GPU:0" gives "GPU:0"."""
    return ":".join(name.rsplit("/", 1)[-1].rsplit(":", 2)[-2:]).upper()


def in_one_sentence(inventory: Inventory) -> str:
    """Say how many GPUs TensorFlow sees, how many are in force, and which are simulated."""
    there, in_force = len(inventory.gpus), len(inventory.of_type("GPU"))
    if not there:
        return "TensorFlow sees no GPU on this machine."
    sentence = f"TensorFlow sees {_counted(there)}."
    if in_force != there:
        sentence += f" Your settings leave {_counted(in_force) if in_force else 'none of them'} in force."
    if any(gpu.simulated for gpu in inventory.gpus):
        sentence += SIMULATED_ONE if there == 1 else SIMULATED_MANY
    return sentence


def _counted(gpus: int) -> str:
    return "1 GPU" if gpus == 1 else f"{gpus} GPUs"
