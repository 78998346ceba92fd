"""The text of a log, in whatever encoding it was written."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator

ENOUGH_TO_TELL = 256
LONGEST_LINE_BYTES = 1 << 20


class Decoder:
    """Gives UTF-8, whatever the log is written in; bytes that are no text stay as they are."""

    def __init__(self) -> None:
        self._convert: Callable[[bytes], bytes] | None = None
        self._held = b""

    def __call__(self, data: bytes) -> bytes:
        """Take the next piece, and give what of it can be given yet."""
        if self._convert:
            return self._convert(data)
        self._held += data
        return self.rest() if len(self._held) >= ENOUGH_TO_TELL else b""

    def rest(self) -> bytes:
        """Give what was held back until the encoding could be told."""
        held, self._held = self._held, b""
        if self._convert is None:
            self._convert = self._chosen(held)
        return self._convert(held)

    @staticmethod
    def _chosen(data: bytes) -> Callable[[bytes], bytes]:
        """Tell by the mark at the start, or by where the zeros of 16-bit text are."""
        if data.startswith(codecs.BOM_UTF8):
            return _WithoutMark()
        name = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else ""
        for first, found in ((1, "utf-16-le"), (0, "utf-16-be")):
            half = data[first:200:2]
            if not name and half.count(0) > 0.8 * len(half) > 1:
                name = found
        if not name:
            return bytes
        decoder = codecs.getincrementaldecoder(name)(errors="replace")
        return lambda piece: decoder.decode(piece).encode(errors="replace")


class _WithoutMark:
    """Leaves out UTF-8's mark at the start."""

    def __init__(self) -> None:
        self._first = True

    def __call__(self, piece: bytes) -> bytes:
        first, self._first = self._first, False
        return piece.removeprefix(codecs.BOM_UTF8) if first else piece


class Ends:
    """Keeps the beginning and the end of a log, where its messages are; `most_bytes` of each."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._head, self._tail = b"", b""
        self._left_out = False

    def add(self, data: bytes) -> None:
        """Take the next piece of decoded text."""
        room = self._most - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._tail += data[max(0, room) :]
        if len(self._tail) > self._most:
            self._tail, self._left_out = self._tail[-self._most :], True

    def text(self) -> str:
        """Give both as one text, with a line break where something was left out."""
        between = b"\n" if self._left_out else b""
        return (self._head + between + self._tail).decode(errors="replace")


def decoded(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Give the pieces of a log in UTF-8."""
    decode = Decoder()
    yield from map(decode, pieces)
    yield decode.rest()


def lines_with(words: str, pieces: Iterable[bytes], most_bytes: int) -> tuple[str, bool]:
    """Give the lines that hold the words, in any case, and whether there are more than fit in `most_bytes`."""
    wanted, found, size = words.lower().encode(errors="replace"), [], 0
    for block in whole_lines(decoded(pieces)):
        if wanted not in block.lower():
            continue
        for line in block.splitlines():
            if wanted in line.lower():
                found.append(line)
                size += len(line) + 1
            if size > most_bytes:
                return _joined(found)[:most_bytes], True
    return _joined(found), False


def whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Cut pieces at the ends of lines; a line of more than 1 MB is cut where it stands."""
    rest = b""
    for piece in pieces:
        block = rest + piece
        end = block.rfind(b"\n") + 1 or (len(block) if len(block) > LONGEST_LINE_BYTES else 0)
        rest = block[end:]
        if end:
            yield block[:end]
    yield rest


def _joined(lines: list[bytes]) -> str:
    return b"\n".join(lines).decode(errors="replace")
