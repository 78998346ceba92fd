"""What is to be measured, and what was: plans, rounds, points and the whole result."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from tfcore import statistics
from tfcore.contenders import Contender, check_contender
from tfcore.devices import Computer, GpuState, Inventory, LogicalDevice, Software, Unavailable
from tfcore.errors import SettingsError
from tfcore.placement import Executed
from tfcore.settings import Settings
from tfcore.statistics import Interval
from tfcore.wire import Task
from tfcore.workloads import WORKLOADS, Workload

DEFAULT_BUDGET_S = 6.0
HALF_WIDTH = 0.02
FEWEST_SAMPLES = 10
FEWEST_ROUNDS, MOST_ROUNDS = 5, 8
MOST_CONTENDERS = 8
MOST_SIZE = 100_000
MOST_SIZES = 40
MOST_BUDGET_S = 3_600.0
SCHEMA = 1
KIND = "tensorflow-gpu-lab benchmark"


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
    """What one worker measures: one contender at some sizes, each with its share of the budget.

    A probe logs where operations run, which costs time, so nothing but a probe does. It ends with the first
    size whose call takes `enough_s`.
    """

    workload: str
    sizes: tuple[int, ...]
    contender: Contender
    budget_s: float
    fewest: int
    half_width: float
    pci_bus_id: str = ""
    probe: bool = False
    enough_s: float | None = None


@dataclass(frozen=True)
class Round:
    """What one worker measured at one size. All times in seconds, in the order in which they passed.

    `dispatched_s` is the first call without waiting for the device, `first_call_s` with. `digest` holds
    64 numbers of the result and the mean of all, None where one is infinite or not a number. A sample is
    the mean of `batch` calls. `gpu` is the state of the GPU before the first call and after the last.
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
    digest: tuple[float | None, ...]
    peak_bytes: int | Unavailable
    operations: tuple[Executed, ...] = ()
    gpu: tuple[GpuState, ...] = ()

    @property
    def measured_s(self) -> float:
        """The time that went into warm-up and samples."""
        return sum(self.warm_up_s) + sum(self.samples_s) * self.batch

    @property
    def call_s(self) -> float:
        """About how long one call takes."""
        return statistics.median([self.samples_s])


@dataclass(frozen=True)
class RoundResult:
    """All rounds of one worker, one for each size."""

    rounds: tuple[Round, ...]


ROUND = Task("benchmark", RoundPlan, RoundResult, part=Round)


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
        return _median_interval(self.samples_s)

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
class Placed:
    """Where a contender's operations ran in one call, from TensorFlow's placement log."""

    contender: Contender
    size: int
    operations: tuple[Executed, ...]

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The operations that ran on another device than the contender's."""
        return tuple(dict.fromkeys(o.op for o in self.operations if o.device != self.contender.device))


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
    placed: tuple[Placed, ...] = ()
    partial: bool = False
    schema: int = SCHEMA
    kind: str = field(default=KIND)

    def point(self, contender: Contender, size: int) -> Point | None:
        """The point of one contender at one size, if it was measured."""
        found = (point for point in self.points if (point.contender, point.size) == (contender, size))
        return next(found, None)

    def is_simulated(self, contender: Contender) -> bool:
        """Whether no hardware stands behind the contender."""
        return any(d.simulated for d in self.environment.devices if d.short_name == contender.device)

    def elsewhere(self, contender: Contender) -> tuple[str, ...]:
        """The contender's operations that ran on another device than its own."""
        return next((each.elsewhere for each in self.placed if each.contender == contender), ())


@lru_cache(maxsize=512)
def _median_interval(samples_s: tuple[tuple[float, ...], ...]) -> Interval:
    """Remember intervals: pages and rounds ask for the same ones again and again."""
    return statistics.median_interval(samples_s)


def throughput(workload: Workload, point: Point) -> float:
    """Give the work done in a second, in the workload's unit: 10**9 operations or bytes."""
    return workload.work(point.size, point.contender.dtype) / point.median_s / 1e9


def check(plan: Plan) -> None:
    """Raise SettingsError if a plan cannot be meant."""
    workload = WORKLOADS.get(plan.workload)
    if workload is None:
        raise SettingsError(
            "workload", f"“{plan.workload[:40]}” is not a workload.", todo=f"Use {', '.join(WORKLOADS)}."
        )
    if not 1 <= len(plan.sizes) <= MOST_SIZES or any(not 1 <= size <= MOST_SIZE for size in plan.sizes):
        raise SettingsError(
            "sizes", "The sizes cannot be used.", todo=f"Use up to {MOST_SIZES} whole numbers from 1 to {MOST_SIZE:,}."
        )
    if not 1 <= len(set(plan.contenders)) <= MOST_CONTENDERS or len(set(plan.contenders)) != len(plan.contenders):
        raise SettingsError(
            "contenders", "The contenders cannot be used.", todo=f"Name 1 to {MOST_CONTENDERS} different ones."
        )
    if not 0 < plan.budget_s <= MOST_BUDGET_S:
        raise SettingsError(
            "budget",
            f"{plan.budget_s:,.15g} s cannot be a budget.",
            todo=f"Use more than 0 and up to {MOST_BUDGET_S:,g} s.",
        )
    for contender in plan.contenders:
        check_contender(workload, contender)


def too_large(workload: Workload, contender: Contender, size: int, inventory: Inventory) -> str | None:
    """Say why a size does not fit a contender's device or the computer, or None if it does."""
    need = workload.memory_bytes(size, contender.dtype)
    room, host = inventory.room_bytes(contender.device), inventory.computer.available_memory_bytes
    if need > room:
        return f"it needs {need / 1e9:.2g} GB, and {contender.device} has {room / 1e9:.2g} GB"
    if workload.data_on_host and need > host:
        return f"its data needs {need / 1e9:.2g} GB, and this computer has {host / 1e9:.2g} GB free"
    return None


def left_out(inventory: Inventory, plan: Plan) -> tuple[LeftOut, ...]:
    """Name each size that does not fit a contender."""
    workload = WORKLOADS[plan.workload]
    return tuple(
        LeftOut(contender, size, reason)
        for contender in plan.contenders
        for size in plan.sizes
        if (reason := too_large(workload, contender, size, inventory))
    )
