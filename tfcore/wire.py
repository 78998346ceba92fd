"""What passes between the processes: lines of JSON, each a frozen dataclass.

server ── Order, Notice ── host        (who is to be started or ended, and what became of it)
server ── Request, Message ── worker   (one task, its progress, and its result or fault)
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec

from tfcore.settings import Settings

PlanT = TypeVar("PlanT")
ResultT = TypeVar("ResultT")
T = TypeVar("T")


@dataclass(frozen=True)
class Task(Generic[PlanT, ResultT]):
    """The name of a module in tfcore/tasks, whose `run` takes the plan and returns the result.

    `part` is the type of what it sends along the way, if it does.
    """

    name: str
    plan: type[PlanT]
    result: type[ResultT]
    part: type[Any] | None = None


@dataclass(frozen=True)
class Order:
    """From the server to the host. "launch" carries the worker's channel as a file descriptor."""

    action: Literal["launch", "kill"]
    worker: int


@dataclass(frozen=True)
class Notice:
    """From the host to the server. `status` is as in `subprocess.Popen.returncode`."""

    kind: Literal["ready", "failed", "started", "exited"]
    worker: int = 0
    pid: int = 0
    status: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Request:
    """The one thing a worker is told. `stdout` and `stderr` are the files that take its streams."""

    task: str
    settings: Settings
    plan: msgspec.Raw
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Progress:
    """How far a task has come: a fraction from 0 to 1, or None where it cannot be known."""

    text: str
    fraction: float | None = None


@dataclass(frozen=True)
class Fault:
    """An exception in a worker. `field` names the setting at fault, if one is."""

    error: str
    message: str
    field: str = ""


@dataclass(frozen=True)
class Message:
    """From a worker to the server."""

    kind: Literal["progress", "part", "finished", "failed"]
    body: msgspec.Raw


class Reporter(Protocol):
    """What a task is given besides its plan."""

    def progress(self, text: str, fraction: float | None = None) -> None:
        """Tell the visitor how far the task has come."""

    def part(self, value: object) -> None:
        """Send a part of the result ahead."""

    def printed(self) -> str:
        """Give what this worker's stderr holds so far: TensorFlow's own log."""


class Channel:
    """One end of a connection over which values travel as lines of JSON."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._lines = connection.makefile("rb")

    def send(self, value: Any) -> None:
        """Send a dataclass. Raise OSError if the other end is gone."""
        self._socket.sendall(to_line(value))

    def receive(self, kind: type[T], timeout_s: float | None = None) -> T | None:
        """Wait for the next value; None at the end. Raise TimeoutError after `timeout_s`."""
        self._socket.settimeout(timeout_s)
        try:
            line = self._lines.readline()
        except ConnectionResetError:
            return None
        return msgspec.json.decode(line, type=kind) if line.endswith(b"\n") else None

    def close(self) -> None:
        """Close this end."""
        self._lines.close()
        self._socket.close()


def to_line(value: Any) -> bytes:
    """Encode a value as one line of JSON."""
    return msgspec.json.encode(value) + b"\n"


def raw(value: Any) -> msgspec.Raw:
    """Encode a value to travel inside another, to be decoded once its type is known."""
    return msgspec.Raw(msgspec.json.encode(value))
