"""A worker: reads one request, applies its settings, runs its task, sends the result, and ends."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import socket
import tempfile
import traceback
from pathlib import Path
from types import ModuleType

import msgspec

from tfcore.errors import SettingsError, TensorFlowUnavailable
from tfcore.wire import Channel, Fault, Message, Progress, Request, raw
from tfcore.worker import capture

_DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)


def work(connection: socket.socket) -> int:
    """Do the one task that arrives on the connection. Give the exit status."""
    channel = Channel(connection)
    request = channel.receive(Request)
    if request is None:
        return 1
    try:
        capture.redirect(request.stdout, request.stderr)
        tempfile.tempdir = str(Path(request.stdout).parent)  # what TensorFlow leaves in it goes with the job's folder
        message = Message("finished", raw(_run(request, channel)))
        capture.check_complete()
    except BaseException as error:
        message = Message("failed", raw(_fault(error)))
    channel.send(message)
    return 0


def _run(request: Request, channel: Channel) -> object:
    configure = _import_configure()
    configure.apply(request.settings)
    task = importlib.import_module(f"tfcore.tasks.{request.task}")
    plan = msgspec.json.decode(request.plan, type=task.TASK.plan)
    return task.run(plan, _Reporter(channel))


def _import_configure() -> ModuleType:
    """Import what imports TensorFlow; a forked worker finds it loaded."""
    try:
        return importlib.import_module("tfcore.worker.configure")
    except Exception as error:
        raise TensorFlowUnavailable(f"{type(error).__name__}: {error}") from error


class _Reporter:
    """What tasks report to (see tfcore.wire.Reporter)."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def progress(self, text: str, fraction: float | None = None) -> None:
        self._channel.send(Message("progress", raw(Progress(text, fraction))))

    def part(self, value: object) -> None:
        self._channel.send(Message("part", raw(value)))

    def printed(self) -> str:
        return capture.captured(2)


def _fault(error: BaseException) -> Fault:
    with contextlib.suppress(OSError):  # the message below is what counts
        os.write(2, traceback.format_exc().encode(errors="replace"))
    if isinstance(error, OSError) and error.errno in _DISK_FAULTS:
        return Fault("OSError", str(error.errno or error))
    field = error.field if isinstance(error, SettingsError) else ""
    return Fault(type(error).__name__, getattr(error, "message", None) or str(error), field)
