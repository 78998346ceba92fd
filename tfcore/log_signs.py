"""What a TensorFlow log of any version tells about its GPUs: the reader that finds the signs of `sign_table`.

The words of a sign are looked for in whole blocks, so that a log of millions of other lines costs little.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tfcore.log_text import decoded, whole_lines
from tfcore.sign_table import TABLE

MOST_KEPT = 6
MOST_LINE = 400
MOST_TRIES = 500  # lines of one block that hold a sign's words and not the sign
UNWRAPPED_BYTES = 2 << 20
STEMS = (
    b"cuda",
    b"cudnn",
    b"could not",
    b"couldn't",
    b"cannot",
    b"can't",
    b"driver",
    b"nvidia",
    b"memory",
    b"failed",
    b"ptx",
    b"libdevice",
    b"library",
    b"lib",
    b"tensorflow",
    b"error",
    b"wsl",
    b".dll",
    b"register",
    b"avail",
    b"found",
    b"conda",
    b"windows",
    b"mac",
    b"compil",
    b"version",
    b"core",
    b"instruction",
    b"not ",
    b"creat",
    b"visible",
    b"xla",
    b"dock",
    b"metal",
    b"rocm",
    b"nvml",
    b"nvcc",
    b"gpus",
    b"oned",
    b"jet",
    b"minimum",
    b"kube",
    b"numa",
)


@dataclass(frozen=True)
class Seen:
    """A line that holds a sign: its number from 1, its text, and what the sign's expression names in it."""

    line: int
    text: str
    groups: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sign:
    """One row of the table."""

    name: str
    words: tuple[bytes, ...]
    pattern: re.Pattern[str] | None

    @cached_property
    def stems(self) -> tuple[tuple[bytes, bytes], ...]:
        """Each word with a stem in it: where the stem is absent, the word need not be looked for."""
        return tuple((word, next((stem for stem in STEMS if stem in word), b"")) for word in self.words)


SIGNS = tuple(
    Sign(name, tuple(word.encode() for word in words), re.compile(pattern, re.IGNORECASE) if pattern else None)
    for name, words, pattern in TABLE
)
SIGN_NAMES = frozenset(sign.name for sign in SIGNS)


@dataclass(frozen=True)
class Signs:
    """All signs of a log, each with its first lines. `version` is TensorFlow's, as far as the log tells."""

    seen: dict[str, tuple[Seen, ...]] = field(default_factory=dict)
    version: str = ""
    lines: int = 0
    absl_prefix: bool = False

    def get(self, *names: str) -> tuple[Seen, ...]:
        """Give the lines of these signs, in the order of the names."""
        unknown = set(names) - SIGN_NAMES
        assert not unknown, unknown
        return tuple(seen for name in names for seen in self.seen.get(name, ()))

    @property
    def harmless(self) -> tuple[Seen, ...]:
        """The lines that look alarming and are not, one of each kind."""
        return tuple(seen[0] for name, seen in self.seen.items() if name.startswith("harmless:"))


_ABSL = re.compile(rb"^.{0,80}?\b[IWEF]\d{4} \d\d:\d\d:\d{2,}\.\d+\S* +\d+ [\w/]*gpu_device\.cc", re.MULTILINE)
_VERSION = re.compile(
    r"(?:tensor ?flow(?:-gpu|-cpu|-intel|-macos|_gpu|_cpu)?(?:[ _.-]*(?:version|__version__))?\W{0,4}[=:(v ]*\s*"
    r"|\btf\W{0,3}(?:version\W{0,3})?|__version__\W*|^\W*(?:version: *)?)"
    r"v?(?P<version>[012]\.\d{1,2}(?:\.\d+)?)(?:[-+.\w]*)",
    re.IGNORECASE,
)
_NOISE = ((b"\\_", b"_"), (b"&#39;", b"'"), (b"&quot;", b'"'), (b"&gt;", b">"), (b"&lt;", b"<"), (b"\xc2\xa0", b" "))
_ANSI = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


def read(pieces: Iterable[bytes], tell: Callable[[int], None] | None = None) -> Signs:
    """Read a log as a stream. `tell` hears how many bytes are done. Any bytes at all can be read."""
    reader = _Reader()
    done = 0
    for block in whole_lines(decoded(pieces)):
        reader.take(block)
        done += len(block)
        if tell:
            tell(done)
    return reader.result()


