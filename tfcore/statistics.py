"""Centre, interval and spread of samples that were taken in rounds.

The centre is the median of all samples. What differs from round to round — another process, another layout of
memory, another neighbour on the machine — is most of the noise, so intervals are bootstrapped over whole rounds,
and for a ratio over pairs of rounds, which drift that hits both alike does not widen. So few rounds make a
bootstrap too narrow; it is widened as Student's t asks for. Sources: Efron and Tibshirani, An Introduction to
the Bootstrap, chapters 12 and 13; Kalibera and Jones, Rigorous Benchmarking in Reasonable Time (2013).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Rounds = Sequence[Sequence[float]]

LEVEL = 0.95
DRAWS = 2_000
# Student's t for 96 %: medians of few samples are not quite normal, and 95 % is promised.
STUDENT = {1: 15.895, 2: 4.849, 3: 3.482, 4: 2.999, 5: 2.757, 6: 2.612, 7: 2.517, 8: 2.449, 9: 2.398}
NORMAL = 2.054
UNSTABLE_SPREAD = 0.10


@dataclass(frozen=True)
class Interval:
    """Where the truth lies with 95 % confidence."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the interval's width, relative to its middle."""
        middle = (self.low + self.high) / 2
        return (self.high - self.low) / 2 / middle if middle else 0.0

    def holds(self, value: float) -> bool:
        """Whether the value lies within."""
        return self.low <= value <= self.high


def median(rounds: Rounds) -> float:
    """Give the median of all samples of all rounds."""
    return float(np.median(np.concatenate([np.asarray(part, dtype=float) for part in rounds])))


def median_interval(rounds: Rounds, seed: int = 0) -> Interval:
    """Bootstrap the median. Of one round alone, its samples are all that is known."""
    if len(rounds) > 1:
        return _around(median(rounds), [math.log(median([part])) for part in rounds], seed)
    generator = np.random.default_rng(seed)
    samples = np.asarray(rounds[0], dtype=float)
    drawn = np.median(samples[generator.integers(0, len(samples), size=(DRAWS, len(samples)))], axis=1)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


def ratio(above: Rounds, below: Rounds) -> float:
    """Give the ratio of two contenders: the geometric mean over the pairs of rounds, of the ratio of their medians."""
    return math.exp(statistics.fmean(_log_ratios(above, below)))


def ratio_interval(above: Rounds, below: Rounds, seed: int = 0) -> Interval:
    """Bootstrap the ratio over the rounds that both have.

    One round tells nothing of how rounds differ, so that they differ by 10 % is assumed.
    """
    logs = _log_ratios(above, below)
    if len(logs) == 1:
        half = STUDENT[1] * UNSTABLE_SPREAD
        return Interval(math.exp(logs[0] - half), math.exp(logs[0] + half))
    return _around(ratio(above, below), logs, seed)


def spread(rounds: Rounds) -> float:
    """Give the distance between the quartiles, relative to the median."""
    low, middle, high = np.quantile(np.concatenate([np.asarray(part) for part in rounds]), [0.25, 0.5, 0.75])
    return float((high - low) / middle)


def drift(rounds: Rounds) -> float:
    """Give how far the rounds' own medians lie apart, relative to the median of all."""
    medians = [float(np.median(part)) for part in rounds]
    return (max(medians) - min(medians)) / median(rounds)


def _log_ratios(above: Rounds, below: Rounds) -> list[float]:
    return [math.log(median([one]) / median([other])) for one, other in zip(above, below, strict=False)]


def _around(centre: float, logs: Sequence[float], seed: int) -> Interval:
    """Lay the bootstrapped standard error of the mean, as many times as Student's t says, around the centre."""
    values, count = np.asarray(logs), len(logs)
    drawn = np.random.default_rng(seed).integers(0, count, size=(DRAWS, count))
    error = float(values[drawn].mean(axis=1).std()) * math.sqrt(count / (count - 1))
    half = STUDENT.get(count - 1, NORMAL) * error
    return Interval(centre * math.exp(-half), centre * math.exp(half))
