"""Read where operations ran from a log of any TensorFlow since 2015, as a stream.

The grammar: a placer record is a node of a graph, `name: (Op): DEVICE`, without the kind in TensorFlow 0.x
and without the last colon on stderr of 1.x. An eager record is `Executing op Op in device DEVICE`. Sources:
TensorFlow's placer.cc, simple_placer.cc and eager/execute.cc through the versions. Anything may stand before
a record on its line, so records are searched for. What merely mentions a device is no record.

A log repeats itself: every text is worked out once and remembered, and most lines cost no more than a look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tfcore.log_text import Decoder
from tfcore.placement import (
    Event,
    Node,
    Placement,
    Record,
    SeenDevice,
    Unreadable,
    in_canonical_form,
)
from tfcore.placement_graphs import ARGUMENT, CALL, CUT, MENTION, MOST_LISTED, NODE, RETURN, Graphs

MOST_EVENTS = 20_000
MOST_UNREADABLE = 200
MOST_REMEMBERED = 50_000
LONGEST_LINE = 1 << 20
RAW_BYTES = 400
DAY_S = 86_400.0

_DEVICE = (
    rb"(?:/job:[\w.-]+/replica:\d+/task:\d+/|/job:[\w.-]+/task:\d+/|/)?"
    rb"(?:device:)?[A-Za-z]\w*:(?:\d(?=20\d\d-\d\d-\d\d )|\d{1,3}(?!\d))"
)
_NAME = rb"[\w.^][\w./^>\\-]*"
_RECORD = re.compile(
    rb"Executing op (?P<called>\w\S*) in device (?P<ran>" + _DEVICE + rb")"
    rb"|(?P<name>" + _NAME + rb"): ?\((?P<kind>\w+)\)(?:: ?)?(?P<placed>" + _DEVICE + rb")"
)
_MARKS = (b"device", b"Executing op", b"placer.cc:", b"): /")
_WHOLE_NAME = re.compile(_NAME).fullmatch
_WHOLE_DEVICE = re.compile(_DEVICE).fullmatch
_BEFORE = rb"(?:\s|#|>|\(\w*\s?pid=\d+\))*"
_OLD = re.compile(_BEFORE + rb"(?P<name>" + _NAME + rb"): (?P<placed>(?=/job:)" + _DEVICE + rb")\s*\Z")
_LOOKS_CUT = re.compile(rb"Executing op|" + _NAME + rb": ?\(\w*\)?:? ?(?:/|\Z)|^" + _BEFORE + _NAME + rb": /job:\S*\Z")
_PLACER = re.compile(rb"(?<![a-z_])(?:simple_)?placer\.cc:")
_EXISTS = re.compile(
    rb"(?:Creat(?:ed|ing) (?:TensorFlow )?device \(?|_DeviceAttributes\(|^\s*)(?P<device>" + _DEVICE + rb")"
    rb"(?: with|\)? -> (?:device:|physical|\(device:)|, [A-Z]+, \d)"
)
_MODEL = re.compile(rb"name: (?P<model>[^,)]+)")
_ANSI = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_TIME = re.compile(
    rb"(?:(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d\.\d{3,6})|00:00:(?P<unix>\d{9,11}\.\d{1,6}))(?!.*\d\d:\d\d:\d)"
)
_ARGUMENTS = frozenset({"_Arg", "_DeviceArg"})
_RETURNS = frozenset({"_Retval", "_DeviceRetval"})

Parsed = tuple[int, Any]
_NOTHING: Parsed = (MENTION, None)


def read(chunks: Iterator[bytes], heard: Callable[[int], None] | None = None) -> Placement:
    """Read a log in pieces of any size. `heard` is told how many bytes have been read."""
    reader, size = LogReader(), 0
    for chunk in chunks:
        reader.feed(chunk)
        size += len(chunk)
        if heard:
            heard(size)
    return reader.finish()


def read_text(text: str) -> Placement:
    """Read a log that is at hand as a whole."""
    return read(iter([text.encode(errors="surrogateescape")]))


class LogReader:
    """Takes a log piece by piece, and knows at the end what was placed and executed where."""

    def __init__(self) -> None:
        self._decode = Decoder()
        self._tail = b""
        self._lines = 0
        self._texts: dict[bytes, Parsed] = {}
        self._devices: dict[bytes, str | None] = {}
        self._cut: bytes | None = None
        self._cut_line = 0
        self._graphs = Graphs()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._first: dict[object, tuple[int, bytes]] = {}
        self._events: list[tuple[int, bytes, tuple[str, str]]] = []
        self._unreadable: list[Unreadable] = []
        self._unreadable_count = 0
        self._seen: dict[str, str] = {}

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
        self._read(self._decode(data))

    def _read(self, data: bytes) -> None:
        data = self._tail + data
        half = b"\r" if data.endswith(b"\r") else b""  # perhaps the first half of a line's end
        data = data.removesuffix(half)
        if b"\x1b" in data:
            data = _ANSI.sub(b"", data)
        if b"\b" in data:
            data = data.replace(b"\b", b"")
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = data.split(b"\n")
        self._tail = lines.pop() + half
        if len(self._tail) > LONGEST_LINE:
            lines.append(self._tail)
            self._tail = b""
        self._take(lines)

    def finish(self) -> Placement:
        """Take what is left, and give the result."""
        self._read(self._decode.rest())
        if last := self._tail.rstrip(b"\r"):
            self._take([last])
        self._give_up_on_cut()
        self._graphs.finish_group("")
        return self._result()

    def _take(self, lines: list[bytes]) -> None:
        """Read lines. Nearly all hold no record, or one that is known: they must cost next to nothing."""
        number, texts, graphs, calls, events = self._lines, self._texts, self._graphs, self._calls, self._events
        for line in lines:
            number += 1
            if self._cut is not None and self._joins(line):
                continue
            job = line.find(b"/job:")
            if job < 0:
                if (
                    b"device" not in line
                    and b"Executing op" not in line
                    and b"placer.cc:" not in line
                    and b"): /" not in line
                ):
                    continue
                job = len(line)
            at = line.rfind(b"] ", 0, job)
            text = line[at + 2 :] if at >= 0 else line
            code, value = texts.get(text) or self._new_text(line, line[: max(0, at)], text, number)
            if code == CALL:
                calls[value] += 1
                graphs.finish_group(value[0])
                if len(events) < MOST_EVENTS:
                    events.append((number, line[: max(0, at)], value))
            elif code == CUT:
                self._give_up_on_cut()
                self._cut, self._cut_line = line, number
            elif code and (code != NODE or value != graphs.last):
                graphs.add(code, value)
        self._lines = number

    def _new_text(self, line: bytes, head: bytes, text: bytes, number: int) -> Parsed:
        """Work a text out, and remember it with the line where it first stood."""
        parsed = self._quickly(text)
        if parsed is None:
            found = list(_RECORD.finditer(line))
            if len(found) > 1 or (found and not _RECORD.search(text)):
                for each in found:  # of more than this text alone, so that nothing may be remembered
                    self._note(_of_match(each), number, line, head)
                return _NOTHING
            parsed = self._thoroughly(line, head, text)
        if parsed[0] == CUT:
            return parsed
        if len(self._texts) >= MOST_REMEMBERED:
            self._texts.clear()
        self._texts[text] = parsed
        if parsed[0] and len(self._first) < MOST_LISTED:
            self._first.setdefault(parsed[1], (number, line[:RAW_BYTES]))
        return parsed

    def _quickly(self, text: bytes) -> Parsed | None:
        """Read a record that stands alone and is whole, as nearly all are."""
        at = text.rfind(b"/job:")
        device = self._device(text[at:]) if at > 0 else None
        if device is None:
            return None
        before = text[:at]
        if before.startswith(b"Executing op ") and before.endswith(b" in device "):
            return _call(before[13:-11], device) if b" " not in before[13:-11] else None
        name, found, kind = before.rstrip(b": ").rpartition(b": (")
        if not found or kind[-1:] != b")" or (not kind[:-1].isalnum() and b"_" not in kind) or b" " in name:
            return None
        return _node(name, kind[:-1], device) if _WHOLE_NAME(name) else None

    def _thoroughly(self, line: bytes, head: bytes, text: bytes) -> Parsed:
        """Search the whole line for a record, then once more without what a hard wrap put in."""
        for tried in (text, line, re.sub(rb"  +", b"", text)):
            if found := _RECORD.search(tried):
                return _of_match(found)
        by_placer = bool(_PLACER.search(head or line))
        if found := _OLD.fullmatch(text if by_placer or head == b"" else b""):
            return _node(found["name"], b"", in_canonical_form(found["placed"].decode()))
        if found := _EXISTS.search(line):
            model = _MODEL.search(line)
            self._seen.setdefault(
                in_canonical_form(found["device"].decode()), model["model"].decode(errors="replace") if model else ""
            )
            return _NOTHING
        bare_prefix = by_placer and not text.strip()
        cut = bare_prefix or (_LOOKS_CUT.search(text) and b"->" not in text)
        return (CUT, line) if cut else _NOTHING

    def _device(self, text: bytes) -> str | None:
        """Give a device in its canonical form; None if the text is none, or more than one."""
        try:
            return self._devices[text]
        except KeyError:
            known = in_canonical_form(text.decode()) if _WHOLE_DEVICE(text) else None
            if len(self._devices) < MOST_REMEMBERED:
                self._devices[text] = known
            return known

    def _note(self, parsed: Parsed, number: int, line: bytes, head: bytes) -> None:
        """Count one record that does not come the common way."""
        code, value = parsed
        if len(self._first) < MOST_LISTED:
            self._first.setdefault(value, (number, line[:RAW_BYTES]))
        if code != CALL:
            self._graphs.add(code, value)
            return
        self._calls[value] += 1
        self._graphs.finish_group(value[0])
        if len(self._events) < MOST_EVENTS:
            self._events.append((number, head, value))

    def _joins(self, line: bytes) -> bool:
        """Read a record that was broken over two lines. Whether this line was its second half."""
        first, self._cut = self._cut or b"", None
        for between in (b"", b" "):
            whole = first.rstrip() + between + line.strip()
            found = _RECORD.search(whole) if not _RECORD.search(line) else None
            if found:
                self._note(_of_match(found), self._cut_line, whole, first)
                return True
        if not first.rstrip().endswith(b"]"):  # a prefix alone says nothing: its record follows on a line of its own
            self._cut = first
            self._give_up_on_cut()
        return False

    def _give_up_on_cut(self) -> None:
        if self._cut is None:
            return
        self._unreadable_count += 1
        if len(self._unreadable) < MOST_UNREADABLE:
            self._unreadable.append(Unreadable(self._cut_line, _text(self._cut[:RAW_BYTES])))
        self._cut = None

    def _result(self) -> Placement:
        users = self._graphs.users({kind for kind, _ in self._calls})
        records = [
            Record(Node(*node), node in users, 1, *self._where(node)) for node in self._graphs.nodes
        ]  # fmt: skip
        calls = [
            Record(Node("", kind, device), kind != "_EagerConst", count, *self._where((kind, device)))
            for (kind, device), count in self._calls.items()
        ]
        events = tuple(
            Event(number, kind, device, seconds)
            for (number, _, (kind, device)), seconds in zip(self._events, _times(self._events), strict=True)
        )
        for record in (*records, *calls):
            self._seen.setdefault(record.node.device, "")
        return Placement(
            tuple(records), tuple(calls), events, tuple(SeenDevice(*seen) for seen in self._seen.items()),
            self._lines, self._unreadable_count, tuple(self._unreadable), dict_of(self._graphs.not_listed),
        )  # fmt: skip

    def _where(self, key: object) -> tuple[int, str]:
        number, raw = self._first.get(key, (0, b""))
        return number, _text(raw)


def _of_match(found: re.Match[bytes]) -> Parsed:
    if found["called"] is not None:
        return _call(found["called"], in_canonical_form(found["ran"].decode()))
    return _node(found["name"], found["kind"], in_canonical_form(found["placed"].decode()))


def _call(kind: bytes, device: str) -> Parsed:
    return CALL, (_text(kind), device)


def _node(name: bytes, kind: bytes, device: str) -> Parsed:
    node = (_text(name), _text(kind), device)
    code = ARGUMENT if node[1] in _ARGUMENTS else RETURN if node[1] in _RETURNS else NODE
    return code, node


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _times(events: list[tuple[int, bytes, tuple[str, str]]]) -> Iterator[float | None]:
    """Give the seconds since the first event that has a time; None where a line has none."""
    first = None
    for _, head, _ in events:
        found = _TIME.search(head)
        if not found:
            yield None
            continue
        clock = found["unix"] or found["s"]
        seconds = float(clock) + (0 if found["unix"] else int(found["h"]) * 3600 + int(found["m"]) * 60)
        first = (seconds, bool(found["unix"])) if first is None else first
        if first[1] != bool(found["unix"]):
            yield None  # two kinds of clock cannot be set against each other
            continue
        passed = seconds - first[0]
        yield passed + DAY_S if passed < 0 and not first[1] else max(0.0, passed)


def dict_of(counter: Counter[tuple[str, str]]) -> tuple[tuple[str, str, int], ...]:
    """Give a counter's items as plain tuples."""
    return tuple((kind, device, count) for (kind, device), count in counter.items())
