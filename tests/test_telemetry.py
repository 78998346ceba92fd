from __future__ import annotations

import os
import subprocess
import sys
import threading

import msgspec
import pytest

from tests.conftest import ROOT
from tfcore.devices import Unavailable
from tfcore.telemetry import LOOKS_FOR_S, Reading, Sampler, read_all


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def a_sampler(clock: Clock, taken: list[float]) -> Sampler:
    def read(at_s: float) -> Reading:
        taken.append(at_s)
        return Reading(at_s, 10.0, 1, 2, Unavailable("none"))

    sampler = Sampler(read, clock)
    sampler._thread = object()  # the test takes the thread's steps itself
    return sampler


def test_readings_are_taken_while_somebody_looks_and_no_longer():
    clock, taken = Clock(), []
    sampler = a_sampler(clock, taken)
    sampler.look()
    assert sampler.step()
    clock.now += LOOKS_FOR_S - 1
    assert sampler.step()
    clock.now += 2
    assert not sampler.step()
    assert (len(taken), sampler.awake) == (2, False)


def test_nothing_is_read_when_nobody_has_looked():
    clock, taken = Clock(), []
    assert not a_sampler(clock, taken).step()
    assert taken == []


def test_twenty_visitors_cost_one_reading():
    clock, taken = Clock(), []
    sampler = a_sampler(clock, taken)
    for _ in range(20):
        sampler.look()
    sampler.step()
    assert {reading.at_s for _ in range(20) for reading in sampler.look()} == {100.0}
    assert len(taken) == 1


def test_no_line_is_drawn_across_the_time_it_slept():
    clock, taken = Clock(), []
    sampler = a_sampler(clock, taken)
    sampler.look()
    sampler.step()
    clock.now += 1000
    sampler.look()
    sampler.step()
    assert [reading.at_s for reading in sampler.look()] == [1100.0]


def test_a_real_sampler_wakes_up_when_somebody_looks():
    sampler = Sampler()
    sampler.look()
    sampler.wait(20)
    assert sampler.look()


def test_this_machine_is_read():
    found = read_all(1.0)
    assert 0 < found.memory_used_bytes <= found.memory_total_bytes


@pytest.mark.simgpu
def test_all_readings_of_two_gpus_come_with_one_that_is_not_available(simgpu_folder):
    code = "import msgspec; from tfcore.telemetry import read_gpus; print(msgspec.json.encode(read_gpus()).decode())"
    simulated = {
        "LD_LIBRARY_PATH": str(simgpu_folder), "SIMGPU_COUNT": "2", "SIMGPU_UNAVAILABLE": "power",
        "SIMGPU_THROTTLE": "4",
        "SIMGPU_MIG": "1", "SIMGPU_PROCESS": str(os.getpid()),
    }  # fmt: skip
    command = [sys.executable, "-c", code]
    told = subprocess.run(command, env=os.environ | simulated, cwd=ROOT, capture_output=True, check=True).stdout
    first, second = msgspec.json.decode(told)
    assert (first["load_percent"], second["load_percent"]) == (35, 55)
    assert first["power_mw"] == {"reason": "NVML says: Not Supported"}
    assert second["power_mw"] == 90_000
    assert first["throttled"] == ["power limit"]
    assert [part["uuid"][:4] for part in first["slices"]] == ["MIG-", "MIG-"]
    assert first["processes"][0]["pid"] == os.getpid()
    assert first["processes"][0]["owner"]
    assert (first["pci_bus_id"], second["slices"]) == ("00000000:01:00.0", [])


def test_a_fault_while_reading_does_not_end_the_readings_for_good():
    def read(_at_s: float) -> Reading:
        raise OSError("once")

    sampler = Sampler(read)
    sampler._thread = threading.current_thread()
    sampler.look()
    with pytest.raises(OSError, match="once"):
        sampler._live()
    assert not sampler.awake  # so the next to look starts it again
