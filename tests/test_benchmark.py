from __future__ import annotations

import dataclasses

import pytest

from tests.test_devices import WHY, inventory
from tfcore import benchmark
from tfcore.benchmark import Benchmark, Contender, Environment, Plan, Point, Round, Speedup, Withheld
from tfcore.errors import SettingsError
from tfcore.settings import Settings
from tfcore.workloads import WORKLOADS

CPU, GPU = Contender("CPU:0"), Contender("GPU:0")


def a_round(size: int, *samples_s: float, **changes: object) -> Round:
    fixed = Round(
        size=size, data_s=0.1, copy_in_s=0.002, dispatched_s=0.001, first_call_s=samples_s[0], warm_up_s=(),
        samples_s=samples_s, batch=1, copy_out_s=0.001, digest=(1.0, 2.0, 1.5), peak_bytes=WHY,
    )  # fmt: skip
    return dataclasses.replace(fixed, **changes)


def a_point(contender: Contender, size: int, seconds: float, **changes: object) -> Point:
    samples = [seconds * factor for factor in (0.99, 1.0, 1.0, 1.01)]
    return Point(contender, size, tuple(a_round(size, *samples, **changes) for _ in range(3)))


def a_result(*points: Point, simulated: bool = False) -> Benchmark:
    found = inventory(1, 1, "Simulated GPU" if simulated else "Some GPU")
    devices = tuple(dataclasses.replace(d, simulated=simulated and d.type == "GPU") for d in found.logical)
    contenders = tuple(dict.fromkeys(point.contender for point in points))
    sizes = tuple(sorted({point.size for point in points}))
    environment = Environment(
        Settings(), found.software, found.computer, devices, ("a CPU", "a GPU"), "2026-01-01T00:00:00+00:00"
    )
    return Benchmark(Plan("matmul", sizes, contenders), environment, points)


def test_a_faster_contender_has_a_speedup_with_an_interval_and_one_door_to_door():
    found = benchmark.compare(a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 0.1)), GPU, 100)
    assert isinstance(found, Speedup)
    assert found.ratio == pytest.approx(10)
    assert found.interval.holds(10)
    assert found.is_sure
    assert found.door_to_door == pytest.approx(1.003 / 0.103)


def test_equals_are_not_called_different():
    found = benchmark.compare(a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 1.0)), GPU, 100)
    assert isinstance(found, Speedup)
    assert not found.is_sure


@pytest.mark.parametrize("digest", [(0.0, 0.0, 0.0), (1.0, 2.0, float("nan")), (1.0, 2.0), (1.0, 2.02, 1.51)])
def test_a_wrong_result_yields_no_speedup(digest):
    wrong = a_point(GPU, 100, 0.1, digest=digest)
    found = benchmark.compare(a_result(a_point(CPU, 100, 1.0), wrong), GPU, 100)
    assert isinstance(found, Withheld)
    assert "differ" in found.reason


def test_a_coarse_number_format_is_judged_by_its_own_tolerance():
    half = Contender("GPU:0", "float16")
    rounded = a_point(half, 100, 0.1, digest=(1.01, 2.0, 1.51))
    assert isinstance(benchmark.compare(a_result(a_point(CPU, 100, 1.0), rounded), half, 100), Speedup)


def test_a_simulated_gpu_yields_no_speedup():
    found = benchmark.compare(a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 0.1), simulated=True), GPU, 100)
    assert isinstance(found, Withheld)
    assert "simulated" in found.reason


def test_what_was_not_measured_is_not_compared():
    found = benchmark.compare(a_result(a_point(CPU, 100, 1.0), a_point(GPU, 200, 0.1)), GPU, 100)
    assert isinstance(found, Withheld)


def test_the_crossover_is_where_the_contender_wins_for_good():
    times = {10: (1.0, 3.0), 20: (2.0, 1.0), 30: (3.0, 3.0), 40: (4.0, 1.0), 50: (9.0, 1.0)}
    points = [p for n, (c, g) in times.items() for p in (a_point(CPU, n, c), a_point(GPU, n, g))]
    assert benchmark.crossover(a_result(*points), GPU) == (40, 50)


def test_there_may_be_no_winner():
    assert benchmark.crossover(a_result(a_point(CPU, 10, 1.0), a_point(GPU, 10, 2.0)), GPU) == ()


