"""How one point is sampled: warm-up, batching of what is too short to time, and when to stop.

Knows neither TensorFlow nor a real clock. Sources: torch.utils.benchmark and NVBench, whose rules these are.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass

SHORTEST_SAMPLE_S = 0.005  # 100 times what synchronising a device costs
STEADY = 0.10
MOST_WARM_UPS = 5
MOST_SAMPLES = 400

Call = Callable[[], None]
Clock = Callable[[], float]


@dataclass(frozen=True)
class Limits:
    """When to stop: `budget_s` seconds, or sooner once `fewest` samples lie close enough together.

    Never before `least_s`, as in NVBench: a few lucky samples in a row do not make a steady device.
    """

    budget_s: float
    fewest: int
    half_width: float
    least_s: float = 0.0


@dataclass(frozen=True)
class Sampled:
    """What was measured after the first call: seconds for one call each; a sample is the mean of `batch` calls."""

    warm_up_s: tuple[float, ...]
    samples_s: tuple[float, ...]
    batch: int


def sample(call: Call, synchronise: Call, clock: Clock, limits: Limits) -> Sampled:
    """Time a call again and again. The budget is never exceeded by more than one sample."""
    began = clock()
    single = _warm_up(lambda: _timed(call, synchronise, clock, 1), lambda: clock() - began, limits)
    batch = max(1, math.ceil(SHORTEST_SAMPLE_S / max(single[-1], 1e-9)))
    warm_ups, samples = _split(single) if batch == 1 else (single, [])
    while len(samples) < MOST_SAMPLES and (clock() - began < limits.least_s or not _is_enough(samples, limits)):
        if samples and clock() - began + samples[-1] * batch > limits.budget_s:
            break
        samples.append(_timed(call, synchronise, clock, batch))
    return Sampled(tuple(warm_ups), tuple(samples), batch)


def _timed(call: Call, synchronise: Call, clock: Clock, times: int) -> float:
    """Give the seconds of one call, as the mean of so many, with the device idle before and after."""
    synchronise()
    began = clock()
    for _ in range(times):
        call()
    synchronise()
    return (clock() - began) / times


def _warm_up(timed: Clock, spent: Clock, limits: Limits) -> list[float]:
    """Call until two calls in a row take about the same."""
    taken = [timed()]
    while len(taken) < MOST_WARM_UPS and spent() + taken[-1] <= limits.budget_s:
        taken.append(timed())
        if abs(taken[-1] - taken[-2]) <= STEADY * taken[-2]:
            break
    return taken


def _split(taken: list[float]) -> tuple[list[float], list[float]]:
    """Part the calls that warmed up from those that were steady already, which are samples."""
    steady = 2 if len(taken) > 1 and abs(taken[-1] - taken[-2]) <= STEADY * taken[-2] else 1
    return taken[:-steady], taken[-steady:]


def _is_enough(samples: list[float], limits: Limits) -> bool:
    """Whether the median is known well enough: 1.57 quartile distances over the root of the count (McGill 1978)."""
    if len(samples) < max(2, limits.fewest):
        return False
    low, _, high = statistics.quantiles(samples, n=4)
    return 1.57 * (high - low) / math.sqrt(len(samples)) <= limits.half_width * statistics.median(samples)
