from __future__ import annotations

import json

import pytest

from tfcore import __main__ as command_line


@pytest.fixture(autouse=True)
def shared(backend, monkeypatch):
    """Let commands use the tests' backend, and leave it alive."""
    monkeypatch.setattr(command_line, "Backend", lambda: backend)
    monkeypatch.setattr(type(backend), "close", lambda self: None)


def test_devices_prints_what_a_person_reads(capsys):
    assert command_line.main(["devices"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("TensorFlow sees ")
    assert "CPU:0  on /physical_device:CPU:0" in printed


def test_devices_prints_json_with_the_settings_it_used(capsys):
    assert command_line.main(["devices", "--json", "--cpu-devices", "2", "--strict"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["settings"]["soft_placement"] is False
    assert [device["name"] for device in printed["logical"]] == ["/device:CPU:0", "/device:CPU:1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--gpus", "9"], "GPU 9 is not there"),
        (["--gpus", "x"], "is not a choice of GPUs"),
        (["--memory", "limit:-5"], "cannot be a memory limit"),
        (["--memory", "half"], "is not a memory mode"),
        (["--cpu-devices", "99"], "99 logical CPU devices cannot be made"),
    ],
)
def test_what_cannot_be_is_refused_with_status_2(capsys, arguments, said):
    assert command_line.main(["devices", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.simgpu
def test_one_gpu_with_a_limit_is_exactly_one_logical_gpu_of_that_size(two_gpus, capsys, monkeypatch):
    monkeypatch.setattr(command_line, "Backend", lambda: two_gpus)
    assert command_line.main(["devices", "--json", "--gpus", "1", "--memory", "limit:1024"]) == 0
    logical = json.loads(capsys.readouterr().out)["logical"]
    gpus = [device for device in logical if device["type"] == "GPU"]
    assert [(gpu["physical"], gpu["memory_limit_mb"]) for gpu in gpus] == [("/physical_device:GPU:1", 1024)]


@pytest.mark.simgpu
def test_a_limit_above_the_gpu_is_refused(two_gpus, capsys, monkeypatch):
    monkeypatch.setattr(command_line, "Backend", lambda: two_gpus)
    assert command_line.main(["devices", "--memory", "limit:9000"]) == 2
    assert "at most 8192 MB" in capsys.readouterr().err
