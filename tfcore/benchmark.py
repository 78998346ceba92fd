"""What is compared, what was measured, and what may be said about it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from tfcore import statistics
from tfcore.devices import Computer, LogicalDevice, Software, Unavailable
from tfcore.errors import SettingsError
from tfcore.placement import Executed
from tfcore.settings import Settings
from tfcore.statistics import Interval
from tfcore.wire import Task
from tfcore.workloads import ITEM_BYTES, WORKLOADS, Workload

Dtype = Literal["float16", "bfloat16", "float32", "float64"]

DEFAULT_BUDGET_S = 6.0
HALF_WIDTH = 0.02
FEWEST_SAMPLES = 10
FEWEST_ROUNDS, MOST_ROUNDS = 3, 6
MOST_CONTENDERS = 8
MOST_SIZE = 100_000
MOST_BUDGET_S = 3_600.0
SCHEMA = 1
TOLERANCE = {"float64": 1e-7, "float32": 1e-3, "bfloat16": 5e-2, "float16": 2e-2}
TF32_TOLERANCE = 5e-3


@dataclass(frozen=True)
class Contender:
    """A device plus options that need a runtime of their own. `threads` None is all cores; CPUs only."""

    device: str = "CPU:0"
    dtype: Dtype = "float32"
    threads: int | None = None
    xla: bool = False
    tf32: bool = True

    @property
    def name(self) -> str:
        """The name that people read: "CPU:0, 1 thread, float16"."""
        threads = f"{self.threads} thread{'s' if self.threads != 1 else ''}" if self.threads else ""
        options = (threads, self.dtype if self.dtype != "float32" else "", "XLA" if self.xla else "")
        return ", ".join(filter(None, (self.device, *options, "" if self.tf32 else "no TF32")))

    @property
    def tolerance(self) -> float:
        """How far its numbers may lie from another's, relative to the largest."""
        tf32 = self.tf32 and self.dtype == "float32" and self.device.startswith("GPU")
        return TF32_TOLERANCE if tf32 else TOLERANCE[self.dtype]


@dataclass(frozen=True)
class Plan:
    """What to measure. The first contender is the baseline. `budget_s` is for one contender at one size."""

    workload: str
    sizes: tuple[int, ...]
    contenders: tuple[Contender, ...]
    budget_s: float = DEFAULT_BUDGET_S
    half_width: float = HALF_WIDTH


@dataclass(frozen=True)
class RoundPlan:
    """What one worker measures: one contender at some sizes, each with its share of the budget."""

    workload: str
    sizes: tuple[int, ...]
    contender: Contender
    budget_s: float
    fewest: int
    half_width: float


@dataclass(frozen=True)
class Round:
    """What one worker measured at one size. All times in seconds, in the order in which they passed.

    `dispatched_s` is the first call without waiting for the device, `first_call_s` with. `digest` holds
    64 numbers of the result and their mean. A sample is the mean of `batch` calls.
    """

    size: int
    data_s: float
    copy_in_s: float
    dispatched_s: float
    first_call_s: float
    warm_up_s: tuple[float, ...]
    samples_s: tuple[float, ...]
    batch: int
    copy_out_s: float
    digest: tuple[float, ...]
    peak_bytes: int | Unavailable
    operations: tuple[Executed, ...] = ()
    clock_mhz: tuple[int, ...] = ()
    throttled: str = ""
    others: int = 0


@dataclass(frozen=True)
class RoundResult:
    """All rounds of one worker, one for each size."""

    rounds: tuple[Round, ...]


ROUND = Task("benchmark", RoundPlan, RoundResult)


@dataclass(frozen=True)
class Point:
    """One contender at one size, over all rounds, with the warnings that belong to it."""

    contender: Contender
    size: int
    rounds: tuple[Round, ...]
    warnings: tuple[str, ...] = ()

    @property
    def samples_s(self) -> tuple[tuple[float, ...], ...]:
        """The samples of each round."""
        return tuple(each.samples_s for each in self.rounds)

    @property
    def median_s(self) -> float:
        """The median time of one call, with the data on the device."""
        return statistics.median(self.samples_s)

    @property
    def interval_s(self) -> Interval:
        """Where the median lies with 95 % confidence."""
        return statistics.median_interval(self.samples_s)

    @property
    def door_to_door_s(self) -> float:
        """The median time of one call with its data carried in and its result carried out."""
        carried = [each.copy_in_s + each.copy_out_s for each in self.rounds]
        return self.median_s + statistics.median([carried])


