from __future__ import annotations

import pytest

from tfcore.capture import WORKLOADS, CapturePlan, check
from tfcore.errors import SettingsError
from tfcore.placement import ONE_DNN, calls_in_order
from tfcore.placement_reasons import BY_HAND, FELL_BACK, KERNELS, NO_KERNEL, KernelsPlan, summary
from tfcore.placing import capturing, explaining
from tfcore.settings import Settings

THE_SEVEN = ["RandomUniform", "Sub", "Mul", "AddV2", "Transpose", "MatMul", "Sum"]


def captured(backend, plan, versus="one", settings=None):
    settings = settings or Settings()
    inventory = backend.runtime(settings).result()
    return backend.start_job(capturing(settings, inventory, plan, versus)).result()


@pytest.mark.parametrize("function", [False, True])
@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_workload_is_captured_eagerly_and_as_a_function(backend, workload, function):
    (found,) = captured(backend, CapturePlan(workload, function=function))
    assert found.error == ""
    assert not found.explained.placement.is_empty
    assert {row.device for row in found.explained.placement.operations} == {"CPU:0"}
    assert found.explained.placement.unreadable == 0


def test_strict_placement_on_a_missing_gpu_is_tensorflows_error_explained(backend):
    (found,) = captured(backend, CapturePlan(device="/GPU:0"), settings=Settings(soft_placement=False))
    assert "Could not satisfy device specification" in found.error
    ((meaning, _),) = found.explained.messages
    assert "soft placement is off" in meaning


def test_soft_placement_on_a_missing_gpu_is_marked_as_a_fallback(backend):
    (found,) = captured(backend, CapturePlan(device="/GPU:0"))
    assert {found.explained.reason(row) for row in found.explained.placement.operations} == {FELL_BACK}


def test_soft_and_strict_are_run_side_by_side(backend):
    soft, strict = captured(backend, CapturePlan(device="/GPU:7"), "soft-strict")
    assert (soft.error == "", strict.error == "") == (True, False)


@pytest.mark.parametrize("plan", [CapturePlan("nothing"), CapturePlan(device="/GPU :0"), CapturePlan(device="x" * 99)])
def test_a_plan_that_cannot_be_meant_is_refused(plan):
    with pytest.raises(SettingsError):
        check(plan)


def test_the_registry_knows_what_has_a_gpu_kernel_with_no_gpu_there(backend):
    found = backend.start_job(lambda steps: steps.run(KERNELS, Settings(), KernelsPlan())).result()
    assert found.operations["MatMul"].gpu
    assert "string" not in found.operations["MatMul"].dtypes
    assert not found.operations["StringJoin"].gpu
    assert found.operations["Shape"].host_output
    assert len(found.operations) > 1000


def test_a_log_is_read_as_a_job_with_progress_and_can_be_explained(backend):
    log = b"Executing op StringJoin in device /job:localhost/replica:0/task:0/device:CPU:0\n" * 10
    log += b"x: (MatMul): /job:localhost/replica:0/task:0/device:GPU:0\n"
    job = backend.start_job(explaining(lambda: iter([log]), len(log)))
    assert "10 have no GPU kernel" in summary(job.result())


def test_nothing_is_left_in_the_temporary_folder(own_backend, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "shared"))
    (tmp_path / "shared").mkdir()
    captured(own_backend, CapturePlan("mixed", function=True))
    own_backend.close()
    assert list((tmp_path / "shared").iterdir()) == []


@pytest.mark.simgpu
@pytest.mark.parametrize(("device", "on"), [("/GPU:0", "GPU:0"), ("/CPU:0", "CPU:0"), ("", "GPU:0")])
def test_the_articles_seven_operations_run_in_order_where_they_are_asked_to(two_gpus, device, on):
    (found,) = captured(two_gpus, CapturePlan(device=device))
    ran = calls_in_order(found.explained.placement)
    assert [call.op.removeprefix(ONE_DNN) for call in ran] == THE_SEVEN
    assert {call.device for call in ran} == {on}
    if on == "CPU:0":
        assert {found.explained.reason(row) for row in found.explained.placement.operations} == {BY_HAND}


@pytest.mark.simgpu
def test_string_operations_have_no_gpu_kernel_and_what_is_copied_for_them_is_told(two_gpus):
    (found,) = captured(two_gpus, CapturePlan("mixed", function=True))
    reasons = {row.kind: found.explained.reason(row) for row in found.explained.placement.operations}
    assert reasons["StringJoin"] == NO_KERNEL
    assert reasons["MatMul"] == ""
    assert ("MatMul", "GPU:0", "MatrixSquareRoot", "CPU:0") in found.crossings
