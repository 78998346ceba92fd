from __future__ import annotations

import dataclasses

import pytest

from tests.test_benchmark import CPU, GPU, a_point, a_result
from tests.test_devices import inventory
from tfcore import race
from tfcore.benchmark import check
from tfcore.contenders import Contender
from tfcore.workloads import WORKLOADS

ONE = Contender("CPU:0", threads=1)


def raced(*points, **changes):
    result = a_result(*points, **changes)
    return race.race(result, result.plan.sizes[0])


def test_lanes_move_in_proportion_to_what_was_measured():
    found = raced(a_point(CPU, 100, 0.5), a_point(GPU, 100, 0.01))
    slow, fast = found.lanes
    assert slow.shown_s == pytest.approx(race.SHOWN_S)
    assert slow.shown_s / fast.shown_s == pytest.approx(50)
    assert found.sentence == "In the time the CPU finished 1, the GPU finished 50."
    assert found.scale == "Shown 16 times slower than it was: 1 second on the screen is 62.5 ms."


def test_the_cpu_may_win():
    found = raced(a_point(CPU, 100, 0.01), a_point(GPU, 100, 0.025))
    assert found.sentence == "In the time the GPU finished 1, the CPU finished 2.5."


def test_long_jobs_are_shown_faster_than_they_were():
    found = raced(a_point(CPU, 100, 80.0), a_point(GPU, 100, 8.0))
    assert found.scale == "Shown 10 times faster than it was: 1 second on the screen is 10 s."


def test_cores_are_named_as_such():
    found = raced(a_point(ONE, 100, 1.0), a_point(CPU, 100, 0.5))
    assert found.sentence == "In the time one core of the CPU finished 1, all cores of the CPU finished 2."


def test_equals_draw():
    assert raced(a_point(CPU, 100, 1.0), a_point(GPU, 100, 1.0)).sentence.startswith("A draw")


@pytest.mark.parametrize(
    ("points", "changes", "said"),
    [
        ((a_point(CPU, 100, 1.0), a_point(GPU, 100, 0.1)), {"simulated": True}, "simulated GPU computes nothing"),
        ((a_point(CPU, 100, 1.0), a_point(GPU, 100, 0.1, digest=(0.0, 0.0, 0.0))), {}, "results differ"),
        ((a_point(CPU, 100, 1.0),), {}, "one contender alone"),
        ((a_point(GPU, 100, 1.0),), {"simulated": True}, "no race"),
    ],
)
def test_what_must_not_be_compared_has_no_lanes_and_a_reason(points, changes, said):
    found = raced(*points, **changes)
    assert found.lanes == ()
    assert said in found.sentence


def test_every_job_can_be_run_with_and_without_a_gpu():
    for job in race.JOBS:
        assert job.size in WORKLOADS[job.workload].sizes
        for found in (inventory(0, 0), inventory(1, 1)):
            check(race.race_plan(job, found))
    assert race.race_plan(race.JOBS[0], inventory(1, 1)).contenders == (CPU, GPU)


def test_each_job_says_for_which_the_race_would_end_differently():
    result = a_result(a_point(CPU, 2048, 1.0), a_point(GPU, 2048, 0.1))
    assert "tiny job" in race.otherwise(result)
    other = dataclasses.replace(result, plan=dataclasses.replace(result.plan, sizes=(7,)))
    assert race.otherwise(other) == ""


@pytest.mark.parametrize(
    ("contender", "name"),
    [
        (Contender("GPU:0", "float16"), "GPU, float16"),
        (Contender("CPU:0", threads=4), "4 cores of the CPU"),
        (Contender("GPU:0", tf32=False, xla=True), "GPU, XLA, no TF32"),
    ],
)
def test_options_are_part_of_a_name(contender, name):
    assert race.lay_name(a_result(a_point(contender, 1, 1.0)), contender) == name
