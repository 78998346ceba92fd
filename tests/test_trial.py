from __future__ import annotations

import dataclasses

import pytest

from tests.test_benchmark import CPU, GPU, a_point, a_result
from tests.test_devices import inventory
from tfcore import trial
from tfcore.benchmark import Placed
from tfcore.contenders import Contender
from tfcore.errors import SettingsError
from tfcore.estimate import Estimate, SizeEstimate
from tfcore.placement import Executed
from tfcore.settings import Settings

GPU1 = Contender("GPU:1")


def estimated(**seconds: float) -> Estimate:
    """Devices whose time grows with the cube of the size, known at 1,000."""
    plan = trial.trial_plan(inventory(1, 1), trial.SIZES)
    sizes = tuple(
        SizeEstimate(Contender(name), size, per * (size / 1000) ** 3, 0.0, 1, 2, "too large" if size > 4000 else None)
        for name, per in seconds.items()
        for size in trial.SIZES
    )
    return Estimate(Settings(), plan, sizes, (), ())


def test_the_chosen_size_keeps_the_slowest_device_within_seconds():
    assert trial.fitting_size(estimated(gpu=0.0001, cpu=0.1)) == 2000


def test_a_slow_machine_still_gets_a_size():
    assert trial.fitting_size(estimated(cpu=1e9)) == trial.SIZES[0]


def test_the_chosen_size_fits_every_device():
    assert trial.fitting_size(estimated(cpu=1e-9)) == 4000


def test_a_faster_gpu_is_said_to_be_faster():
    said = trial.sentence(a_result(a_point(CPU, 10, 4.5), a_point(GPU, 10, 0.1), a_point(GPU1, 10, 0.09)))
    assert said == "GPU:1 took 90 ms where CPU:0 took 4.5 s: 50 times as fast."


def test_a_slower_gpu_is_not_said_to_be_faster():
    assert "the CPU was 4 times as fast" in trial.sentence(a_result(a_point(CPU, 10, 0.01), a_point(GPU, 10, 0.04)))


def test_equals_are_not_told_apart():
    assert "no sure difference" in trial.sentence(a_result(a_point(CPU, 10, 0.01), a_point(GPU, 10, 0.01)))


@pytest.mark.parametrize("digest", [(0.0,), (None,)])
def test_devices_that_disagree_get_no_speedup(digest):
    result = a_result(a_point(CPU, 10, 4.5, digest=(1000.0,)), a_point(GPU, 10, 0.1, digest=digest))
    assert trial.sentence(result).startswith("No speedup is stated. The results differ")


def test_a_simulated_gpu_gets_neither_time_nor_speedup():
    said = trial.sentence(a_result(a_point(CPU, 10, 4.5), a_point(GPU, 10, 0.1), simulated=True))
    assert said == "A simulated GPU computes nothing, so no time of it and no speedup is stated."


def test_one_device_has_nothing_to_be_compared_with():
    assert "nothing to compare" in trial.sentence(a_result(a_point(CPU, 10, 4.5)))


def test_logical_cpus_are_not_expected_to_differ():
    said = trial.sentence(a_result(a_point(CPU, 10, 1.0), a_point(Contender("CPU:1"), 10, 1.1)))
    assert "share the same processor" in said


def test_work_that_soft_placement_moved_gets_no_speedup():
    result = a_result(a_point(CPU, 10, 4.5), a_point(GPU, 10, 0.1))
    moved = dataclasses.replace(result, placed=(Placed(GPU, 10, (Executed("MatMul", "CPU:0"),)),))
    assert trial.sentence(moved) == "No speedup is stated. Work of GPU:0 ran on another device: MatMul."


def test_it_runs_on_every_device_in_force(backend):
    settings = Settings(cpu_devices=2)
    found = backend.runtime(settings).result()
    result = backend.start_job(trial.trying(settings, found, size=250)).result()
    assert [point.contender.device for point in result.points] == ["CPU:0", "CPU:1"]
    for each in result.placed:
        assert {record.device for record in each.operations} == {each.contender.device}


def test_a_size_that_does_not_fit_is_refused_before_it_runs(backend):
    found = backend.runtime(Settings()).result()
    with pytest.raises(SettingsError, match="does not fit: it needs"):
        backend.start_job(trial.trying(Settings(), found, size=90_000)).result()


@pytest.mark.simgpu
def test_it_runs_on_simulated_gpus_and_states_nothing_of_their_speed(two_gpus):
    found = two_gpus.runtime(Settings()).result()
    result = two_gpus.start_job(trial.trying(Settings(), found, 250)).result()
    assert [result.is_simulated(point.contender) for point in result.points] == [False, True, True]
    assert trial.sentence(result).startswith("A simulated GPU computes nothing")
