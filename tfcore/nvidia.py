"""What NVIDIA's own libraries say: NVML of the driver, the CUDA driver of its devices.

TensorFlow numbers GPUs as the CUDA driver does, after CUDA_VISIBLE_DEVICES; nvidia-smi does not.
Source: CUDA Driver API, "Device Management".
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pynvml

from tfcore.devices import GpuState, Unavailable

# What NVML calls "clocks event reasons", as far as it means that a GPU cannot run as fast as it is asked to.
THROTTLE_REASONS = {
    0x04: "power limit",
    0x08: "hardware slowdown",
    0x20: "too hot, slowed by the driver",
    0x40: "too hot, slowed by the hardware",
    0x80: "power brake",
}


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
        return Unavailable(in_plain_words(error))
    try:
        return str(pynvml.nvmlSystemGetDriverVersion())
    except pynvml.NVMLError as error:
        return Unavailable(in_plain_words(error))
    finally:
        pynvml.nvmlShutdown()


def gpu_state(pci_bus_id: str) -> GpuState | Unavailable:
    """Ask NVML how a GPU is now: clock in MHz, temperature, what slows it, and who else computes on it."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return Unavailable(in_plain_words(error))
    try:
        handle = pynvml.nvmlDeviceGetHandleByPciBusId(pci_bus_id)
        return GpuState(
            _value(lambda: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM)),
            _value(lambda: pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU)),
            _throttled(_value(lambda: pynvml.nvmlDeviceGetCurrentClocksEventReasons(handle))),
            _others(_value(lambda: pynvml.nvmlDeviceGetComputeRunningProcesses(handle))),
        )
    except pynvml.NVMLError as error:
        return Unavailable(in_plain_words(error))
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


def _value(read: Callable[[], Any]) -> Any:
    """Read one value; where this GPU does not tell it, say why."""
    try:
        return read()
    except pynvml.NVMLError as error:
        return Unavailable(in_plain_words(error))


def _throttled(reasons: int | Unavailable) -> tuple[str, ...]:
    if isinstance(reasons, Unavailable):
        return ()
    return tuple(words for bit, words in THROTTLE_REASONS.items() if reasons & bit)


def _others(processes: list[Any] | Unavailable) -> int:
    if isinstance(processes, Unavailable):
        return 0
    return len({process.pid for process in processes} - {os.getpid()})


def in_plain_words(error: pynvml.NVMLError) -> str:
    """Say what NVML refuses."""
    if isinstance(error, pynvml.NVMLError_LibraryNotFound):
        return "no NVIDIA driver is installed (its library libnvidia-ml.so.1 is not there)"
    if isinstance(error, pynvml.NVMLError_DriverNotLoaded):
        return "the NVIDIA driver is installed but not loaded"
    return f"NVML says: {error}"
