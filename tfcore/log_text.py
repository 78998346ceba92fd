"""The text of a log, in whatever encoding it was written."""

from __future__ import annotations

import codecs
from collections.abc import Callable

ENOUGH_TO_TELL = 256


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
