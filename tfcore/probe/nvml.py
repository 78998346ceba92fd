"""What NVML says of all GPUs, hidden ones too: python -m tfcore.probe.nvml prints it as JSON."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import psutil
import pynvml

from tfcore.devices import Unavailable
from tfcore.evidence import GpuMemory, Holder
from tfcore.nvidia import driver_version


def nvml() -> tuple[str | Unavailable, tuple[GpuMemory, ...] | Unavailable]:
    """Ask NVML for the driver's version, and for the memory of all GPUs, hidden ones too."""
    version = driver_version()
    if isinstance(version, Unavailable):
        return version, version
    pynvml.nvmlInit()
    try:
        return version, tuple(_memory(index) for index in range(pynvml.nvmlDeviceGetCount()))
    except pynvml.NVMLError as error:
        return version, Unavailable(f"NVML says: {error}")
    finally:
        with contextlib.suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()


def _memory(index: int) -> GpuMemory:
    handle = pynvml.nvmlDeviceGetHandleByIndex(index)
    memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
    holders = [
        *_value(lambda: pynvml.nvmlDeviceGetComputeRunningProcesses(handle), []),
        *_value(lambda: pynvml.nvmlDeviceGetGraphicsRunningProcesses(handle), []),
    ]
    named = {process.pid: holder(process.pid, process.usedGpuMemory) for process in holders}
    return GpuMemory(index, pynvml.nvmlDeviceGetName(handle), memory.total, memory.free, tuple(named.values()))


def _value(read: Callable[[], Any], otherwise: Any) -> Any:
    try:
        return read()
    except pynvml.NVMLError:
        return otherwise


def holder(pid: int, used_bytes: int | None) -> Holder:
    """Name a process and its owner, as far as this user may know them."""
    used = Unavailable("the driver does not tell") if used_bytes is None else used_bytes
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            return Holder(pid, process.name(), process.username(), used)
    except (psutil.Error, KeyError, OSError):
        return Holder(pid, "a process of another container or user", "unknown", used)


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(nvml()))
