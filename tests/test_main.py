from __future__ import annotations

import contextlib
import json
import sys

import pytest

from tfcore import __main__ as command_line
from tfcore import results


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


def test_an_output_that_cannot_be_written_is_said_in_a_sentence(capsys, monkeypatch):
    full = open("/dev/full", "w")  # noqa: SIM115
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        assert command_line.main(["devices"]) == 1
    with contextlib.suppress(OSError):
        full.close()
    assert "the output cannot be written: No space left on device" in capsys.readouterr().err


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


BRIEF = ["bench", "--workload", "matmul", "--sizes", "64", "--contenders", "cpu,cpu:threads=1", "--budget", "0.05"]


def test_bench_prints_a_comparison_with_progress_on_stderr(capsys):
    assert command_line.main(BRIEF) == 0
    captured = capsys.readouterr()
    assert "baseline" in captured.out
    assert "CPU:0, 1 thread" in captured.out
    assert "Traceback" not in captured.err


def test_bench_prints_json_that_opens_again_and_csv(capsys):
    assert command_line.main([*BRIEF, "--json"]) == 0
    assert len(results.from_json(capsys.readouterr().out.encode()).points) == 2
    assert command_line.main([*BRIEF, "--csv"]) == 0
    assert capsys.readouterr().out.startswith("workload,size,device")


def test_bench_writes_a_report_or_says_why_not(tmp_path, capsys):
    assert command_line.main([*BRIEF, "--html", str(tmp_path / "report.html")]) == 0
    assert "Matrix product" in (tmp_path / "report.html").read_text()
    assert command_line.main([*BRIEF, "--html", str(tmp_path / "no" / "report.html")]) == 1
    assert "cannot be written: No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--workload", "nothing"], "“nothing” is not a workload"),
        (["--sizes", "1,x"], "“1,x” are not sizes"),
        (["--contenders", "tpu"], "“tpu” is not a contender"),
        (["--contenders", "gpu:7"], "GPU:7 is not there"),
        (["--budget", "-1"], "cannot be a budget"),
    ],
)
def test_bench_refuses_what_cannot_be(capsys, arguments, said):
    assert command_line.main([*BRIEF, *arguments]) == 2
    assert said in capsys.readouterr().err
