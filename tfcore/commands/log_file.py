"""A log that is named on the command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tfcore import placement_files
from tfcore.errors import LogFileError


def pieces_of(path: str) -> Iterator[bytes]:
    """Read a log in pieces, plain or gzip, or stdin for "-". Raise LogFileError where it cannot be read."""
    if path == "-":
        yield from placement_files.pieces(sys.stdin.buffer)
        return
    try:
        with open(path, "rb") as file:
            yield from placement_files.pieces(file)
    except OSError as error:
        raise LogFileError(f"{path} cannot be read: {error.strerror}.") from None
