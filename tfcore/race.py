"""The race: the benchmark's engine for people who only want to see. What moves has always been measured."""

from __future__ import annotations

from dataclasses import dataclass

from tfcore.benchmark import Benchmark, Plan
from tfcore.comparison import Speedup, compare
from tfcore.contenders import Contender, default_contenders
from tfcore.devices import Inventory
from tfcore.words import in_seconds, in_times
from tfcore.workloads import Workload

SHOWN_S = 8.0
BUDGET_S = 3.0


@dataclass(frozen=True)
class Job:
    """A job that anyone can picture. `otherwise` says for which jobs the race would end differently."""

    title: str
    workload: str
    size: int
    otherwise: str


LARGE_WINS = "With a tiny job it may be the other way round: getting ready then takes longer than the work."
JOBS = (
    Job("Multiply two large tables", "matmul", 2_048, LARGE_WINS),
    Job("Multiply two tiny tables", "matmul", 64, "With large tables it may be the other way round: they keep every "
        "part of a fast device busy, and getting ready no longer counts."),
    Job("Look at pictures", "convolution", 128, LARGE_WINS),
    Job("Give a neural network a lesson", "dense_step", 1_024, "With only a few examples in a lesson it may be the "
        "other way round: there is too little to share out."),
    Job("Add two tables, number by number", "elementwise", 4_096, "This job is mostly carrying, so fast memory wins. "
        "A job with more thinking in it, such as multiplying tables, spreads the field further."),
)  # fmt: skip
TITLES = {job.title: job for job in JOBS}


@dataclass(frozen=True)
class Lane:
    """One contender's lane. It takes `shown_s` on the screen for what took `measured_s`."""

    name: str
    measured_s: float
    shown_s: float
    finished: float


@dataclass(frozen=True)
class Race:
    """Lanes with what is said of them; or no lanes and the reason."""

    lanes: tuple[Lane, ...]
    sentence: str
    scale: str = ""


def race_plan(job: Job, inventory: Inventory) -> Plan:
    """Plan a race between the first GPU and the CPU, or between one core and all."""
    contenders = default_contenders(inventory.logical, inventory.computer.logical_cores)
    return Plan(job.workload, (job.size,), contenders, BUDGET_S)


def race(result: Benchmark, size: int) -> Race:
    """Make a race of a result at one size, or say why there is none to be seen."""
    for contender in result.plan.contenders[1:]:
        found = compare(result, contender, size)
        if not isinstance(found, Speedup):
            return Race((), found.reason)
    points = [point for each in result.plan.contenders if (point := result.point(each, size))]
    if any(result.is_simulated(point.contender) for point in points):
        return Race((), "A simulated GPU computes nothing, so there is no race.")
    if len(points) < 2:
        return Race((), "Nobody to race against: there is one contender alone.")
    slowest = max(point.median_s for point in points)
    stretch = SHOWN_S / slowest
    lanes = tuple(
        Lane(lay_name(result, p.contender), p.median_s, p.median_s * stretch, slowest / p.median_s) for p in points
    )
    return Race(lanes, _sentence(result, size, lanes), _scale(stretch))


def lay_name(result: Benchmark, contender: Contender) -> str:
    """Name a contender for people who do not program."""
    kind, index = contender.device.split(":")
    several = sum(d.type == kind for d in result.environment.devices) > 1
    name = f"{kind} {index}" if several else kind
    if contender.threads == 1:
        name = f"One core of the {name}"
    elif contender.threads:
        name = f"{contender.threads} cores of the {name}"
    elif any(other.threads for other in result.plan.contenders if other.device == contender.device):
        name = f"All cores of the {name}"
    options = [contender.dtype if contender.dtype != "float32" else "", "XLA" if contender.xla else ""]
    return ", ".join(filter(None, (name, *options, "" if contender.tf32 else "no TF32")))


def size_in_words(workload: Workload, size: int) -> str:
    """Say a size with what it counts: "2,048 rows"."""
    return f"{size:,} {workload.size_means}"


def otherwise(result: Benchmark) -> str:
    """Say for which jobs a live race would have ended differently."""
    plan = result.plan
    return next((job.otherwise for job in JOBS if (job.workload, (job.size,)) == (plan.workload, plan.sizes)), "")


def _sentence(result: Benchmark, size: int, lanes: tuple[Lane, ...]) -> str:
    slow, fast = max(lanes, key=lambda lane: lane.measured_s), min(lanes, key=lambda lane: lane.measured_s)
    other = result.plan.contenders[-1]
    found = compare(result, other, size)
    if len(lanes) == 2 and isinstance(found, Speedup) and not found.is_sure:
        return f"A draw: {_in_a_sentence(slow.name)} and {_in_a_sentence(fast.name)} do not surely differ."
    first, last = _in_a_sentence(slow.name), _in_a_sentence(fast.name)
    return f"In the time {first} finished 1, {last} finished {_count(fast.finished)}."


def _in_a_sentence(name: str) -> str:
    return name[0].lower() + name[1:] if name.startswith(("One ", "All ")) else f"the {name}"


def _count(times: float) -> str:
    return f"{times:,.0f}" if times >= 9.95 else f"{times:.1f}".removesuffix(".0")


def _scale(stretch: float) -> str:
    if 0.8 <= stretch <= 1.25:
        return "Shown about as fast as it was."
    if stretch > 1:
        return f"Shown {in_times(stretch)} slower than it was: 1 second on the screen is {in_seconds(1 / stretch)}."
    return f"Shown {in_times(1 / stretch)} faster than it was: 1 second on the screen is {in_seconds(1 / stretch)}."
