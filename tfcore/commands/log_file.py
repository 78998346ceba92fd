"""A log that is named on the command line."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from typing import IO

from tfcore import placement_files
from tfcore.errors import LogFileError


def pieces_of(path: str) -> Iterator[bytes]:
    """Read a log in pieces, plain or gzip, or stdin for "-". Raise LogFileError where it cannot be read."""
    if path == "-":
        yield from placement_files.pieces(_stdin())
        return
    try:
        with open(path, "rb") as file:
            yield from placement_files.pieces(file)
    except OSError as error:
        raise LogFileError(f"{path} cannot be read: {error.strerror}.") from None


def _stdin() -> IO[bytes]:
    """Give stdin with a buffer of our own: Python cannot end while a thread waits on its own buffer of it."""
    try:
        return io.BufferedReader(io.FileIO(os.dup(sys.stdin.fileno())))
    except (OSError, ValueError):
        return sys.stdin.buffer
