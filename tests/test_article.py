from __future__ import annotations

import dataclasses

import pytest

from tests.test_devices import WHY, inventory
from tfcore import article
from tfcore.article import DeviceRun, Rate
from tfcore.devices import LogicalDevice
from tfcore.placement import Executed


def run(name: str, median_s: float, total: float = 1000.0, simulated: bool = False) -> DeviceRun:
    device = LogicalDevice(f"/device:{name}", name.split(":")[0], WHY, WHY, simulated)
    return DeviceRun(device, 1000, median_s * 2, (median_s,), total, ())


def rate(name: str, size: int, seconds: float) -> Rate:
    """A device whose time grows with the cube of the size alone."""
    return Rate(name, size, seconds, seconds / 8)


def test_two_passes_tell_the_square_and_the_cube_apart():
    def took(size: int) -> float:
        return 3e-8 * size**2 + 2e-11 * size**3

    measured = Rate("CPU:0", 2000, took(2000), took(1000))
    assert article.seconds(measured, 10_000) == pytest.approx(took(10_000))


@pytest.mark.parametrize("half", [0.001, 0.4])
def test_noise_that_hides_a_share_still_gives_a_prediction_between_square_and_cube(half):
    predicted = article.seconds(Rate("CPU:0", 1000, 0.5, half), 2000)
    assert 0.5 * 4 <= predicted <= 0.5 * 8


def test_the_chosen_size_keeps_the_slowest_device_within_seconds():
    rates = [rate("GPU:0", 4000, 0.001), rate("CPU:0", 1000, 0.3)]
    size = article.fitting_size(rates, inventory(1, 0))
    assert size == 2000
    assert article.seconds(rates[1], size) <= article.SLOWEST_S


def test_a_slow_machine_still_gets_a_size():
    assert article.fitting_size([rate("CPU:0", 250, 60.0)], inventory(0, 0)) == article.SIZES[0]


def test_the_chosen_size_fits_the_smallest_device():
    fast = [rate("CPU:0", 4000, 0.0001)]
    assert article.memory_bytes(article.fitting_size(fast, inventory(1, 1))) <= 1024 * 2**20


def test_an_estimate_names_the_devices_that_are_too_small():
    estimate = article.estimate(article.Settings(), 10_000, [rate("CPU:0", 1000, 0.1)], inventory(1, 1))
    assert estimate.seconds == {"CPU:0": pytest.approx(100.0)}
    assert list(estimate.too_large) == ["GPU:0"]
    assert "1.6 GB" in estimate.too_large["GPU:0"]


def test_a_faster_gpu_is_said_to_be_faster():
    said = article.speedup_sentence([run("CPU:0", 4.5), run("GPU:0", 0.1), run("GPU:1", 0.09)])
    assert said == "GPU:1 took 90 ms where CPU:0 took 4.5 s: 50 times as fast."


def test_a_slower_gpu_is_not_said_to_be_faster():
    said = article.speedup_sentence([run("CPU:0", 0.01), run("GPU:0", 0.04)])
    assert "the CPU was 4 times as fast" in said


def test_devices_that_disagree_get_no_speedup():
    said = article.speedup_sentence([run("CPU:0", 4.5, total=1000.0), run("GPU:0", 0.1, total=0.0)])
    assert said == "The devices do not agree on the result, so no speedup is stated."


def test_a_result_that_is_not_a_number_gets_no_speedup():
    said = article.speedup_sentence([run("CPU:0", 4.5), run("GPU:0", 0.1, total=float("nan"))])
    assert "no speedup is stated" in said


def test_a_simulated_gpu_gets_neither_time_nor_speedup():
    said = article.speedup_sentence([run("CPU:0", 4.5), run("GPU:0", 0.1, simulated=True)])
    assert said == "A simulated GPU computes nothing, so no time of it and no speedup is stated."


def test_one_device_has_nothing_to_be_compared_with():
    assert "nothing to compare" in article.speedup_sentence([run("CPU:0", 4.5)])


def test_logical_cpus_are_not_expected_to_differ():
    assert "share the same processor" in article.speedup_sentence([run("CPU:0", 1.0), run("CPU:1", 1.1)])


def test_work_that_soft_placement_moved_gets_no_speedup():
    moved = dataclasses.replace(run("GPU:0", 0.1), operations=(Executed("MatMul", "CPU:0"),))
    said = article.speedup_sentence([run("CPU:0", 4.5), moved])
    assert said == "The work of GPU:0 ran on another device, so no speedup is stated."


@pytest.mark.parametrize(
    ("ratio", "said"), [(1600.4, "1,600 times"), (99.6, "100 times"), (47.04, "47 times"), (0.5, "0.5 times")]
)
def test_ratios_read_as_people_say_them(ratio, said):
    assert article.in_times(ratio) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0349, "34.9 ms"),
        (0.9997, "1.0 s"),
        (9.97, "10 s"),
        (0.9994, "999 ms"),
        (2.44, "2.4 s"),
        (47.8, "48 s"),
        (600.0, "10 min"),
        (1e-5, "0.01 ms"),
    ],
)
def test_durations_read_as_people_say_them(value, said):
    assert article.in_seconds(value) == said


def test_the_median_is_of_the_samples_alone():
    several = dataclasses.replace(run("CPU:0", 1.0), samples_s=(3.0, 1.0, 2.0), first_call_s=99.0)
    assert several.median_s == 2.0
