from __future__ import annotations

import dataclasses

import pytest

from tests.test_benchmark import CPU, GPU, a_round
from tests.test_devices import inventory
from tfcore import estimate
from tfcore.benchmark import Plan
from tfcore.placement import Executed
from tfcore.settings import Settings
from tfcore.workloads import WORKLOADS

MATMUL = WORKLOADS["matmul"]


def probed(size: int, seconds: float, first_s: float = 0.0):
    return a_round(size, seconds, first_call_s=first_s or seconds)


def test_two_probed_sizes_tell_the_fixed_part_from_what_grows_with_the_work():
    def took(size: int) -> float:
        return 1e-4 + 2.0 * size**3 / 50e9

    rounds = [probed(512, took(512)), probed(1024, took(1024))]
    assert estimate.predict(MATMUL, "float32", rounds, 8192) == pytest.approx(took(8192))


@pytest.mark.parametrize("first", [0.001, 5.0])
def test_noise_that_hides_the_fixed_part_still_gives_a_prediction_in_proportion_to_the_work(first):
    rounds = [probed(512, first), probed(1024, 0.1)]
    assert 0.1 < estimate.predict(MATMUL, "float32", rounds, 2048) <= 0.8 + 1e-9


def test_a_probed_size_is_predicted_as_it_was_measured():
    assert estimate.predict(MATMUL, "float32", [probed(64, 0.5), probed(128, 0.1)], 64) == 0.5


def test_a_probe_runs_the_smaller_sizes_that_fit():
    plan = estimate.probe_plan(Plan("matmul", (4096,), (CPU,)), CPU, inventory(0, 0))
    assert plan.sizes == (64, 128, 256, 512, 1024, 2048)
    assert plan.probe
    own = estimate.probe_plan(Plan("matmul", (10,), (CPU,)), CPU, inventory(0, 0))
    assert own.sizes == (10,)


def test_a_size_that_fits_nowhere_has_no_probe_and_no_part_in_the_time():
    found = inventory(1, 1)
    plan = Plan("matmul", (60_000,), (GPU,))
    result = estimate.estimate(Settings(), found, plan, {})
    assert "it needs 43 GB" in result.sizes[0].too_large
    assert [left.size for left in result.left_out] == [60_000]
    assert result.seconds == 0


def test_an_estimate_has_the_first_call_memory_and_where_operations_ran():
    ran = (Executed("MatMul", "CPU:0"),)
    rounds = [dataclasses.replace(probed(64, 0.01, first_s=0.21), operations=ran)]
    found = estimate.estimate(Settings(), inventory(0, 0), Plan("matmul", (128,), (CPU,)), {CPU: rounds})
    (size,) = found.sizes
    assert size.call_s == pytest.approx(0.08)
    assert size.first_call_s == pytest.approx(0.28)
    assert size.memory_bytes == 3 * 128**2 * 4
    assert found.placed[0].operations == ran
    assert found.placed[0].elsewhere == ()


def test_a_simulated_gpu_has_no_predicted_time():
    devices = inventory(1, 1, "Simulated GPU")
    devices = dataclasses.replace(
        devices, logical=tuple(dataclasses.replace(d, simulated=d.type == "GPU") for d in devices.logical)
    )
    found = estimate.estimate(Settings(), devices, Plan("matmul", (128,), (GPU,)), {GPU: [probed(64, 0.01)]})
    assert found.sizes[0].call_s is None


@pytest.mark.parametrize(
    ("call_s", "at_most"), [(0.001, 6.0 + 8 * (0.3 + 0.2)), (5.0, 2 * (0.3 + 0.2 + 5.0)), (60.0, 0.3 + 0.2 + 60.0)]
)
def test_long_calls_take_a_round_each_until_the_budget_is_used_up(call_s, at_most):
    size = estimate.SizeEstimate(CPU, 64, call_s, 0.2, 1, 2)
    assert estimate.point_s(size, 6.0) == pytest.approx(at_most)
