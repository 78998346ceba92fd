from __future__ import annotations

import os
import signal
import threading
import time

import psutil
import pytest

from tests.conftest import one_pass
from tfcore.benchmark import ROUND, RoundResult
from tfcore.devices import INVENTORY, InventoryPlan
from tfcore.errors import (
    JobCancelled,
    LabError,
    SettingsError,
    TaskError,
    TensorFlowUnavailable,
    TimeLimitExceeded,
    WorkerDied,
)
from tfcore.runtime.backend import Backend
from tfcore.runtime.job import Job, State, Steps
from tfcore.settings import Settings

LONG = one_pass("CPU:0", 9_000)


def long_matmul(steps: Steps) -> object:
    return steps.run(ROUND, Settings(), LONG)


def look(steps: Steps) -> object:
    return steps.run(INVENTORY, Settings(), InventoryPlan())


def when_computing(job: Job) -> int:
    """Wait until the job's worker has said that it computes. Give its pid."""
    deadline = time.monotonic() + 60
    while not (job.worker_pid and job.snapshot().progress):
        assert time.monotonic() < deadline, job.snapshot()
        assert not job.snapshot().ended, job.snapshot()
        os.sched_yield()
    return job.worker_pid


def gone(pid: int) -> bool:
    try:
        psutil.Process(pid).wait(10)
    except psutil.NoSuchProcess:
        pass
    except psutil.TimeoutExpired:
        return False
    return not psutil.pid_exists(pid)


def test_a_job_gives_the_result_of_its_program(backend):
    job = backend.start_job(look)
    assert job.result().software.tensorflow.startswith("2.21")
    assert job.snapshot().state is State.DONE


def test_a_job_may_run_several_tasks_each_in_a_worker_of_its_own(backend):
    pids: list[int] = []

    def program(steps: Steps) -> int:
        for cpus in (1, 2, 3):
            found = steps.run(INVENTORY, Settings(cpu_devices=cpus), InventoryPlan())
            pids.append(len(found.logical))
        return sum(pids)

    assert backend.start_job(program).result() == 6


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSEGV])
def test_a_worker_that_dies_fails_its_job_and_nothing_else(backend, sent):
    job = backend.start_job(long_matmul)
    host = backend.host.pid
    os.kill(when_computing(job), sent)
    with pytest.raises(WorkerDied, match=f"ended by signal {int(sent)}") as caught:
        job.result()
    assert caught.value.cause
    assert caught.value.log  # TensorFlow's own words, up to the end
    assert job.snapshot().state is State.FAILED
    assert backend.start_job(look).result()
    assert backend.host.pid == host


def test_cancel_ends_the_worker_in_the_middle_of_a_matmul(backend):
    job = backend.start_job(long_matmul)
    pid = when_computing(job)
    job.cancel()
    with pytest.raises(JobCancelled):
        job.result()
    assert job.snapshot().state is State.CANCELLED
    assert gone(pid)


def test_a_job_can_be_cancelled_while_it_waits_for_its_turn(backend):
    first = backend.start_job(long_matmul)
    when_computing(first)
    second = backend.start_job(look)
    second.cancel()
    assert second.wait(10).state is State.CANCELLED
    assert not first.snapshot().ended
    first.cancel()
    first.wait(10)


def test_a_job_that_ended_cannot_be_cancelled(backend):
    job = backend.start_job(look)
    job.wait(60)
    job.cancel()
    assert job.snapshot().state is State.DONE


def test_a_job_ends_at_its_time_limit(backend):
    job = backend.start_job(long_matmul, limit_s=1.0)
    with pytest.raises(TimeLimitExceeded, match="limit of 1 seconds"):
        job.result()
    assert backend.start_job(look).result()


def test_a_host_that_was_killed_is_started_again_for_the_next_job(own_backend):
    job = own_backend.start_job(long_matmul)
    worker, host = when_computing(job), own_backend.host.pid
    os.kill(host, signal.SIGKILL)
    with pytest.raises(TensorFlowUnavailable, match="host process ended"):
        job.result()
    assert gone(worker)
    assert own_backend.start_job(look).result()
    assert own_backend.host.pid != host


def test_tensorflow_that_cannot_be_imported_fails_jobs_with_the_end_of_the_error(own_backend, tmp_path, monkeypatch):
    (tmp_path / "tensorflow.py").write_text("raise ImportError('libgone.so: cannot open shared object file')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(TensorFlowUnavailable) as caught:
        own_backend.start_job(look).result()
    assert caught.value.log.endswith("libgone.so: cannot open shared object file")
    (tmp_path / "tensorflow.py").unlink()
    own_backend.look_again()
    assert own_backend.start_job(look).result()


def test_a_host_that_crashes_while_it_imports_says_how(own_backend, tmp_path, monkeypatch):
    (tmp_path / "tensorflow.py").write_text("import os; os.write(2, b'last words'); os.abort()\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(TensorFlowUnavailable) as caught:
        own_backend.start_job(look).result()
    assert "signal 6" in caught.value.log
    assert "last words" in caught.value.log


def test_strict_placement_on_a_missing_device_fails_with_tensorflows_reason(backend):
    def program(steps: Steps) -> object:
        return steps.run(ROUND, Settings(soft_placement=False), one_pass("GPU:7", 10))

    with pytest.raises(TaskError, match="InvalidArgumentError: Could not satisfy device specification") as caught:
        backend.start_job(program).result()
    assert "soft placement is off" in caught.value.cause


def test_soft_placement_of_a_missing_device_moves_the_work_to_the_cpu(backend):
    def program(steps: Steps) -> RoundResult:
        return steps.run(ROUND, Settings(), one_pass("GPU:7", 10))

    assert {record.device for record in backend.start_job(program).result().rounds[0].operations} == {"CPU:0"}


def test_a_fault_of_our_own_ends_the_job_instead_of_leaving_it_running(backend):
    def program(steps: Steps) -> object:
        raise ZeroDivisionError("in the program")

    job = backend.start_job(program)
    with pytest.raises(TaskError, match="ZeroDivisionError: in the program"):
        job.result()


def test_settings_that_a_worker_cannot_apply_name_the_field(backend):
    job = backend.start_job(lambda steps: steps.run(INVENTORY, Settings((5,)), InventoryPlan()))
    with pytest.raises(SettingsError, match="GPU 5 is not there") as caught:
        job.result()
    assert caught.value.field == "gpus"


def test_many_jobs_at_once_keep_their_own_settings(backend):
    answers: dict[int, int] = {}

    def ask(cpus: int) -> None:
        answers[cpus] = len(backend.runtime(Settings(cpu_devices=cpus)).result().logical)

    threads = [threading.Thread(target=ask, args=(cpus,)) for cpus in range(1, 17)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == {cpus: cpus for cpus in range(1, 17)}


def test_without_fork_every_task_gets_a_fresh_process(tmp_path):
    backend = Backend(start_method="spawn")
    try:
        assert len(backend.runtime(Settings(cpu_devices=2)).result().logical) == 2
        job = backend.start_job(long_matmul)
        os.kill(when_computing(job), signal.SIGKILL)
        with pytest.raises(WorkerDied):
            job.result()
    finally:
        backend.close()


def test_errors_all_say_what_happened():
    for error in (JobCancelled(), TimeLimitExceeded(3), WorkerDied(-9), WorkerDied(3), TaskError("X", "")):
        assert isinstance(error, LabError)
        assert error.what