@dataclass(frozen=True)
class LeftOut:
    """A size that was not measured for one contender, and why."""

    contender: Contender
    size: int
    reason: str


@dataclass(frozen=True)
class Environment:
    """What the numbers depend on."""

    settings: Settings
    software: Software
    computer: Computer
    devices: tuple[LogicalDevice, ...]
    models: tuple[str, ...]
    measured_at: str


@dataclass(frozen=True)
class Benchmark:
    """A result: points in the order of plan and size. `partial` if it was ended before its time."""

    plan: Plan
    environment: Environment
    points: tuple[Point, ...]
    left_out: tuple[LeftOut, ...] = ()
    partial: bool = False
    schema: int = SCHEMA
    kind: str = field(default="tensorflow-gpu-lab benchmark")

    def point(self, contender: Contender, size: int) -> Point | None:
        """The point of one contender at one size, if it was measured."""
        found = (point for point in self.points if (point.contender, point.size) == (contender, size))
        return next(found, None)

    def is_simulated(self, contender: Contender) -> bool:
        """Whether no hardware stands behind the contender."""
        return any(d.simulated for d in self.environment.devices if d.short_name == contender.device)


@dataclass(frozen=True)
class Speedup:
    """How many times as fast as the baseline a contender was, with the data on the device and door to door."""

    contender: Contender
    size: int
    ratio: float
    interval: Interval
    door_to_door: float

    @property
    def is_sure(self) -> bool:
        """Whether the two differ beyond chance."""
        return not self.interval.holds(1.0)


@dataclass(frozen=True)
class Withheld:
    """No speedup is stated, and why."""

    contender: Contender
    size: int
    reason: str


def compare(result: Benchmark, contender: Contender, size: int) -> Speedup | Withheld:
    """Compare a contender with the baseline at one size, or say why that cannot be done."""
    baseline = result.plan.contenders[0]
    ours, theirs = result.point(contender, size), result.point(baseline, size)
    if result.is_simulated(contender) or result.is_simulated(baseline):
        return Withheld(contender, size, "A simulated GPU computes nothing, so no time and no speedup is stated.")
    if ours is None or theirs is None:
        return Withheld(contender, size, "One of the two was not measured at this size.")
    if not agree(ours, theirs):
        return Withheld(contender, size, "The results differ beyond what the number format allows.")
    return Speedup(
        contender,
        size,
        theirs.median_s / ours.median_s,
        statistics.ratio_interval(theirs.samples_s, ours.samples_s),
        theirs.door_to_door_s / ours.door_to_door_s,
    )


def agree(one: Point, other: Point) -> bool:
    """Whether two points found the same numbers, within what their number formats allow."""
    tolerance = max(one.contender.tolerance, other.contender.tolerance)
    a, b = one.rounds[0].digest, other.rounds[0].digest
    largest = max((abs(value) for value in (*a, *b)), default=0.0)
    if len(a) != len(b) or not all(map(math.isfinite, (*a, *b))):
        return False
    return all(abs(x - y) <= tolerance * largest for x, y in zip(a, b, strict=True))


def crossover(result: Benchmark, contender: Contender) -> tuple[int, ...]:
    """Give the sizes from which on the contender is surely faster than the baseline; empty if never."""
    sure = []
    for size in sorted(result.plan.sizes, reverse=True):
        found = compare(result, contender, size)
        if not (isinstance(found, Speedup) and found.interval.low > 1):
            break
        sure.append(size)
    return tuple(reversed(sure))


def warnings(point: Point, half_width: float, simulated: bool) -> tuple[str, ...]:
    """Say what a reader has to know before trusting a point."""
    if simulated:
        return ("simulated device: no time of it means anything",)
    samples, count = point.samples_s, sum(map(len, point.samples_s))
    sampled_s = sum(sum(part) * each.batch for part, each in zip(samples, point.rounds, strict=True))
    clocks = [clock for each in point.rounds for clock in each.clock_mhz]
    throttles = sorted({each.throttled for each in point.rounds if each.throttled})
    found = {
        "budget too short for ten samples": count < FEWEST_SAMPLES,
        "unstable: samples differ by more than 10 %": count > 1 and _unstable(samples),
        f"the median is known to no better than {half_width:.0%}": point.interval_s.half_width > half_width,
        "first call dominates: it took longer than all samples": point.rounds[0].first_call_s > sampled_s,
        "clock of the GPU fell by more than 10 % during the run": bool(clocks) and min(clocks) < 0.9 * max(clocks),
        "throttled: " + ", ".join(throttles): bool(throttles),
        "other processes used the device": any(each.others for each in point.rounds),
    }
    return tuple(text for text, holds in found.items() if holds)


