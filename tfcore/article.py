"""The computation this project began with: a random square matrix times its transpose, and the sum.

Seed 0, uniform in 0..3, float32. Rules for its cost, and for what may be said about its times.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfcore.devices import Inventory, LogicalDevice
from tfcore.placement import Executed
from tfcore.settings import Settings
from tfcore.wire import Task

ARTICLE_SIZE = 10_000
SIZES = (250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_000, 8_000, ARTICLE_SIZE)
SLOWEST_S = 3.0
SUM_TOLERANCE = 1e-3
_BYTES_PER_NUMBER = 4
_MATRICES_AT_PEAK = 4  # random numbers, scaled numbers, transpose and product, before the first is freed


@dataclass(frozen=True)
class ProbePlan:
    """Measure how fast a device is, doubling the matrix until one pass takes `long_enough_s`."""

    device: str
    long_enough_s: float = 0.15
    largest: int = 4_000


@dataclass(frozen=True)
class Rate:
    """Two measured passes: how long a device took for `size` rows, and for half as many."""

    device: str
    size: int
    seconds: float
    half_size_seconds: float


@dataclass(frozen=True)
class RunPlan:
    """Run the computation on one device: the first call, then samples for about `budget_s`."""

    device: str
    size: int
    budget_s: float = 6.0
    most_samples: int = 10


@dataclass(frozen=True)
class DeviceRun:
    """What one device did. `first_call_s` is as the article took it: no warm-up, no synchronisation.

    `samples_s` are whole passes after it, with the device synchronised at both ends.
    """

    device: LogicalDevice
    size: int
    first_call_s: float
    samples_s: tuple[float, ...]
    sum: float
    operations: tuple[Executed, ...]

    @property
    def median_s(self) -> float:
        """The median of the samples, in seconds."""
        return statistics.median(self.samples_s)

    @property
    def ran_elsewhere(self) -> bool:
        """Whether soft placement moved an operation to another device than the one asked for."""
        return any(record.device != self.device.short_name for record in self.operations)


@dataclass(frozen=True)
class RawRun:
    """A run as its worker tells it, before it is known what the device is."""

    first_call_s: float
    samples_s: tuple[float, ...]
    sum: float
    operations: tuple[Executed, ...]


@dataclass(frozen=True)
class Estimate:
    """What a size will take under these settings: seconds for one pass on each device, and memory on each."""

    settings: Settings
    size: int
    seconds: Mapping[str, float]
    memory_bytes: int
    too_large: Mapping[str, str]


@dataclass(frozen=True)
class Trial:
    """The runs on every device in force, and the settings they ran with."""

    settings: Settings
    size: int
    runs: tuple[DeviceRun, ...]


PROBE = Task("article_probe", ProbePlan, Rate)
RUN = Task("article", RunPlan, RawRun)


def memory_bytes(size: int) -> int:
    """The memory that the computation holds at its peak, in bytes."""
    return _MATRICES_AT_PEAK * size * size * _BYTES_PER_NUMBER


def seconds(rate: Rate, size: int) -> float:
    """Predict one pass from two measured ones.

    Making and adding numbers grows with the square of the size, the product with its cube: the two
    passes tell the two shares apart. Where noise makes one of them negative, the whole is split evenly.
    """
    square = (8 * rate.half_size_seconds - rate.seconds) / rate.size**2
    cube = 2 * (rate.seconds - 4 * rate.half_size_seconds) / rate.size**3
    if square < 0 or cube <= 0:
        square, cube = rate.seconds / 2 / rate.size**2, rate.seconds / 2 / rate.size**3
    return square * size**2 + cube * size**3


def fitting_size(rates: Sequence[Rate], inventory: Inventory) -> int:
    """Choose the largest size that fits everywhere and takes the slowest device a few seconds at most."""
    fitting = [size for size in SIZES if not too_large(size, inventory)]
    quick = [size for size in fitting if max(seconds(rate, size) for rate in rates) <= SLOWEST_S]
    return quick[-1] if quick else SIZES[0]


def estimate(settings: Settings, size: int, rates: Sequence[Rate], inventory: Inventory) -> Estimate:
    """Predict time and memory of a size, and say on which devices it does not fit."""
    times = {rate.device: seconds(rate, size) for rate in rates}
    return Estimate(settings, size, times, memory_bytes(size), too_large(size, inventory))


def too_large(size: int, inventory: Inventory) -> dict[str, str]:
    """Name the devices whose memory is too small, each with the numbers."""
    need, reasons = memory_bytes(size), {}
    for device in inventory.logical:
        room = inventory.room_bytes(device.short_name)
        if need > room:
            reasons[device.short_name] = f"it needs {in_gb(need)}, and {device.short_name} has {in_gb(room)} free"
    return reasons


def speedup_sentence(runs: Sequence[DeviceRun]) -> str:
    """Say in words how the devices compare, or why nothing can be said."""
    if any(run.device.simulated for run in runs):
        return "A simulated GPU computes nothing, so no time of it and no speedup is stated."
    if elsewhere := [run for run in runs if run.ran_elsewhere]:
        return f"The work of {elsewhere[0].device.short_name} ran on another device, so no speedup is stated."
    cpu, gpus = _sides(runs)
    if len(runs) == 1 or cpu is None:
        return f"{runs[0].device.short_name} took {in_seconds(runs[0].median_s)}. There is nothing to compare it with."
    if not gpus:
        return "Logical CPU devices share the same processor, so none of them is expected to be faster."
    if not sums_agree(runs):
        return "The devices do not agree on the result, so no speedup is stated."
    best = min(gpus, key=lambda run: run.median_s)
    return _compared(best, cpu)


def sums_agree(runs: Sequence[DeviceRun]) -> bool:
    """Whether all devices found the same sum, within what float32 allows for so many terms."""
    first = runs[0].sum
    return all(math.isfinite(run.sum) and math.isclose(run.sum, first, rel_tol=SUM_TOLERANCE) for run in runs)


def in_seconds(value: float) -> str:
    """Write a duration as people say it: "48 s", "2.4 s", "35 ms"."""
    if value >= 120:
        return f"{value / 60:,.0f} min"
    if value >= 0.9995:
        return f"{value:.0f} s" if value >= 9.95 else f"{value:.1f} s"
    return f"{value * 1e3:.3g} ms"


def in_times(ratio: float) -> str:
    """Write a ratio as people say it: "1,600 times", "4.5 times"."""
    return f"{ratio:,.0f} times" if ratio >= 99.5 else f"{ratio:.3g} times"


def in_gb(size: float) -> str:
    """Write a number of bytes in GB of 10**9 bytes."""
    return f"{size / 1e9:.1f} GB"


def _sides(runs: Sequence[DeviceRun]) -> tuple[DeviceRun | None, list[DeviceRun]]:
    cpu = next((run for run in runs if run.device.type == "CPU"), None)
    return cpu, [run for run in runs if run.device.type == "GPU"]


def _compared(gpu: DeviceRun, cpu: DeviceRun) -> str:
    times = (
        f"{gpu.device.short_name} took {in_seconds(gpu.median_s)} where "
        f"{cpu.device.short_name} took {in_seconds(cpu.median_s)}"
    )
    if gpu.median_s <= cpu.median_s:
        return f"{times}: {in_times(cpu.median_s / gpu.median_s)} as fast."
    return f"{times}: the CPU was {in_times(gpu.median_s / cpu.median_s)} as fast. Small work often suits a CPU better."
