"""A worker's stdout and stderr go to files, so that what native code prints is kept, even by a crash."""

from __future__ import annotations

import os
import resource

LIMIT_BYTES = 256 * 2**20


def redirect(stdout: str, stderr: str) -> None:
    """Send both streams of this process, native code's too, to files that the system keeps bounded."""
    for target, path in ((1, stdout), (2, stderr)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, target)
        os.close(file)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_BYTES, hard))  # Python ignores SIGXFSZ: writes then fail


def check_complete() -> None:
    """Raise OSError if a stream's file could not take one more byte: its log may be cut short."""
    for stream in (1, 2):
        size = os.fstat(stream).st_size
        os.write(stream, b"\n")
        os.ftruncate(stream, size)


def captured(stream: int) -> str:
    """Give what this process has printed so far, from the file behind file descriptor 1 or 2."""
    with open(f"/dev/fd/{stream}", "rb") as file:
        file.seek(0)
        return file.read().decode(errors="replace")
