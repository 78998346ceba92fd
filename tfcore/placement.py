"""Where operations were placed and where they ran: the values, the counts, and what may be said of them.

"Placed" counts nodes of graphs, each once, as TensorFlow's placer assigned them. "Executed" counts eager
calls, each time. The two are never added up: a node may run a thousand times, or never.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

WRAPPERS = frozenset({"_Arg", "_Retval", "_DeviceArg", "_DeviceRetval", "_EagerConst"})
ONE_DNN = "_Mkl"  # TensorFlow runs oneDNN’s version of an operation on processors that it suits
FUNCTION = "function"
_LONG = re.compile(
    r"(?:/job:(?P<job>[^/]+))?(?:/replica:\d+)?(?:/task:(?P<task>\d+))?/?(?:device:)?(?P<type>\w+):(?P<n>\d+)"
)


def in_canonical_form(device: str) -> str:
    """Write a device string as "GPU:0", and one of another job as "/job:worker/task:1/GPU:0"."""
    found = _LONG.fullmatch(device)
    if not found:
        return device
    short = f"{found['type'].upper()}:{found['n']}"
    if found["job"] in (None, "localhost"):
        return short
    return f"/job:{found['job']}/task:{found['task'] or 0}/{short}"


@dataclass(frozen=True)
class Executed:
    """One eager call: an operation and the device it ran on, such as "MatMul" and "GPU:0"."""

    op: str
    device: str


@dataclass(frozen=True)
class Node:
    """A node of a graph. `kind` is the operation's type, empty in logs of TensorFlow 0.x; a call has no name."""

    name: str
    kind: str
    device: str


@dataclass(frozen=True)
class Record:
    """A distinct record: a node, or a kind of call with its count. `raw` is the line that it was first read from."""

    node: Node
    users: bool
    count: int
    line: int
    raw: str


@dataclass(frozen=True)
class Event:
    """One eager call in the order of the log. `seconds` since the first; None where the log has no time."""

    line: int
    kind: str
    device: str
    seconds: float | None


@dataclass(frozen=True)
class SeenDevice:
    """A device that the log shows to exist, and its model if it is told."""

    device: str
    model: str


@dataclass(frozen=True)
class Unreadable:
    """A line that should hold a record and could not be read."""

    line: int
    raw: str


@dataclass(frozen=True)
class Placement:
    """All that a log tells of where operations ran. `not_listed` counts distinct nodes beyond those listed."""

    nodes: tuple[Record, ...]
    calls: tuple[Record, ...]
    events: tuple[Event, ...] = ()
    devices: tuple[SeenDevice, ...] = ()
    lines: int = 0
    unreadable: int = 0
    unreadable_lines: tuple[Unreadable, ...] = ()
    not_listed: tuple[tuple[str, str, int], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the log holds no record at all."""
        return not (self.nodes or self.calls)

    @property
    def node_count(self) -> int:
        """How many distinct nodes the placer assigned, wrappers included."""
        return len(self.nodes) + sum(count for *_, count in self.not_listed)

    @property
    def placed(self) -> int:
        """How many of the nodes are the user's own."""
        return sum(record.users for record in self.nodes) + sum(count for *_, count in self.not_listed)

    @property
    def executed(self) -> int:
        """How many eager calls the log tells of."""
        return sum(record.count for record in self.calls)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """One row for each kind of operation on each device, the most frequent first."""
        rows: dict[tuple[str, str], Operation] = {}
        for record in self.nodes:
            if record.users:
                _count(rows, record, placed=1)
        for record in self.calls:
            if record.node.kind not in WRAPPERS:
                _count(rows, record, executed=record.count)
        for kind, device, count in self.not_listed:
            _count(rows, Record(Node("", kind, device), True, count, 0, ""), placed=count)
        return tuple(sorted(rows.values(), key=lambda row: (-row.placed - row.executed, row.kind, row.device)))

    def by_device(self) -> dict[str, dict[str, int]]:
        """Count for each device the user's nodes placed there, and the eager calls executed."""
        found: dict[str, dict[str, int]] = {}
        for record in (*self.nodes, *self.calls):
            counts = found.setdefault(record.node.device, {"placed": 0, "executed": 0})
            if record.node.name:
                counts["placed"] += record.users
            else:
                counts["executed"] += record.count
        for _, device, count in self.not_listed:
            found.setdefault(device, {"placed": 0, "executed": 0})["placed"] += count
        return found

    def has_gpu(self) -> bool:
        """Whether the log shows a GPU, of whatever make."""
        return any(is_gpu(seen.device) for seen in self.devices)


@dataclass(frozen=True)
class Operation:
    """A kind of operation on one device. `names` are some of its nodes; `raw` is the first line, at `line`."""

    kind: str
    device: str
    placed: int
    executed: int
    names: tuple[str, ...] = ()
    line: int = 0
    raw: str = ""


@dataclass(frozen=True)
class Move:
    """An operation that two placements put on different devices."""

    name: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True)
class Comparison:
    """What differs between two placements: what moved, and what only one of them has."""

    moved: tuple[Move, ...]
    only_before: tuple[Node, ...] = field(default=())
    only_after: tuple[Node, ...] = field(default=())


def is_gpu(device: str) -> bool:
    """Whether a device is a GPU. XLA_GPU is not: it shows that XLA knows one, not that anything ran on it."""
    return device.rsplit("/", 1)[-1].startswith("GPU:")


def compare(before: Placement, after: Placement) -> Comparison:
    """Say which nodes and kinds of call moved."""
    one, other = _devices_of(before), _devices_of(after)
    moved = [
        Move(name, kind, ", ".join(one[name, kind]), ", ".join(other[name, kind]))
        for name, kind in one
        if (name, kind) in other and one[name, kind] != other[name, kind]
    ]
    return Comparison(
        tuple(moved),
        tuple(Node(*key, ", ".join(devices)) for key, devices in one.items() if key not in other),
        tuple(Node(*key, ", ".join(devices)) for key, devices in other.items() if key not in one),
    )


def calls_in_order(placement: Placement) -> tuple[Executed, ...]:
    """Give the eager calls in order, without the constants that Python's arguments become."""
    return tuple(Executed(each.kind, each.device) for each in placement.events if each.kind not in WRAPPERS)


def _count(rows: dict[tuple[str, str], Operation], record: Record, placed: int = 0, executed: int = 0) -> None:
    node = record.node
    kind = FUNCTION if node.kind.startswith(("__inference", "__forward", "__backward")) else node.kind
    old = rows.get((kind, node.device)) or Operation(kind, node.device, 0, 0, (), record.line, record.raw)
    names = (
        (*old.names, node.name or node.kind) if len(old.names) < 5 and (node.name or kind == FUNCTION) else old.names
    )
    rows[kind, node.device] = Operation(
        kind, node.device, old.placed + placed, old.executed + executed, names, old.line, old.raw
    )


def _devices_of(placement: Placement) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for record in _own((*placement.nodes, *placement.calls)):
        devices = found.setdefault((record.node.name, record.node.kind), [])
        if record.node.device not in devices:
            devices.append(record.node.device)
    return {key: sorted(devices) for key, devices in found.items()}


def _own(records: Iterable[Record]) -> Iterable[Record]:
    return (record for record in records if record.users and record.node.kind not in WRAPPERS)


def shares(placement: Placement) -> dict[str, Counter[str]]:
    """Count for each device and kind: the user's nodes where there are any, else the eager calls."""
    found: dict[str, Counter[str]] = {}
    for row in placement.operations:
        number = row.placed if placement.placed else row.executed
        if number:
            found.setdefault(row.device, Counter())[row.kind or "not told"] += number
    return found