def throughput(workload: Workload, point: Point) -> float:
    """Give the work done in a second, in the workload's unit: 10**9 operations or bytes."""
    gigabytes = workload.rate == "GB/s"
    work = workload.bytes(point.size, point.contender.dtype) if gigabytes else workload.operations(point.size)
    return work / point.median_s / 1e9


def parse_contender(text: str) -> Contender:
    """Read "cpu", "cpu:threads=1", "gpu:0:float16", "gpu:1:xla:tf32=off". Raise SettingsError for anything else."""
    device, *options = text.strip().lower().split(":")
    index = options.pop(0) if options and options[0].isdigit() else "0"
    if device not in ("cpu", "gpu") or len(index) > 2:
        raise _not_understood(text)
    chosen: dict[str, object] = {"device": f"{device.upper()}:{index}"}
    for option in options:
        chosen |= _option(text, option)
    return Contender(**chosen)  # type: ignore[arg-type]


def check(plan: Plan) -> None:
    """Raise SettingsError if a plan cannot be meant."""
    workload = WORKLOADS.get(plan.workload)
    if workload is None:
        raise SettingsError(
            "workload", f"“{plan.workload[:40]}” is not a workload.", todo=f"Use {', '.join(WORKLOADS)}."
        )
    if not plan.sizes or any(not 1 <= size <= MOST_SIZE for size in plan.sizes):
        raise SettingsError("sizes", "The sizes cannot be used.", todo=f"Use whole numbers from 1 to {MOST_SIZE:,}.")
    if not 1 <= len(set(plan.contenders)) <= MOST_CONTENDERS or len(set(plan.contenders)) != len(plan.contenders):
        raise SettingsError(
            "contenders", "The contenders cannot be used.", todo=f"Name 1 to {MOST_CONTENDERS} different ones."
        )
    if not 0 < plan.budget_s <= MOST_BUDGET_S:
        raise SettingsError(
            "budget", f"{plan.budget_s:g} s cannot be a budget.", todo=f"Use up to {MOST_BUDGET_S:g} s."
        )
    for contender in plan.contenders:
        _check_contender(workload, contender)


def default_contenders(devices: Sequence[LogicalDevice], cores: int) -> tuple[Contender, ...]:
    """CPU against GPU where there is one; else one core against all."""
    if any(device.type == "GPU" for device in devices):
        return Contender("CPU:0"), Contender("GPU:0")
    return (Contender("CPU:0", threads=1), Contender("CPU:0")) if cores > 1 else (Contender("CPU:0"),)


def too_large(workload: Workload, contender: Contender, size: int, room_bytes: int) -> str | None:
    """Say why a size does not fit a contender's device, or None if it does."""
    need = workload.memory_bytes(size, contender.dtype)
    if need <= room_bytes:
        return None
    return f"it needs {need / 1e9:.2g} GB, and {contender.device} has {room_bytes / 1e9:.2g} GB"


def _unstable(samples: Sequence[Sequence[float]]) -> bool:
    return max(statistics.spread(samples), statistics.drift(samples)) > statistics.UNSTABLE_SPREAD


def _check_contender(workload: Workload, contender: Contender) -> None:
    if contender.dtype not in workload.dtypes:
        known = ", ".join(workload.dtypes)
        raise SettingsError("contenders", f"{workload.title} does not work in {contender.dtype}.", todo=f"Use {known}.")
    if contender.threads is not None and (contender.device[:3] != "CPU" or not 1 <= contender.threads <= 1024):
        raise SettingsError("contenders", f"{contender.name}: threads are for a CPU, from 1 on.")


def _option(text: str, option: str) -> dict[str, object]:
    if option in ITEM_BYTES:
        return {"dtype": option}
    if option in ("xla", "tf32=on", "tf32=off"):
        return {"xla": True} if option == "xla" else {"tf32": option == "tf32=on"}
    threads = re.fullmatch(r"threads=(\d{1,4})", option, re.ASCII)
    if not threads:
        raise _not_understood(text)
    return {"threads": int(threads[1])}


def _not_understood(text: str) -> SettingsError:
    return SettingsError(
        "contenders",
        f"“{text[:40]}” is not a contender.",
        todo="Use cpu, gpu:1, cpu:threads=1, gpu:0:float16, gpu:0:xla or gpu:0:tf32=off.",
    )
