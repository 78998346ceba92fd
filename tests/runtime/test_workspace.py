from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import need
from tfcore.errors import WorkspaceError
from tfcore.runtime.backend import Backend
from tfcore.runtime.workspace import Workspace, tail
from tfcore.settings import Settings


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB, which is full at once."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
    )
    need(mounted, "only root may mount a tiny disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_folder_is_made_when_it_is_needed_and_removed_at_the_end(tmp_path):
    workspace = Workspace(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    folder = workspace.folder("job")
    assert folder.is_dir()
    assert list(folder.iterdir()) == []
    workspace.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_somebody_removed_is_made_again(tmp_path):
    workspace = Workspace(str(tmp_path))
    shutil.rmtree(workspace.folder("job").parent)
    assert workspace.folder("job").is_dir()


def test_what_a_killed_server_left_is_swept_away_but_not_what_lives(tmp_path):
    living = Workspace(str(tmp_path))
    kept = living.folder("job").parent
    (tmp_path / "tensorflow-gpu-lab-dead").mkdir()
    (tmp_path / "tensorflow-gpu-lab-dead" / "lock").touch()
    (tmp_path / "somebody-elses").mkdir()
    newcomer = Workspace(str(tmp_path)).folder("job").parent
    assert sorted(tmp_path.iterdir()) == sorted([kept, newcomer, tmp_path / "somebody-elses"])


def test_only_the_end_of_a_log_is_read(tmp_path):
    log = tmp_path / "log"
    log.write_bytes(b"x" * 200_000 + b"\n" + b"\n".join(b"line %d" % n for n in range(100)) + b"\n\xff")
    assert tail(log, lines=3) == "line 98\nline 99\n\N{REPLACEMENT CHARACTER}"
    assert tail(tmp_path / "missing") == ""


def test_a_full_disk_fails_the_job_with_that_reason(tiny_disk):
    backend = Backend(workspace=Workspace(str(tiny_disk)))
    try:
        backend.runtime(Settings()).result()
        (tiny_disk / "filler").write_bytes(bytes(_room(tiny_disk)))
        with pytest.raises(WorkspaceError, match="disk that holds it is full"):
            backend.runtime(Settings(cpu_devices=2)).result()
        (tiny_disk / "filler").unlink()
        assert len(backend.runtime(Settings(cpu_devices=3)).result().logical) == 3
    finally:
        backend.close()


def test_a_folder_that_cannot_be_made_fails_the_job_with_that_reason():
    backend = Backend(workspace=Workspace("/proc"))
    with pytest.raises(WorkspaceError, match="TMPDIR"):
        backend.runtime(Settings()).result()
    backend.close()


def test_a_read_only_folder_is_called_so():
    error = WorkspaceError.because(OSError(errno.EROFS, "Read-only file system"), "/tmp/x")
    assert "read-only" in error.cause


def _room(folder: Path) -> int:
    free = os.statvfs(folder)
    return free.f_bavail * free.f_frsize
