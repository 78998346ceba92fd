from __future__ import annotations

import errno
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import need
from tfcore.devices import Unavailable
from tfcore.evidence import Machine
from tfcore.probe import gather, hardware, libraries, system
from tfcore.probe.__main__ import attempt, machine
from tfcore.probe.files import Files


def write(root: Path, files: dict[str, str]) -> Files:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return Files(str(root))


def test_a_system_without_proc_and_sys_leaves_what_is_unknown_unknown(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    found = machine(str(tmp_path))
    assert isinstance(found.gpus, Unavailable)
    assert found.module_version == Unavailable("/proc is not there to tell")
    assert found.module_on_disk == Unavailable("no command modinfo")
    assert found.nvidia_smi == Unavailable("no command nvidia-smi")
    assert not isinstance(found.system, Unavailable)


def test_the_whole_of_it_survives_the_way_between_the_processes():
    found = gather.gather()
    assert isinstance(found, Machine)
    assert not isinstance(found.system, Unavailable)
    assert found.system.python


def test_a_probe_that_gives_no_answer_says_so_for_each_item():
    found = gather.gather(limit_s=0.0)
    assert found.gpus == Unavailable("no answer from the probe within 0 s")


def test_one_question_that_fails_leaves_the_others():
    assert attempt(lambda: 1 // 0) == Unavailable("ZeroDivisionError: integer division or modulo by zero")


@pytest.mark.parametrize(
    ("files", "environment", "container", "wsl"),
    [
        ({".dockerenv": ""}, {}, "Docker", 0),
        ({"run/.containerenv": ""}, {}, "Podman", 0),
        ({}, {"KUBERNETES_SERVICE_HOST": "x"}, "Kubernetes", 0),
        ({}, {"APPTAINER_CONTAINER": "x"}, "Apptainer", 0),
        ({"proc/1/cgroup": "0::/lxc/a"}, {}, "LXC", 0),
        ({"proc/version": "Linux version 5.15.1-microsoft-standard-WSL2 (gcc)"}, {}, "", 2),
        ({"proc/version": "Linux version 4.4.0-19041-Microsoft"}, {}, "", 1),
        ({}, {}, "", 0),
    ],
)
def test_containers_and_wsl_are_told(tmp_path, files, environment, container, wsl):
    found = system.system(write(tmp_path, files), environment)
    assert (found.container, found.wsl) == (container, wsl)


def test_graphics_devices_are_read_from_the_bus(tmp_path):
    bus = "sys/bus/pci/devices/0000:01:00.0"
    files = write(tmp_path, {
        f"{bus}/vendor": "0x10de\n", f"{bus}/class": "0x030000\n", f"{bus}/uevent": "DRIVER=nouveau\n",
        "sys/bus/pci/devices/0000:02:00.0/vendor": "0x8086\n", "sys/bus/pci/devices/0000:02:00.0/class": "0x020000\n",
    })  # fmt: skip
    assert hardware.gpus(files) == (hardware.Gpu("nvidia", "0000:01:00.0", "nouveau"),)


def test_the_kernel_modules_version_is_read(tmp_path):
    told = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  384.130  Wed Mar 21 03:37:26 PDT 2018"
    assert hardware.module_version(write(tmp_path, {"proc/driver/nvidia/version": told})) == "384.130"
    opened = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build"
    assert hardware.module_version(write(tmp_path, {"proc/driver/nvidia/version": opened})) == "570.86.15"


def test_a_file_that_may_not_be_read_says_so(tmp_path, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert "Permission denied" in str(Files(str(tmp_path)).read("/secret"))


def test_a_folder_in_the_place_of_a_file_says_so(tmp_path):
    (tmp_path / "proc").mkdir()
    assert "cannot be read" in str(Files(str(tmp_path)).read("/proc"))


@pytest.mark.simgpu
def test_a_library_that_crashes_when_it_is_opened_harms_nothing(tmp_path):
    need(shutil.which("cc"), "this test needs a C compiler named cc")
    source = tmp_path / "bad.c"
    source.write_text("#include <stdlib.h>\n__attribute__((constructor)) void crash(void) { abort(); }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(tmp_path / "libcudnn.so.9"), str(source)], check=True)
    found = libraries.open_one("libcudnn.so.9", [str(tmp_path)])
    assert found.reason == "it crashed (SIGABRT)"


def test_a_file_that_is_no_library_gives_the_loaders_reason(tmp_path):
    (tmp_path / "libcudnn.so.9").write_text("not a library")
    assert "file too short" in libraries.open_one("libcudnn.so.9", [str(tmp_path)]).reason


@pytest.mark.simgpu
def test_simulated_gpus_are_listed_with_their_memory_and_the_drivers_answer(simgpu_folder, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(simgpu_folder))
    monkeypatch.setenv("SIMGPU_COUNT", "2")
    found = gather.gather()
    assert not isinstance(found.cuda, Unavailable)
    assert (found.cuda.name, found.cuda.devices, found.cuda.cuda) == ("CUDA_SUCCESS", 2, "12.8")
    assert not isinstance(found.memory, Unavailable)
    assert [gpu.index for gpu in found.memory] == [0, 1]
    assert not isinstance(found.libraries, Unavailable)
    assert all(library.path.startswith(str(simgpu_folder)) for library in found.libraries)


def test_variables_that_do_not_bear_on_gpus_are_left_alone():
    found = system.environment(
        {"CUDA_VISIBLE_DEVICES": "0", "HOME": "/home/ann", "AWS_SECRET": "x", "TF_CPP_MIN_LOG_LEVEL": "2"}
    )
    assert found == {"CUDA_VISIBLE_DEVICES": "0", "TF_CPP_MIN_LOG_LEVEL": "2"}
