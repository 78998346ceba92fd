"""How busy the machine is now: one sampler for all visitors, asleep when nobody looks.

GPUs are read through NVML, the rest through psutil. Each reading may be not available, with the reason.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psutil
import pynvml

from tfcore.devices import Unavailable
from tfcore.evidence import Holder
from tfcore.nvidia import THROTTLE_REASONS, in_plain_words
from tfcore.probe.nvml import holder

PERIOD_S = 2.0
LOOKS_FOR_S = 8.0
KEPT_S = 300.0
Value = int | Unavailable


@dataclass(frozen=True)
class Slice:
    """A MIG slice of a GPU."""

    index: int
    uuid: str
    used_bytes: Value
    total_bytes: Value


@dataclass(frozen=True)
class GpuReading:
    """One GPU at one moment. `index` is nvidia-smi's. `throttled` names what holds its clocks down."""

    index: int
    name: str
    uuid: str
    pci_bus_id: str
    load_percent: Value
    memory_used_bytes: Value
    memory_total_bytes: Value
    temperature_c: Value
    power_mw: Value
    power_limit_mw: Value
    clock_mhz: Value
    memory_clock_mhz: Value
    throttled: tuple[str, ...] | Unavailable
    processes: tuple[Holder, ...] | Unavailable
    slices: tuple[Slice, ...] = ()


@dataclass(frozen=True)
class Reading:
    """The machine at one moment; `at_s` counts from an arbitrary start."""

    at_s: float
    cpu_percent: float
    memory_used_bytes: int
    memory_total_bytes: int
    gpus: tuple[GpuReading, ...] | Unavailable


Read = Callable[[float], Reading]


class Sampler:
    """Reads every two seconds while somebody has looked within the last eight. Safe to use from any thread."""

    def __init__(self, read: Read | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._read = read or read_all
        self._now = now
        self._readings: deque[Reading] = deque(maxlen=int(KEPT_S / PERIOD_S))
        self._wanted_until = 0.0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def look(self) -> tuple[Reading, ...]:
        """Give the readings so far, and keep the sampler awake for a while."""
        with self._changed:
            self._wanted_until = self._now() + LOOKS_FOR_S
            if self._thread is None:
                self._thread = threading.Thread(target=self._live, name="telemetry", daemon=True)
                self._thread.start()
            return tuple(self._readings)

    @property
    def awake(self) -> bool:
        """Whether it reads."""
        return self._thread is not None

    def wait(self, timeout_s: float) -> None:
        """Wait for the next reading."""
        with self._changed:
            self._changed.wait(timeout_s)

    def step(self) -> bool:
        """Take one reading if somebody wants it; False when nobody does any more."""
        with self._changed:
            if self._now() > self._wanted_until:
                self._thread = None
                return False
        reading = self._read(self._now())
        with self._changed:
            if self._readings and reading.at_s - self._readings[-1].at_s > LOOKS_FOR_S:
                self._readings.clear()  # it slept: no line is drawn across the gap
            self._readings.append(reading)
            self._changed.notify_all()
        return True

    def _live(self) -> None:
        """Read until nobody looks any more. A fault ends the thread; the next to look starts another."""
        try:
            while self.step():
                time.sleep(PERIOD_S)
        finally:
            with self._changed:
                if self._thread is threading.current_thread():
                    self._thread = None


def read_all(at_s: float) -> Reading:
    """Read the whole machine."""
    memory = psutil.virtual_memory()
    return Reading(at_s, psutil.cpu_percent(), memory.total - memory.available, memory.total, read_gpus())


def read_gpus() -> tuple[GpuReading, ...] | Unavailable:
    """Read all GPUs that NVML lists."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return Unavailable(in_plain_words(error))
    try:
        return tuple(_read_gpu(index) for index in range(pynvml.nvmlDeviceGetCount()))
    except pynvml.NVMLError as error:
        return Unavailable(in_plain_words(error))
    finally:
        with contextlib.suppress(pynvml.NVMLError):
            pynvml.nvmlShutdown()


def _read_gpu(index: int) -> GpuReading:
    gpu = pynvml.nvmlDeviceGetHandleByIndex(index)
    memory = _value(lambda: pynvml.nvmlDeviceGetMemoryInfo(gpu))
    load = _value(lambda: pynvml.nvmlDeviceGetUtilizationRates(gpu))
    return GpuReading(
        index=index,
        name=str(_value(lambda: pynvml.nvmlDeviceGetName(gpu))),
        uuid=str(_value(lambda: pynvml.nvmlDeviceGetUUID(gpu))),
        pci_bus_id=str(_value(lambda: pynvml.nvmlDeviceGetPciInfo(gpu).busId)),
        load_percent=load if isinstance(load, Unavailable) else load.gpu,
        memory_used_bytes=memory if isinstance(memory, Unavailable) else memory.used,
        memory_total_bytes=memory if isinstance(memory, Unavailable) else memory.total,
        temperature_c=_value(lambda: pynvml.nvmlDeviceGetTemperature(gpu, pynvml.NVML_TEMPERATURE_GPU)),
        power_mw=_value(lambda: pynvml.nvmlDeviceGetPowerUsage(gpu)),
        power_limit_mw=_value(lambda: pynvml.nvmlDeviceGetEnforcedPowerLimit(gpu)),
        clock_mhz=_value(lambda: pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_SM)),
        memory_clock_mhz=_value(lambda: pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_MEM)),
        throttled=_throttled(_value(lambda: pynvml.nvmlDeviceGetCurrentClocksEventReasons(gpu))),
        processes=_processes(gpu),
        slices=_slices(gpu),
    )


def _value(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except pynvml.NVMLError as error:
        return Unavailable(in_plain_words(error))


def _throttled(reasons: Value) -> tuple[str, ...] | Unavailable:
    if isinstance(reasons, Unavailable):
        return reasons
    return tuple(words for bit, words in THROTTLE_REASONS.items() if reasons & bit)


def _processes(gpu: Any) -> tuple[Holder, ...] | Unavailable:
    computing = _value(lambda: pynvml.nvmlDeviceGetComputeRunningProcesses(gpu))
    drawing = _value(lambda: pynvml.nvmlDeviceGetGraphicsRunningProcesses(gpu))
    if isinstance(computing, Unavailable):
        return computing
    found = [*computing, *([] if isinstance(drawing, Unavailable) else drawing)]
    return tuple({each.pid: holder(each.pid, each.usedGpuMemory) for each in found}.values())


def _slices(gpu: Any) -> tuple[Slice, ...]:
    """List the MIG slices of a GPU that is cut in slices."""
    mode = _value(lambda: pynvml.nvmlDeviceGetMigMode(gpu))
    if isinstance(mode, Unavailable) or not mode[0]:
        return ()
    most = _value(lambda: pynvml.nvmlDeviceGetMaxMigDeviceCount(gpu))
    found = []
    for index in range(0 if isinstance(most, Unavailable) else most):
        part = _value(lambda index=index: pynvml.nvmlDeviceGetMigDeviceHandleByIndex(gpu, index))  # type: ignore[misc]
        if not isinstance(part, Unavailable):
            memory = _value(lambda part=part: pynvml.nvmlDeviceGetMemoryInfo(part))  # type: ignore[misc]
            known = not isinstance(memory, Unavailable)
            uuid = str(_value(lambda part=part: pynvml.nvmlDeviceGetUUID(part)))  # type: ignore[misc]
            found.append(Slice(index, uuid, memory.used if known else memory, memory.total if known else memory))
    return tuple(found)
