from __future__ import annotations

import os
import signal
import time

import psutil
import pytest

from tfcore.errors import MemberFailed
from tfcore.settings import Settings
from tfcore.strategy import StrategyPlan, line_found
from tfcore.training import Live, training


def train(backend, plan, settings=None):
    settings = settings or Settings()
    inventory = backend.runtime(settings).result()
    return backend.start_job(training(settings, inventory, plan)).result()


@pytest.mark.parametrize("loop", ["custom", "fit"])
def test_1_2_and_4_replicas_train_alike_and_find_the_line(backend, loop):
    found = train(backend, StrategyPlan(replicas=(1, 2, 4), epochs=8, loop=loop))
    first = found.runs[0]
    for run, count in zip(found.runs, (1, 2, 4), strict=True):
        assert run.devices == tuple(f"CPU:{index}" for index in range(count))
        assert run.losses[0] == pytest.approx(first.losses[0], abs=1e-5)
        assert run.losses[-1] == pytest.approx(first.losses[-1], rel=1e-3)
        assert run.largest_difference == 0.0
        assert all(len(copies.devices) == count for copies in run.copies)
        assert run.split == (64 // count,) * count
        slope, intercept = line_found(run)
        assert slope == pytest.approx(2.0, rel=0.01)
        assert intercept == pytest.approx(-1.0, rel=0.01)
    assert found.shared_processor
    assert found.warnings(found.runs[0]) == ()
    assert "no speedup is to be expected" in found.warnings(found.runs[1])[0]


@pytest.mark.parametrize("model", ["dense", "conv"])
def test_the_larger_models_learn(backend, model):
    found = train(backend, StrategyPlan(model, (1, 2), 128, epochs=2))
    assert found.runs[0].losses[0] == pytest.approx(found.runs[1].losses[0], rel=1e-5)
    assert found.runs[1].losses[-1] < found.runs[1].losses[0]
    assert found.runs[1].largest_difference == 0.0


def test_losses_are_shown_as_they_come_and_a_cancel_ends_the_worker(backend):
    inventory = backend.runtime(Settings()).result()
    job = backend.start_job(training(Settings(), inventory, StrategyPlan(epochs=1000, replicas=(1,))))
    while not isinstance(job.snapshot().partial, Live):
        assert not job.snapshot().ended, job.snapshot()
        os.sched_yield()
    assert job.snapshot().partial.losses
    (worker,) = job.worker_pids
    job.cancel()
    job.wait()
    psutil.wait_procs([psutil.Process(worker)] if psutil.pid_exists(worker) else [], timeout=10)
    assert not psutil.pid_exists(worker)


@pytest.mark.parametrize("workers", [2, 3])
def test_several_processes_train_to_the_same_weights_as_one(backend, workers):
    found = train(backend, StrategyPlan(replicas=(1,), batch=96 if workers == 3 else 64, epochs=2, workers=workers))
    alone, together = found.runs
    assert len(together.devices) == workers
    assert together.weights == pytest.approx(alone.weights, abs=1e-4)
    assert together.losses == pytest.approx(alone.losses, rel=1e-4)


def test_a_worker_that_dies_halfway_is_named_and_all_are_gone(backend):
    inventory = backend.runtime(Settings()).result()
    job = backend.start_job(training(Settings(), inventory, StrategyPlan(replicas=(1,), epochs=1000, workers=2)))
    deadline = time.monotonic() + 120
    while not (isinstance(job.snapshot().partial, Live) and job.snapshot().partial.ended):
        assert time.monotonic() < deadline, job.snapshot()
        assert not job.snapshot().ended, job.snapshot()
        os.sched_yield()
    pids = job.worker_pids
    assert len(pids) == 2
    os.kill(pids[1], signal.SIGKILL)
    with pytest.raises(MemberFailed) as caught:
        job.result()
    assert caught.value.index in (0, 1)
    assert "of the cluster failed" in str(caught.value)
    assert "signal 9" in str(caught.value)
    assert not any(psutil.pid_exists(pid) for pid in pids)


@pytest.mark.simgpu
@pytest.mark.parametrize("reduction", ["default", "hierarchical", "one-device"])
def test_two_simulated_gpus_have_a_replica_each_and_no_speed(two_gpus, reduction):
    found = train(two_gpus, StrategyPlan(replicas=(1, 2), epochs=2, reduction=reduction))
    assert found.runs[1].devices == ("GPU:0", "GPU:1")
    assert {copies.devices for copies in found.runs[1].copies} == {("GPU:0", "GPU:1")}
    assert found.simulated
    assert found.efficiency(found.runs[1]) is None


@pytest.mark.simgpu
def test_four_simulated_gpus_have_variables_on_each(simulated_gpus):
    found = train(simulated_gpus(4), StrategyPlan(replicas=(4,), epochs=1))
    assert {copies.devices for copies in found.runs[0].copies} == {("GPU:0", "GPU:1", "GPU:2", "GPU:3")}