class _Reader:
    """Gathers signs block by block."""

    def __init__(self) -> None:
        self._seen: dict[str, list[Seen]] = {}
        self._lines = 0
        self._version = ""
        self._absl = False
        self._head: list[bytes] = []
        self._kept = 0

    def take(self, block: bytes) -> None:
        block = _without_noise(block)
        if self._kept < UNWRAPPED_BYTES:
            self._head.append(block[: UNWRAPPED_BYTES - self._kept])
            self._kept += len(self._head[-1])
        lower = block.lower()
        absent = {stem for stem in STEMS if stem not in lower}
        wanted = [
            sign for sign in SIGNS
            if not self._is_full(sign) and any(stem not in absent and word in lower for word, stem in sign.stems)
        ]  # fmt: skip
        if wanted:
            self._look(block, lower, wanted)
        self._absl = self._absl or (b"gpu_device.cc" in lower and bool(_ABSL.search(block)))
        self._lines += block.count(b"\n") + (not block.endswith(b"\n") and bool(block))

    def result(self) -> Signs:
        self._look_across_lines()
        self._version = _version(b"".join(self._head))
        seen = {name: tuple(lines) for name, lines in self._seen.items()}
        return Signs(seen, self._version, self._lines, self._absl)

    def _is_full(self, sign: Sign) -> bool:
        return len(self._seen.get(sign.name, ())) >= MOST_KEPT

    def _look(self, block: bytes, lower: bytes, wanted: list[Sign]) -> None:
        """Find the lines of these signs in a block."""
        for sign in wanted:
            for tried, (start, end) in enumerate(_lines_with(lower, sign.words)):
                if self._is_full(sign):
                    break
                if self._try(sign, block[start:end].decode(errors="replace"), 0) is not None:
                    self._number(sign, self._lines + 1 + block.count(b"\n", 0, start))
                elif tried > MOST_TRIES:
                    break

    def _number(self, sign: Sign, line: int) -> None:
        """Give the last line that was kept its number; counting lines is dear, and few are kept."""
        seen = self._seen[sign.name]
        seen[-1] = Seen(line, seen[-1].text, seen[-1].groups)

    def _try(self, sign: Sign, text: str, line: int) -> Seen | None:
        """Keep a line if it holds the sign and is not the twin of one that is kept."""
        text = " ".join(text.split())
        for part in _around(text, sign) if len(text) > MOST_LINE else (text,):
            found = sign.pattern.search(part) if sign.pattern else None
            if sign.pattern and not found:
                continue
            start = max(0, (found.start() if found else 0) - 100) if len(part) > MOST_LINE else 0
            kept = part[start : start + MOST_LINE]
            groups = {name: value for name, value in found.groupdict().items() if value is not None} if found else {}
            seen = self._seen.setdefault(sign.name, [])
            if any(_same(old.text, kept) for old in seen):
                return None
            seen.append(Seen(line, kept, groups))
            return seen[-1]
        return None

    def _look_across_lines(self) -> None:
        """Find signs that a terminal or a paste has wrapped over two or three lines."""
        text = b"".join(self._head).decode(errors="replace")
        lines = text.splitlines()
        if len(lines) > 20_000:
            return
        missing = [sign for sign in SIGNS if sign.name not in self._seen and not sign.name.startswith("harmless")]
        for joint in (" ", ""):
            joined = joint.join(line.strip() for line in lines)
            lower = joined.lower().encode()
            for sign in missing:
                for word in sign.words:
                    at = lower.find(word)
                    if at >= 0 and len(word) > 12:
                        self._try(sign, lower[max(0, at - 160) : at + 240].decode(errors="replace"), 0)


def _lines_with(lower: bytes, words: tuple[bytes, ...]) -> Iterator[tuple[int, int]]:
    """Give the bounds of the lines that hold any of the words."""
    for word in words:
        at = lower.find(word)
        while at >= 0:
            start, end = lower.rfind(b"\n", 0, at) + 1, lower.find(b"\n", at)
            end = len(lower) if end < 0 else end
            yield start, end
            at = lower.find(word, end)


def _around(text: str, sign: Sign) -> Iterator[str]:
    """Cut windows out of a long line: a progress bar or a whole log may stand in one."""
    lower = text.lower()
    for word in sign.words:
        at = lower.find(word.decode())
        if at >= 0:
            yield text[max(0, at - MOST_LINE) : at + MOST_LINE]


def _same(one: str, other: str) -> bool:
    """Whether two lines differ only in numbers such as times."""
    return re.sub(r"[\d.:]{6,}", "#", one) == re.sub(r"[\d.:]{6,}", "#", other)


def _version(block: bytes) -> str:
    for line in block.splitlines()[:5000]:
        if len(line) < MOST_LINE and b"." in line:
            found = _VERSION.search(line.decode(errors="replace").strip())
            if found and not re.search(r"numpy|keras version|driver|cuda_version|python", found.string, re.IGNORECASE):
                return found["version"]
    return ""


def _without_noise(block: bytes) -> bytes:
    if b"\x1b" in block:
        block = _ANSI.sub(b"", block)
    for noise, plain in _NOISE:
        if noise in block:
            block = block.replace(noise, plain)
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
