"""Where operations ran, read from TensorFlow's own placement log."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tfcore.devices import short_name

_EXECUTED = re.compile(r"Executing op (?P<op>\S+) in device (?P<device>/job:\S+)")


@dataclass(frozen=True)
class Executed:
    """One eager call: an operation and the device it ran on, such as "MatMul" and "GPU:0"."""

    op: str
    device: str


def executed(log: str) -> tuple[Executed, ...]:
    """Read the eager records, in order, without the constants that Python's arguments become."""
    found = (Executed(hit["op"], short_name(hit["device"])) for hit in _EXECUTED.finditer(log))
    return tuple(record for record in found if record.op != "_EagerConst")
