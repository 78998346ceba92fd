"""What may be said about what was measured: speedups or why there is none, crossovers, and warnings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tfcore import statistics
from tfcore.benchmark import FEWEST_SAMPLES, Benchmark, Point
from tfcore.contenders import Contender
from tfcore.devices import GpuState
from tfcore.statistics import Interval, Rounds


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
    for each in (contender, baseline):
        if operations := result.elsewhere(each):
            return Withheld(contender, size, f"Work of {each.name} ran on another device: {', '.join(operations)}.")
    if ours is None or theirs is None:
        return Withheld(contender, size, "One of the two was not measured at this size.")
    if not agree(ours, theirs):
        return Withheld(contender, size, "The results differ beyond what the number format allows.")
    return Speedup(
        contender,
        size,
        statistics.ratio(theirs.samples_s, ours.samples_s),
        _ratio_interval(theirs.samples_s, ours.samples_s),
        theirs.door_to_door_s / ours.door_to_door_s,
    )


def agree(one: Point, other: Point) -> bool:
    """Whether two points found the same numbers, within what their number formats allow."""
    tolerance = max(one.contender.tolerance, other.contender.tolerance)
    a, b = ([value for value in each.rounds[0].digest if value is not None] for each in (one, other))
    if not len(a) == len(b) == len(one.rounds[0].digest) == len(other.rounds[0].digest):
        return False  # a number that is not finite agrees with nothing
    largest = max((abs(value) for value in (*a, *b)), default=0.0)
    return all(abs(x - y) <= tolerance * largest for x, y in zip(a, b, strict=True))


def speedups(result: Benchmark, contender: Contender) -> tuple[Speedup, ...]:
    """Give the contender's speedup at each size at which one may be stated."""
    found = (compare(result, contender, size) for size in sorted(result.plan.sizes))
    return tuple(each for each in found if isinstance(each, Speedup))


def winning(result: Benchmark, contender: Contender) -> tuple[int, ...]:
    """Give the sizes from which on the contender is surely faster than the baseline; empty if never."""
    sure = []
    for size in sorted(result.plan.sizes, reverse=True):
        found = compare(result, contender, size)
        if not (isinstance(found, Speedup) and found.interval.low > 1):
            break
        sure.append(size)
    return tuple(reversed(sure))


def crossover(result: Benchmark, contender: Contender) -> float | None:
    """Give the size at which the contender begins to win for good, between two measured ones.

    None where it never does, or does at the smallest size already. Both axes are taken as logarithmic.
    """
    wins = winning(result, contender)
    found = {each.size: each.ratio for each in speedups(result, contender)}
    smaller = [size for size in found if wins and size < wins[0]]
    if not smaller:
        return None
    (n0, r0), (n1, r1) = (smaller[-1], found[smaller[-1]]), (wins[0], found[wins[0]])
    share = 0.0 if r0 >= 1 else -math.log(r0) / (math.log(r1) - math.log(r0))
    return math.exp(math.log(n0) + share * (math.log(n1) - math.log(n0)))


def warnings(point: Point, half_width: float, simulated: bool, baseline: Point | None = None) -> tuple[str, ...]:
    """Say what a reader has to know before trusting a point."""
    if simulated:
        return ("simulated device: no time of it means anything",)
    samples, count = point.samples_s, sum(map(len, point.samples_s))
    sampled_s = sum(each.measured_s for each in point.rounds)
    found = {
        "budget too short for ten samples": count < FEWEST_SAMPLES,
        "unstable: samples differ by more than 10 %": count > 1 and _unstable(samples),
        f"the median is known to no better than {half_width * 100:g} %": point.interval_s.half_width > half_width,
        "first call dominates: it took longer than all samples": point.rounds[0].first_call_s > sampled_s,
        "its numbers differ from the baseline’s beyond what the number format allows": baseline is not None
        and not agree(point, baseline),
        **_gpu_warnings([state for each in point.rounds for state in each.gpu]),
    }
    return tuple(text for text, holds in found.items() if holds)


def _gpu_warnings(states: Sequence[GpuState]) -> dict[str, bool]:
    clocks = [state.clock_mhz for state in states if isinstance(state.clock_mhz, int)]
    throttles = sorted({reason for state in states for reason in state.throttled})
    return {
        "clock of the GPU fell by more than 10 % during the run": bool(clocks) and min(clocks) < 0.9 * max(clocks),
        "throttled: " + ", ".join(throttles): bool(throttles),
        "other processes used the device": any(state.other_processes for state in states),
    }


@lru_cache(maxsize=512)
def _ratio_interval(above: Rounds, below: Rounds) -> Interval:
    """Remember intervals: a page draws the same ones again and again."""
    return statistics.ratio_interval(above, below)


def _unstable(samples: Sequence[Sequence[float]]) -> bool:
    return max(statistics.spread(samples), statistics.drift(samples)) > statistics.UNSTABLE_SPREAD
