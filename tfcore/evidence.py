"""What can be known of a machine that bears on TensorFlow and its GPUs. Each item may be missing, with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tfcore.devices import Unavailable
from tfcore.log_signs import Signs
from tfcore.wire import Task

Family = Literal["linux", "windows", "macos", "other"]
Vendor = Literal["nvidia", "amd", "intel", "apple"]
# CUDA Driver API, "CUresult": the codes that cuInit is known to give
CUDA_ERRORS = {
    0: "CUDA_SUCCESS", 1: "CUDA_ERROR_INVALID_VALUE", 2: "CUDA_ERROR_OUT_OF_MEMORY", 3: "CUDA_ERROR_NOT_INITIALIZED",
    34: "CUDA_ERROR_STUB_LIBRARY", 36: "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", 46: "CUDA_ERROR_DEVICE_UNAVAILABLE",
    100: "CUDA_ERROR_NO_DEVICE", 101: "CUDA_ERROR_INVALID_DEVICE", 102: "CUDA_ERROR_DEVICE_NOT_LICENSED",
    214: "CUDA_ERROR_ECC_UNCORRECTABLE", 304: "CUDA_ERROR_OPERATING_SYSTEM", 801: "CUDA_ERROR_NOT_SUPPORTED",
    802: "CUDA_ERROR_SYSTEM_NOT_READY", 803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
    804: "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", 999: "CUDA_ERROR_UNKNOWN",
}  # fmt: skip
NOT_ASKED = Unavailable("not asked")


@dataclass(frozen=True)
class System:
    """The operating system and what stands between it and this process. `packages` is its package manager."""

    family: Family
    name: str
    kernel: str
    wsl: int = 0
    container: str = ""
    container_gpus: str = ""
    scheduler: str = ""
    packages: str = ""
    conda: bool = False
    python: str = ""


@dataclass(frozen=True)
class Gpu:
    """A graphics device on the bus. `driver` is the kernel's, empty where none is bound."""

    vendor: Vendor
    address: str
    driver: str = ""


@dataclass(frozen=True)
class Node:
    """A device file, and whether this user may open it."""

    path: str
    usable: bool


@dataclass(frozen=True)
class Library:
    """A library as the loader answers: where it was found and its version, or the reason why it cannot be opened."""

    name: str
    path: str = ""
    version: str = ""
    reason: str = ""


@dataclass(frozen=True)
class CudaAnswer:
    """What the CUDA driver itself says: `code` of cuInit, its name, the CUDA version, and the devices."""

    code: int
    name: str
    cuda: str = ""
    devices: int = 0


@dataclass(frozen=True)
class Holder:
    """A process that holds memory of a GPU."""

    pid: int
    name: str
    owner: str
    used_bytes: int | Unavailable


@dataclass(frozen=True)
class GpuMemory:
    """A GPU as NVML lists it. `index` is nvidia-smi's."""

    index: int
    name: str
    total_bytes: int
    free_bytes: int
    holders: tuple[Holder, ...] = ()


@dataclass(frozen=True)
class Package:
    """An installed Python package."""

    name: str
    version: str


@dataclass(frozen=True)
class Machine:
    """All that can be known without TensorFlow."""

    system: System | Unavailable = NOT_ASKED
    gpus: tuple[Gpu, ...] | Unavailable = NOT_ASKED
    nodes: tuple[Node, ...] | Unavailable = NOT_ASKED
    module_version: str | Unavailable = NOT_ASKED
    module_on_disk: str | Unavailable = NOT_ASKED
    other_modules: tuple[str, ...] | Unavailable = NOT_ASKED
    driver_library: Library | Unavailable = NOT_ASKED
    cuda: CudaAnswer | Unavailable = NOT_ASKED
    nvml: str | Unavailable = NOT_ASKED
    memory: tuple[GpuMemory, ...] | Unavailable = NOT_ASKED
    libraries: tuple[Library, ...] | Unavailable = NOT_ASKED
    packages: tuple[Package, ...] | Unavailable = NOT_ASKED
    environment: dict[str, str] | Unavailable = NOT_ASKED
    nvidia_smi: str | Unavailable = NOT_ASKED


TITLES = {
    "system": "operating system",
    "gpus": "graphics devices on the bus",
    "nodes": "device files",
    "module_version": "kernel module",
    "module_on_disk": "kernel module on disk",
    "other_modules": "other graphics modules",
    "driver_library": "driver library",
    "cuda": "the CUDA driver’s answer",
    "nvml": "driver version, from NVML",
    "memory": "GPUs and their memory, from NVML",
    "libraries": "CUDA libraries",
    "packages": "Python packages",
    "environment": "environment variables",
    "nvidia_smi": "nvidia-smi",
}


@dataclass(frozen=True)
class EvidencePlan:
    """Nothing to choose."""


@dataclass(frozen=True)
class SeenGpu:
    """A GPU that TensorFlow lists, and what it may use of it."""

    name: str
    model: str
    compute_capability: str
    memory_limit_mb: int | Unavailable


@dataclass(frozen=True)
class TensorFlowAnswer:
    """What TensorFlow says of itself and of the GPUs that it sees. `capabilities` are compiled in: "sm_80"."""

    version: str
    built_with_cuda: bool
    built_with_rocm: bool
    cuda: str
    cudnn: str
    capabilities: tuple[str, ...]
    gpus: tuple[SeenGpu, ...]


EVIDENCE = Task("evidence", EvidencePlan, TensorFlowAnswer)


@dataclass(frozen=True)
class Evidence:
    """All evidence of one case: this machine's, or what a log alone tells. `signs` are those of TensorFlow's log."""

    machine: Machine = field(default_factory=Machine)
    tensorflow: TensorFlowAnswer | Unavailable = NOT_ASKED
    signs: Signs = field(default_factory=Signs)
    from_log: bool = False
