"""Centre, interval and spread of samples that were taken in rounds.

The centre is the median. Intervals are bootstrapped, drawing anew within each round, so that what a
round has in common does not count as noise of its samples. Source: Efron and Tibshirani, An
Introduction to the Bootstrap, chapter 13 (percentile intervals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rounds = Sequence[Sequence[float]]

LEVEL = 0.95
DRAWS = 2_000
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
    """Bootstrap the median."""
    return _quantiles(_medians(rounds, np.random.default_rng(seed)))


def ratio_interval(above: Rounds, below: Rounds, seed: int = 0) -> Interval:
    """Bootstrap the ratio of two medians."""
    generator = np.random.default_rng(seed)
    return _quantiles(_medians(above, generator) / _medians(below, generator))


def spread(rounds: Rounds) -> float:
    """Give the distance between the quartiles, relative to the median."""
    low, middle, high = np.quantile(np.concatenate([np.asarray(part) for part in rounds]), [0.25, 0.5, 0.75])
    return float((high - low) / middle)


def drift(rounds: Rounds) -> float:
    """Give how far the rounds' own medians lie apart, relative to the median of all."""
    medians = [float(np.median(part)) for part in rounds]
    return (max(medians) - min(medians)) / median(rounds)


def _medians(rounds: Rounds, generator: np.random.Generator) -> NDArray[np.float64]:
    """Draw each round's samples anew, and give the median of each draw."""
    drawn = []
    for part in rounds:
        samples = np.asarray(part, dtype=float)
        drawn.append(samples[generator.integers(0, len(samples), size=(DRAWS, len(samples)))])
    medians: NDArray[np.float64] = np.median(np.concatenate(drawn, axis=1), axis=1)
    return medians


def _quantiles(values: NDArray[np.float64]) -> Interval:
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))
