"""Every setting takes effect on the unmodified TensorFlow, one after the other in one server."""

from __future__ import annotations

import re

import pytest

from tests.conftest import one_pass
from tfcore.benchmark import ROUND, Round
from tfcore.errors import TaskError
from tfcore.runtime.backend import Backend
from tfcore.settings import Settings

pytestmark = pytest.mark.simgpu
ONE_DNN = "_Mkl"  # TensorFlow runs oneDNN's version of an operation on CPUs that it suits
THE_SEVEN = ["RandomUniform", "Sub", "Mul", "AddV2", "Transpose", "MatMul", "Sum"]


def logical_gpus(backend: Backend, settings: Settings) -> list[tuple[str, str, object]]:
    found = backend.runtime(settings).result().of_type("GPU")
    return [(gpu.short_name, str(gpu.physical).rsplit(":", 1)[-1], gpu.memory_limit_mb) for gpu in found]


def run_article(backend: Backend, settings: Settings, device: str, size: int = 64) -> Round:
    job = backend.start_job(lambda steps: steps.run(ROUND, settings, one_pass(device, size)))
    return job.result().rounds[0]


def taken_mib(backend: Backend, settings: Settings) -> float:
    """How much device memory TensorFlow's allocator took for one small run, from its own log."""
    job = backend.start_job(lambda steps: steps.run(ROUND, settings, one_pass("GPU:0", 64)))
    job.result()
    found = re.findall(r"Extending allocation by ([\d.]+)([KMG])iB bytes for GPU_0", job.logs[1].read_text())
    return sum(float(number) * {"K": 2**-10, "M": 1, "G": 2**10}[unit] for number, unit in found)


def test_every_choice_of_two_gpus_takes_effect_in_one_server(two_gpus):
    backend = two_gpus
    inventory = backend.runtime(Settings()).result()
    host = backend.host.pid
    assert [gpu.memory_mb for gpu in inventory.gpus] == [8192, 8192]
    assert [gpu.pci_bus_id for gpu in inventory.gpus] == ["0000:01:00.0", "0000:02:00.0"]
    assert [gpu.compute_capability for gpu in inventory.gpus] == ["8.0", "8.0"]
    assert all(gpu.simulated for gpu in inventory.gpus)
    everything = logical_gpus(backend, Settings(memory="all"))
    assert [gpu[:2] for gpu in everything] == [("GPU:0", "0"), ("GPU:1", "1")]
    assert logical_gpus(backend, Settings((1,), "limit", 1024)) == [("GPU:0", "1", 1024)]
    assert logical_gpus(backend, Settings("none")) == []
    assert logical_gpus(backend, Settings((0,), "limit", 512)) == [("GPU:0", "0", 512)]
    assert [gpu[:2] for gpu in logical_gpus(backend, Settings())] == [("GPU:0", "0"), ("GPU:1", "1")]
    assert backend.host.pid == host


def test_four_gpus_are_seen_and_chosen_from(simulated_gpus):
    backend = simulated_gpus(4)
    assert len(logical_gpus(backend, Settings())) == 4
    chosen = logical_gpus(backend, Settings((1, 3), "limit", 256))
    assert chosen == [("GPU:0", "1", 256), ("GPU:1", "3", 256)]


def test_hidden_gpus_are_listed_as_physical_but_not_visible(two_gpus):
    inventory = two_gpus.runtime(Settings((1,))).result()
    assert [gpu.visible for gpu in inventory.gpus] == [False, True]


def test_the_nvidia_driver_is_asked_through_nvml(two_gpus):
    assert two_gpus.runtime(Settings()).result().software.nvidia_driver == "570.00.00"


def test_growth_takes_memory_as_it_is_needed_and_the_other_modes_take_it_at_once(two_gpus):
    grown = taken_mib(two_gpus, Settings(memory="growth"))
    limited = taken_mib(two_gpus, Settings(memory="limit", memory_limit_mb=512))
    everything = taken_mib(two_gpus, Settings(memory="all"))
    assert grown < 64 < limited == 512 < 4096 < everything


def test_a_limit_ends_in_an_error_that_says_what_to_do(two_gpus):
    with pytest.raises(TaskError, match="ResourceExhaustedError") as caught:
        run_article(two_gpus, Settings(memory="limit", memory_limit_mb=1024), "GPU:0", size=20_000)
    assert "free memory" in caught.value.cause


def test_the_seven_operations_run_on_the_gpu_in_order(two_gpus):
    backend = two_gpus
    for device in ("GPU:0", "GPU:1", "CPU:0"):
        operations = run_article(backend, Settings(), device).operations
        assert [record.op.removeprefix(ONE_DNN) for record in operations] == THE_SEVEN
        assert {record.device for record in operations} == {device}


def test_strict_placement_refuses_a_gpu_that_the_settings_hide_and_soft_moves_the_work(two_gpus):
    backend = two_gpus
    only_one = Settings((1,), soft_placement=False)
    with pytest.raises(TaskError, match="Could not satisfy device specification"):
        run_article(backend, only_one, "GPU:1")
    assert {r.device for r in run_article(backend, only_one, "GPU:0").operations} == {"GPU:0"}
    soft = run_article(backend, Settings("none"), "GPU:1")
    assert {record.device for record in soft.operations} == {"CPU:0"}


def test_a_driver_without_a_device_leaves_a_server_that_says_there_is_no_gpu(simulated_gpus):
    backend = simulated_gpus(2, SIMGPU_CUINIT="100")
    assert backend.runtime(Settings()).result().gpus == ()
