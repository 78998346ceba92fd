"""Ask a process of its own what this machine is, so that nothing in it can hang or crash the server."""

from __future__ import annotations

import sys
from typing import Any, get_args, get_type_hints

import msgspec

from tfcore.devices import Unavailable
from tfcore.evidence import TITLES, Machine
from tfcore.probe import isolated

LIMIT_S = 20.0


def gather(limit_s: float = LIMIT_S) -> Machine:
    """Give what can be known of this machine; if the whole probe fails, each item says why."""
    told = isolated.run([sys.executable, "-m", "tfcore.probe"], "the probe", limit_s)
    if not isinstance(told, Unavailable):
        try:
            return decoded(told)
        except msgspec.DecodeError:
            told = Unavailable("the probe’s answer cannot be read")
    return Machine(**dict.fromkeys(TITLES, told))


def decoded(answer: str) -> Machine:
    """Read the probe's answer: for each item its value, or why there is none. Raise msgspec.DecodeError."""
    kinds = get_type_hints(Machine)
    values = msgspec.json.decode(answer, type=dict[str, Any])
    return Machine(**{name: _value(value, kinds[name]) for name, value in values.items() if name in kinds})


def _value(value: Any, kind: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"reason"}:
        return Unavailable(value["reason"])
    (wanted,) = (each for each in get_args(kind) if each is not Unavailable)
    return msgspec.convert(value, wanted)