@pytest.mark.parametrize(
    ("point", "said"),
    [
        (Point(CPU, 1, (a_round(1, 1.0, 1.0),)), "budget too short"),
        (Point(CPU, 1, (a_round(1, *([1.0, 2.0] * 8)),)), "unstable"),
        (Point(CPU, 1, (a_round(1, *[1.0] * 8), a_round(1, *[1.3] * 8))), "unstable"),
        (Point(CPU, 1, (a_round(1, *[1.0] * 16, first_call_s=60.0),)), "first call dominates"),
        (Point(GPU, 1, (a_round(1, *[1.0] * 16, clock_mhz=(1900, 1500)),)), "clock of the GPU fell"),
        (Point(GPU, 1, (a_round(1, *[1.0] * 16, throttled="power"),)), "throttled: power"),
        (Point(GPU, 1, (a_round(1, *[1.0] * 16, others=1),)), "other processes"),
    ],
)
def test_each_warning_is_raised_by_its_cause_alone(point, said):
    assert [warning for warning in benchmark.warnings(point, 0.02, simulated=False) if said in warning]
    calm = Point(CPU, 1, (a_round(1, *[1.0] * 16),))
    assert benchmark.warnings(calm, 0.02, simulated=False) == ()


def test_a_simulated_device_has_that_warning_and_no_other():
    point = Point(GPU, 1, (a_round(1, *([1.0, 2.0] * 8)),))
    assert benchmark.warnings(point, 0.02, simulated=True) == ("simulated device: no time of it means anything",)


@pytest.mark.parametrize(
    ("text", "contender"),
    [
        ("cpu", Contender("CPU:0")),
        ("CPU:1", Contender("CPU:1")),
        ("cpu:threads=1", Contender("CPU:0", threads=1)),
        ("gpu:0:float16", Contender("GPU:0", "float16")),
        ("gpu:1:xla:tf32=off", Contender("GPU:1", xla=True, tf32=False)),
        ("gpu:bfloat16", Contender("GPU:0", "bfloat16")),
    ],
)
def test_contenders_are_written_briefly(text, contender):
    assert benchmark.parse_contender(text) == contender


@pytest.mark.parametrize("text", ["", "tpu", "cpu:threads=x", "gpu:0:int8", "cpu:threads=-1", "gpu:999", "cpu:0:0"])
def test_what_is_no_contender_is_refused_with_examples(text):
    with pytest.raises(SettingsError, match="cpu:threads=1"):
        benchmark.parse_contender(text)


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        (Plan("nothing", (1,), (CPU,)), "workload"),
        (Plan("matmul", (), (CPU,)), "sizes"),
        (Plan("matmul", (0,), (CPU,)), "sizes"),
        (Plan("matmul", (10**9,), (CPU,)), "sizes"),
        (Plan("matmul", (1,), ()), "contenders"),
        (Plan("matmul", (1,), (CPU, CPU)), "contenders"),
        (Plan("matmul", (1,), (CPU,), budget_s=0), "budget"),
        (Plan("matmul", (1,), (CPU,), budget_s=float("nan")), "budget"),
        (Plan("article", (1,), (Contender(dtype="float16"),)), "contenders"),
        (Plan("matmul", (1,), (Contender("GPU:0", threads=2),)), "contenders"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused_by_the_field(plan, field):
    with pytest.raises(SettingsError) as caught:
        benchmark.check(plan)
    assert caught.value.field == field


def test_without_a_gpu_one_core_is_set_against_all():
    assert benchmark.default_contenders(inventory(0, 0).logical, 4) == (Contender(threads=1), Contender())
    assert benchmark.default_contenders(inventory(0, 0).logical, 1) == (Contender(),)
    assert benchmark.default_contenders(inventory(1, 1).logical, 4) == (CPU, GPU)


def test_a_size_that_does_not_fit_says_so_with_the_numbers():
    reason = benchmark.too_large(WORKLOADS["matmul"], GPU, 20_000, 2**30)
    assert reason == "it needs 4.8 GB, and GPU:0 has 1.1 GB"
    assert benchmark.too_large(WORKLOADS["matmul"], GPU, 1_000, 2**30) is None
