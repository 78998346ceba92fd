from __future__ import annotations

import dataclasses

import pytest

from tests.test_devices import WHY, inventory
from tfcore import benchmark
from tfcore.benchmark import Benchmark, Environment, Plan, Point, Round
from tfcore.contenders import Contender
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


def test_a_size_that_does_not_fit_says_so_with_the_numbers():
    found = inventory(1, 1)
    matmul = WORKLOADS["matmul"]
    assert benchmark.too_large(matmul, GPU, 20_000, found) == "it needs 4.8 GB, and GPU:0 has 1.1 GB"
    assert benchmark.too_large(matmul, GPU, 1_000, found) is None


def test_a_size_whose_data_does_not_fit_the_computer_says_so():
    found = inventory(1, 1)
    small = dataclasses.replace(found, computer=dataclasses.replace(found.computer, available_memory_bytes=10**6))
    assert "this computer has 0.001 GB free" in benchmark.too_large(WORKLOADS["matmul"], GPU, 1_000, small)
    assert benchmark.too_large(WORKLOADS["article"], GPU, 1_000, small) is None, "its data is made on the device"
