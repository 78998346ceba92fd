"""Start-up faults on the unmodified TensorFlow, played by simulated GPUs."""

from __future__ import annotations

import shutil

import pytest

from tests.conftest import simulate
from tfcore.diagnosing import from_log, is_settled, this_machine
from tfcore.probe.gather import gather
from tfcore.runtime.backend import Backend
from tfcore.runtime.workspace import Workspace


def test_this_machine_is_diagnosed(backend):
    found = backend.start_job(this_machine()).result()
    assert found.root.cause
    assert found.evidence.tensorflow.version


def test_in_a_hurry_tensorflow_is_not_asked_where_its_answer_is_certain(own_backend):
    if not is_settled(gather()):
        pytest.skip("this machine has a driver or a GPU")
    found = own_backend.start_job(this_machine(hurry=True)).result()
    assert (found.root.rule, found.usable) == ("no_gpu_in_machine", False)
    assert own_backend.host.pid == 0


def test_a_log_is_read_as_a_stream(backend):
    found = backend.start_job(
        from_log(lambda: iter([b"failed call to cuInit: ", b"UNKNOWN ERROR (303)\n"]), 43)
    ).result()
    assert found.root.rule == "driver_absent"


FAULTS = [
    ({}, "nothing_wrong"),
    ({"SIMGPU_CUINIT": "100"}, "no_device"),
    ({"SIMGPU_CUINIT": "999"}, "unknown_error"),
    ({"SIMGPU_CUINIT": "803"}, "driver_mismatch"),
    ({"SIMGPU_CUINIT": "34"}, "stub_library"),
    ({"SIMGPU_CUINIT": "802"}, "system_not_ready"),
    ({"CUDA_VISIBLE_DEVICES": ""}, "cuda_hidden"),
    ({"CUDA_VISIBLE_DEVICES": "-1"}, "cuda_hidden"),
    ({"CUDA_VISIBLE_DEVICES": "9"}, "cuda_hidden"),
    ({"SIMGPU_CC": "3.5"}, "capability_too_old"),
    ({"SIMGPU_CC": "5.2"}, "capability_too_old"),
    ({"SIMGPU_CC": "12.0"}, "capability_too_new"),
    ({"SIMGPU_MEMORY_MB": "300"}, "memory_held"),
]
LIBRARIES = [
    "libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12", "libcufft.so.11", "libcusolver.so.11",
    "libcusparse.so.12", "libcudnn.so.9",
]  # fmt: skip


@pytest.mark.simgpu
@pytest.mark.parametrize(("environment", "rule"), FAULTS)
def test_the_right_cause_of_each_fault_comes_first(simulated_gpus, environment, rule):
    found = simulated_gpus(2, **environment).start_job(this_machine()).result()
    assert found.root.rule == rule
    assert found.usable is (rule == "nothing_wrong")
    assert "simulated" in found.root.cause or rule != "nothing_wrong"


@pytest.mark.simgpu
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_missing_library_is_named(simgpu_folder, tmp_path, monkeypatch, library):
    folder = tmp_path / "cuda"
    shutil.copytree(simgpu_folder, folder, ignore=lambda *_: {library})
    simulate(monkeypatch, folder, 2)
    backend = Backend(workspace=Workspace(str(tmp_path)))
    try:
        found = backend.start_job(this_machine()).result()
    finally:
        backend.close()
    assert found.root.rule == "library_missing"
    assert library in found.root.cause


@pytest.mark.simgpu
def test_a_missing_driver_library_is_told_from_the_rest(simgpu_folder, tmp_path, monkeypatch):
    shutil.copytree(simgpu_folder, tmp_path / "cuda", ignore=lambda *_: {"libcuda.so.1"})
    simulate(monkeypatch, tmp_path / "cuda", 2)
    backend = Backend(workspace=Workspace(str(tmp_path)))
    try:
        found = backend.start_job(this_machine()).result()
    finally:
        backend.close()
    assert "driver_absent" in [each.rule for each in found.findings]
