from __future__ import annotations

import dataclasses

import pytest

from tests.test_benchmark import CPU, GPU, a_point, a_result, a_round
from tests.test_devices import WHY
from tfcore import comparison
from tfcore.benchmark import Placed, Point
from tfcore.comparison import Speedup, Withheld
from tfcore.contenders import Contender
from tfcore.devices import GpuState
from tfcore.placement import Executed


def state(clock_mhz: int, throttled: tuple[str, ...] = (), others: int = 0) -> GpuState:
    return GpuState(clock_mhz, WHY, throttled, others)


def test_a_faster_contender_has_a_speedup_with_an_interval_and_one_door_to_door():
    found = comparison.compare(a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 0.1)), GPU, 100)
    assert isinstance(found, Speedup)
    assert found.ratio == pytest.approx(10)
    assert found.interval.holds(10)
    assert found.is_sure
    assert found.door_to_door == pytest.approx(1.003 / 0.103)


def test_equals_are_not_called_different():
    found = comparison.compare(a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 1.0)), GPU, 100)
    assert isinstance(found, Speedup)
    assert not found.is_sure


@pytest.mark.parametrize("digest", [(0.0, 0.0, 0.0), (1.0, 2.0, None), (1.0, 2.0), (1.0, 2.02, 1.51)])
def test_a_wrong_result_yields_no_speedup(digest):
    wrong = a_point(GPU, 100, 0.1, digest=digest)
    found = comparison.compare(a_result(a_point(CPU, 100, 1.0), wrong), GPU, 100)
    assert isinstance(found, Withheld)
    assert "differ" in found.reason


def test_a_coarse_number_format_is_judged_by_its_own_tolerance():
    half = Contender("GPU:0", "float16")
    rounded = a_point(half, 100, 0.1, digest=(1.01, 2.0, 1.51))
    assert isinstance(comparison.compare(a_result(a_point(CPU, 100, 1.0), rounded), half, 100), Speedup)


def test_a_simulated_gpu_yields_no_speedup():
    found = comparison.compare(a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 0.1), simulated=True), GPU, 100)
    assert isinstance(found, Withheld)
    assert "simulated" in found.reason


def test_what_was_not_measured_is_not_compared():
    found = comparison.compare(a_result(a_point(CPU, 100, 1.0), a_point(GPU, 200, 0.1)), GPU, 100)
    assert isinstance(found, Withheld)


def test_the_crossover_is_where_the_contender_wins_for_good():
    times = {10: (1.0, 3.0), 20: (2.0, 1.0), 30: (3.0, 3.0), 40: (4.0, 1.0), 50: (9.0, 1.0)}
    points = [p for n, (c, g) in times.items() for p in (a_point(CPU, n, c), a_point(GPU, n, g))]
    assert comparison.winning(a_result(*points), GPU) == (40, 50)


def test_the_crossover_lies_between_the_sizes_where_it_was_passed():
    times = {100: (1.0, 2.0), 400: (2.0, 1.0)}
    result = a_result(*(p for n, (c, g) in times.items() for p in (a_point(CPU, n, c), a_point(GPU, n, g))))
    assert comparison.crossover(result, GPU) == pytest.approx(200)


def test_what_wins_at_every_size_has_no_crossover():
    result = a_result(a_point(CPU, 10, 2.0), a_point(GPU, 10, 1.0))
    assert comparison.winning(result, GPU) == (10,)
    assert comparison.crossover(result, GPU) is None


def test_there_may_be_no_winner():
    assert comparison.crossover(a_result(a_point(CPU, 10, 1.0), a_point(GPU, 10, 2.0)), GPU) is None
    assert comparison.winning(a_result(a_point(CPU, 10, 1.0), a_point(GPU, 10, 2.0)), GPU) == ()


@pytest.mark.parametrize(
    ("point", "said"),
    [
        (Point(CPU, 1, (a_round(1, 1.0, 1.0),)), "budget too short"),
        (Point(CPU, 1, (a_round(1, *([1.0, 2.0] * 8)),)), "unstable"),
        (Point(CPU, 1, (a_round(1, *[1.0] * 8), a_round(1, *[1.3] * 8))), "unstable"),
        (Point(CPU, 1, (a_round(1, *[1.0] * 16, first_call_s=60.0),)), "first call dominates"),
        (Point(GPU, 1, (a_round(1, *[1.0] * 16, gpu=(state(1900), state(1500))),)), "clock of the GPU fell"),
        (Point(GPU, 1, (a_round(1, *[1.0] * 16, gpu=(state(1900, ("power limit",)),)),)), "throttled: power limit"),
        (Point(GPU, 1, (a_round(1, *[1.0] * 16, gpu=(state(1900, others=1),)),)), "other processes"),
    ],
)
def test_each_warning_is_raised_by_its_cause_alone(point, said):
    assert [warning for warning in comparison.warnings(point, 0.02, simulated=False) if said in warning]
    calm = Point(CPU, 1, (a_round(1, *[1.0] * 16),))
    assert comparison.warnings(calm, 0.02, simulated=False) == ()


def test_a_simulated_device_has_that_warning_and_no_other():
    point = Point(GPU, 1, (a_round(1, *([1.0, 2.0] * 8)),))
    assert comparison.warnings(point, 0.02, simulated=True) == ("simulated device: no time of it means anything",)


def test_numbers_that_differ_are_warned_of_on_the_point_itself():
    wrong, right = a_point(GPU, 1, 0.1, digest=(9.0, 9.0, 9.0)), a_point(CPU, 1, 1.0)
    assert any("numbers differ" in said for said in comparison.warnings(wrong, 0.02, False, right))
    assert not any("numbers differ" in said for said in comparison.warnings(right, 0.02, False, right))


def test_work_that_ran_on_another_device_is_not_compared():
    result = a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 0.1))
    moved = dataclasses.replace(result, placed=(Placed(GPU, 100, (Executed("FFT2D", "CPU:0"),)),))
    found = comparison.compare(moved, GPU, 100)
    assert isinstance(found, Withheld)
    assert found.reason == "Work of GPU:0 ran on another device: FFT2D."
