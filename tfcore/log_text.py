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
        for marks, name in (((b"\xff\xfe",), "utf-16"), ((b"\xfe\xff",), "utf-16")):
            if data.startswith(marks):
                decoder = codecs.getincrementaldecoder(name)(errors="replace")
                return lambda piece: decoder.decode(piece).encode(errors="replace")
        if data[1:200:2].count(0) > 0.8 * len(data[1:200:2]) > 1:
            decoder = codecs.getincrementaldecoder("utf-16-le")(errors="replace")
            return lambda piece: decoder.decode(piece).encode(errors="replace")
        return lambda piece: piece
