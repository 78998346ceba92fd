"""Placement logs and results as files: logs plain or compressed, results as JSON and CSV."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from typing import IO, Any

import msgspec

from tfcore.errors import LogFileError
from tfcore.placement_reasons import Explained, summary
from tfcore.words import harmless

PIECE_BYTES = 1 << 20
MOST_BYTES = 500 * 2**20
MOST_UNPACKED_BYTES = 4 * 2**30
COLUMNS = ("kind", "device", "placed", "executed", "reason", "names", "line", "raw")


def pieces(file: IO[bytes], most: int = MOST_UNPACKED_BYTES) -> Iterator[bytes]:
    """Read a file in pieces; one compressed with gzip is unpacked. Raise LogFileError where it cannot be."""
    packed = _first_two(file) == b"\x1f\x8b"
    source: IO[bytes] = gzip.GzipFile(fileobj=file) if packed else file  # type: ignore[assignment]
    size = 0
    while True:
        try:
            piece = source.read(PIECE_BYTES)
        except (OSError, EOFError, zlib.error) as error:
            raise LogFileError(
                "The log cannot be read to its end.", cause=f"The archive is cut short or damaged ({error}).",
                todo="Unpack what can be unpacked, and open that: gzip -dc FILE > log",
            ) from None  # fmt: skip
        if not piece:
            return
        size += len(piece)
        if size > most:
            raise LogFileError(f"The log is larger than {most / 2**30:g} GB when unpacked.", todo="Cut it in parts.")
        yield piece


def size_to_read(file: IO[bytes], size: int) -> int:
    """Give how many bytes will be read of a file of this size; 0 where it is compressed, which does not tell."""
    return 0 if _first_two(file) == b"\x1f\x8b" else size


def _first_two(file: IO[bytes]) -> bytes:
    """Look at the first two bytes without taking them; a pipe can only be peeked at."""
    if file.seekable():
        first = file.read(2)
        file.seek(0)
        return first
    return file.peek(2)[:2] if isinstance(file, io.BufferedReader) else b""


def as_dict(explained: Explained) -> dict[str, Any]:
    """Give a result for JSON. Counts are comparable with those of any other reader of the same log."""
    found = explained.placement
    return {
        "nodes": found.node_count,
        "placed": found.placed,
        "executed": found.executed,
        "unreadable": found.unreadable,
        "lines": found.lines,
        "by_device": found.by_device(),
        "operations": [
            {
                "kind": row.kind,
                "device": row.device,
                "placed": row.placed,
                "executed": row.executed,
                "names": list(row.names),
                "reason": explained.reason(row) or None,
            }
            for row in found.operations
        ],
        "devices": {seen.device: seen.model for seen in found.devices},
        "registry": explained.registry_version,
        "messages": [{"meaning": meaning, "todo": todo} for meaning, todo in explained.messages],
        "summary": summary(explained),
    }


def to_json(explained: Explained, error: str = "") -> bytes:
    """Write a result as JSON, with TensorFlow's own error where it refused."""
    found = as_dict(explained) | ({"error": error} if error else {})
    return msgspec.json.format(msgspec.json.encode(found), indent=2)


def to_csv(explained: Explained) -> str:
    """Write one row for each kind of operation on each device. No cell is ever a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in explained.placement.operations:
        counts = (row.kind, row.device, row.placed, row.executed)
        cells = (*counts, explained.reason(row), " ".join(row.names), row.line, row.raw)
        writer.writerow([harmless(cell) for cell in cells])
    return text.getvalue()
