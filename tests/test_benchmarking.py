from __future__ import annotations

import pytest

from tfcore.benchmark import FEWEST_ROUNDS, Plan
from tfcore.benchmarking import benchmarking, estimating
from tfcore.comparison import Speedup, Withheld, compare
from tfcore.contenders import Contender
from tfcore.errors import JobCancelled, SettingsError
from tfcore.runtime.backend import Backend
from tfcore.settings import Settings
from tfcore.workloads import WORKLOADS

BUDGET_S = 0.05


def measured(backend: Backend, plan: Plan, settings: Settings | None = None):
    settings = settings or Settings()
    inventory = backend.runtime(settings).result()
    return backend.start_job(benchmarking(settings, inventory, plan)).result()


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_workload_runs_and_its_contenders_agree_on_the_result(backend, name):
    row = WORKLOADS[name]
    plan = Plan(name, row.sizes[:1], (Contender(threads=1), Contender()), BUDGET_S)
    result = measured(backend, plan)
    assert [point.contender for point in result.points] == list(plan.contenders)
    assert isinstance(compare(result, Contender(), row.sizes[0]), Speedup)
    for point in result.points:
        assert all(sample > 0 for part in point.samples_s for sample in part)
        assert len(point.rounds[0].digest) >= 2 or name == "article"


@pytest.mark.parametrize("contender", [Contender(xla=True), Contender(dtype="bfloat16"), Contender(dtype="float64")])
def test_other_number_formats_and_xla_find_the_same_numbers(backend, contender):
    result = measured(backend, Plan("matmul", (64,), (Contender(), contender), BUDGET_S))
    assert isinstance(compare(result, contender, 64), Speedup)


def test_contenders_take_turns_in_rounds_each_in_a_fresh_worker(backend):
    result = measured(backend, Plan("matmul", (64, 128), (Contender(threads=1), Contender()), BUDGET_S))
    assert len(result.points) == 4
    assert all(len(point.rounds) >= 1 for point in result.points)
    assert max(len(point.rounds) for point in result.points) <= FEWEST_ROUNDS * 2
    assert not result.partial


def test_what_is_measured_is_shown_before_the_end_and_kept_by_a_cancel(backend):
    inventory = backend.runtime(Settings()).result()
    plan = Plan("matmul", (64,), (Contender(threads=1), Contender()), 60.0, half_width=1e-9)
    job = backend.start_job(benchmarking(Settings(), inventory, plan))
    while job.snapshot().partial is None:
        assert not job.snapshot().ended, job.snapshot()
    job.cancel()
    with pytest.raises(JobCancelled):
        job.result()
    kept = job.snapshot().partial
    assert kept.partial
    assert kept.points[0].samples_s[0]


def test_a_device_that_is_not_in_force_is_refused(backend):
    with pytest.raises(SettingsError, match=r"GPU:7 is not there\. In force: CPU:0"):
        measured(backend, Plan("matmul", (64,), (Contender("GPU:7"),), BUDGET_S))


def test_sizes_that_do_not_fit_are_left_out_with_the_numbers(backend):
    result = measured(backend, Plan("matmul", (64, 100_000), (Contender(),), BUDGET_S))
    assert [point.size for point in result.points] == [64]
    assert [(each.size, each.reason[:8]) for each in result.left_out] == [(100_000, "it needs")]


def test_an_estimate_comes_with_time_memory_and_placement_before_anything_is_measured(backend):
    inventory = backend.runtime(Settings()).result()
    plan = Plan("matmul", (512, 100_000), (Contender(threads=1), Contender()), BUDGET_S)
    found = backend.start_job(estimating(Settings(), inventory, plan)).result()
    assert [(each.contender, each.size) for each in found.sizes] == [
        (contender, size) for contender in plan.contenders for size in plan.sizes
    ]
    assert all(each.call_s > 0 for each in found.sizes)
    assert [left.size for left in found.left_out] == [100_000, 100_000]
    assert found.seconds > 0
    assert all(placed.operations for placed in found.placed)


@pytest.mark.simgpu
@pytest.mark.parametrize("workload", ["article", "matmul"])
def test_simulated_gpus_run_where_they_are_asked_to_and_yield_no_speedup(two_gpus, workload):
    size = WORKLOADS[workload].sizes[0]
    plan = Plan(workload, (size,), (Contender(), Contender("GPU:1")), BUDGET_S)
    result = measured(two_gpus, plan)
    cpu, gpu = result.placed
    assert {record.device for record in cpu.operations} == {"CPU:0"}
    assert {record.device for record in gpu.operations} == {"GPU:1"}
    assert isinstance(compare(result, Contender("GPU:1"), size), Withheld)
    states = [state for each in result.points[1].rounds for state in each.gpu]
    assert {state.clock_mhz for state in states} == {1410}
    assert {state.temperature_c for state in states} == {51}
    assert result.points[1].warnings == ("simulated device: no time of it means anything",)
