"""What NVIDIA's own libraries say: NVML of the driver, the CUDA driver of its devices.

TensorFlow numbers GPUs as the CUDA driver does, after CUDA_VISIBLE_DEVICES; nvidia-smi does not.
Source: CUDA Driver API, "Device Management".
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import pynvml

from tfcore.devices import Unavailable


@dataclass(frozen=True)
class DriverDevice:
    """One device as the CUDA driver describes it."""

    memory_bytes: int
    pci_bus_id: str


def driver_version() -> str | Unavailable:
    """Ask NVML for the version of the NVIDIA driver."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return Unavailable(_in_plain_words(error))
    try:
        return str(pynvml.nvmlSystemGetDriverVersion())
    except pynvml.NVMLError as error:
        return Unavailable(_in_plain_words(error))
    finally:
        pynvml.nvmlShutdown()


def ordinal_devices() -> tuple[DriverDevice, ...]:
    """Describe the CUDA driver's devices in its order; none where there is no such driver."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return ()
    count = ctypes.c_int()
    if cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count)):
        return ()
    return tuple(_describe(cuda, ordinal) for ordinal in range(count.value))


def _describe(cuda: ctypes.CDLL, ordinal: int) -> DriverDevice:
    device, size, pci = ctypes.c_int(), ctypes.c_size_t(), ctypes.create_string_buffer(32)
    cuda.cuDeviceGet(ctypes.byref(device), ordinal)
    cuda.cuDeviceTotalMem_v2(ctypes.byref(size), device)
    cuda.cuDeviceGetPCIBusId(pci, len(pci), device)
    return DriverDevice(size.value, pci.value.decode(errors="replace"))


def _in_plain_words(error: pynvml.NVMLError) -> str:
    if isinstance(error, pynvml.NVMLError_LibraryNotFound):
        return "no NVIDIA driver is installed (its library libnvidia-ml.so.1 is not there)"
    if isinstance(error, pynvml.NVMLError_DriverNotLoaded):
        return "the NVIDIA driver is installed but not loaded"
    return f"NVML says: {error}"
