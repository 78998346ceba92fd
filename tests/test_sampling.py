"""Sampling on a clock that the test sets: nothing here waits."""

from __future__ import annotations

import random

import pytest

from tfcore.sampling import SHORTEST_SAMPLE_S, Limits, sample


class Device:
    """Takes so long for each call; the clock stands still otherwise."""

    def __init__(self, *calls: float, noise: float = 0.0, synchronising: float = 30e-6) -> None:
        self.now = 0.0
        self.calls = list(calls)
        self.count = 0
        self._noise = random.Random(1)
        self._spread = noise
        self._synchronising = synchronising

    def call(self) -> None:
        taken = self.calls.pop(0) if len(self.calls) > 1 else self.calls[0]
        self.now += taken * self._noise.lognormvariate(0, self._spread) if self._spread else taken
        self.count += 1

    def synchronise(self) -> None:
        self.now += self._synchronising

    def sampled(self, budget_s: float, fewest: int = 10, half_width: float = 0.02):
        return sample(self.call, self.synchronise, lambda: self.now, Limits(budget_s, fewest, half_width))


def test_calls_that_grow_faster_are_warm_up_and_those_that_are_steady_are_samples():
    found = Device(1.0, 0.5, 0.2, 0.1).sampled(budget_s=3.0)
    assert found.warm_up_s == pytest.approx((1.0, 0.5, 0.2), rel=0.01)
    assert found.samples_s == pytest.approx((0.1,) * len(found.samples_s), rel=0.01)


def test_steady_calls_lose_none_to_warm_up():
    found = Device(0.1).sampled(budget_s=10)
    assert found.warm_up_s == ()
    assert len(found.samples_s) == 10


def test_tiny_calls_are_batched_until_clock_and_synchronisation_no_longer_count():
    found = Device(100e-6).sampled(budget_s=1)
    assert found.batch * 100e-6 >= SHORTEST_SAMPLE_S * 0.7
    assert found.samples_s[0] == pytest.approx(100e-6, rel=0.02)


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("call", [1e-5, 1e-3, 0.3, 2.0, 50.0])
def test_the_budget_is_never_exceeded_by_more_than_one_sample(call, noise):
    device = Device(call, noise=noise)
    found = device.sampled(budget_s=1.0, fewest=1000)
    longest = max(found.samples_s) * found.batch
    assert device.now <= 1.0 + longest * 1.01 + 1e-3
    assert found.samples_s


def test_steady_work_stops_early_and_unsteady_work_goes_on():
    assert len(Device(0.01).sampled(budget_s=100).samples_s) == 10
    assert len(Device(0.01, noise=0.2).sampled(budget_s=100).samples_s) > 50


def test_at_least_the_fewest_samples_are_taken_where_the_budget_allows():
    assert len(Device(0.01).sampled(budget_s=100, fewest=25).samples_s) == 25


def test_a_few_lucky_samples_in_a_row_do_not_end_it_before_the_least_time():
    device = Device(0.01)
    found = sample(device.call, device.synchronise, lambda: device.now, Limits(100, 4, 0.02, least_s=0.4))
    assert 0.4 <= sum(found.samples_s) <= 0.42
