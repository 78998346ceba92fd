"""The statistics keep their word on distributions whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from tfcore import statistics

RUNS = 1_000
SHAPES = {
    "log-normal": lambda generator, count: np.exp(generator.normal(0, 0.05, count)),
    "one-sided": lambda generator, count: 1 + generator.exponential(0.05, count),
}


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch):
    monkeypatch.setattr(statistics, "DRAWS", 600)


def rounds(generator, shape, scale=1.0, count=7, drift=(1.0,) * 5):
    return [scale * factor * SHAPES[shape](generator, count) for factor in drift]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [5, 10])
def test_the_interval_of_the_ratio_covers_the_truth_as_often_as_it_says(shape, count):
    generator = np.random.default_rng(7)
    covered = sum(
        statistics.ratio_interval(
            rounds(generator, shape, 3.0, count), rounds(generator, shape, 1.0, count), seed=run
        ).holds(3.0)
        for run in range(RUNS)
    )
    assert 0.93 <= covered / RUNS <= 0.97


@pytest.mark.parametrize("count", [3, 5, 8])
def test_what_differs_from_round_to_round_counts_as_noise(count):
    """Each round of each contender has a pace of its own, far apart beside the samples within it."""
    generator = np.random.default_rng(12)

    def paced(scale: float) -> list[np.ndarray]:
        return rounds(generator, "log-normal", scale, 20, np.exp(generator.normal(0, 0.1, count)))

    covered = sum(statistics.ratio_interval(paced(3.0), paced(1.0), seed=run).holds(3.0) for run in range(RUNS))
    assert 0.93 <= covered / RUNS <= 0.975


def test_one_round_alone_is_sure_of_nothing_but_a_large_difference():
    assert statistics.ratio_interval([[2.0, 2.0]], [[1.0, 1.0]]).holds(1.0)
    assert statistics.ratio_interval([[20.0]], [[1.0]]).low > 1


def test_drift_that_hits_both_alike_does_not_move_the_ratio():
    generator = np.random.default_rng(8)
    warming = (1.0, 1.1, 1.2, 1.3, 1.5)
    interval = statistics.ratio_interval(
        rounds(generator, "log-normal", 3.0, 40, warming), rounds(generator, "log-normal", 1.0, 40, warming)
    )
    assert interval.holds(3.0)
    assert statistics.drift(rounds(generator, "log-normal", 1.0, 40, warming)) > 0.3


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_are_called_different_in_at_most_one_run_of_twenty(shape):
    generator = np.random.default_rng(9)
    wrong = sum(
        not statistics.ratio_interval(
            rounds(generator, shape, count=10), rounds(generator, shape, count=10), seed=run
        ).holds(1.0)
        for run in range(RUNS)
    )
    assert wrong / RUNS <= 0.05


def test_the_spread_tells_steady_from_unsteady():
    generator = np.random.default_rng(10)
    steady = [np.exp(generator.normal(0, 0.02, 50))]
    unsteady = [np.exp(generator.normal(0, 0.3, 50))]
    assert statistics.spread(steady) < statistics.UNSTABLE_SPREAD < statistics.spread(unsteady)


def test_one_sample_of_one_round_has_an_interval_of_no_width():
    assert statistics.median_interval([[2.0]]) == statistics.Interval(2.0, 2.0)
