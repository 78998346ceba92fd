"""The server's handle on the host, the process that has imported TensorFlow and starts the workers."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import sys
import threading
from enum import StrEnum
from pathlib import Path
from typing import IO, Literal

from tfcore.errors import WorkspaceError, ended_by, unavailable
from tfcore.runtime.workspace import Workspace
from tfcore.wire import Channel, Notice, Order, to_line

ROOT = Path(__file__).resolve().parents[2]
StartMethod = Literal["fork", "spawn"]


class HostState(StrEnum):
    """Where the host is in its life."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"


class Worker:
    """A worker as the server sees it: its channel, and how it ended."""

    def __init__(self, number: int, connection: socket.socket) -> None:
        self.number = number
        self.channel = Channel(connection)
        self.pid = 0
        self._ended = threading.Event()
        self._status: int | None = None

    def ended(self, status: int | None) -> None:
        """Note the return code; None where the host died and took it along."""
        self._status = status
        self._ended.set()

    def wait(self, timeout_s: float) -> int | None:
        """Wait until the worker is gone. Give its return code, or None where nobody knows it."""
        self._ended.wait(timeout_s)
        return self._status


class Host:
    """Start the host when it is needed, again if it has died, and start workers through it.

    One thread starts the process and reads its notices until it ends: Linux ends the host with that
    thread, so it has to live as long as the server.
    """

    def __init__(self, workspace: Workspace, start_method: StartMethod | None = None) -> None:
        self.start_method: StartMethod = start_method or default_start_method()
        self.pid = 0
        self._workspace = workspace
        self._changed = threading.Condition()
        self._state = HostState.STOPPED
        self._failure: Exception | None = None
        self._control: socket.socket | None = None
        self._workers: dict[int, Worker] = {}
        self._numbers = itertools.count(1)

    @property
    def state(self) -> HostState:
        """The state now; it may change at any moment."""
        return self._state

    def start(self) -> None:
        """Start the host unless it is running, or has failed: `forget_failure` allows another try."""
        with self._changed:
            if self._state is not HostState.STOPPED:
                return
            self._state = HostState.STARTING
        threading.Thread(target=self._live, name="host", daemon=True).start()

    def forget_failure(self) -> None:
        """Let the next start try again after a failure."""
        with self._changed:
            if self._state is HostState.FAILED:
                self._state, self._failure = HostState.STOPPED, None

    def launch(self) -> Worker:
        """Start a worker, waiting for the host if need be.

        Raise TensorFlowUnavailable or WorkspaceError if there is no host to be had.
        """
        self.start()
        ours, theirs = socket.socketpair()
        with self._changed, theirs:
            self._changed.wait_for(lambda: self._state is not HostState.STARTING)
            if self._failure:
                raise self._failure
            worker = Worker(next(self._numbers), ours)
            self._workers[worker.number] = worker
            self._order("launch", worker, theirs)
        return worker

    def kill(self, worker: Worker) -> None:
        """End a worker and all it has started. It is no error if it is gone already."""
        with self._changed:
            if worker.number in self._workers:
                self._order("kill", worker)

    def stop(self) -> None:
        """Close the host's connection: it ends its workers and itself."""
        with self._changed:
            if self._control:
                self._control.shutdown(socket.SHUT_RDWR)

    def _order(self, action: Literal["launch", "kill"], worker: Worker, *channels: socket.socket) -> None:
        line = to_line(Order(action, worker.number))
        try:
            if self._control is None:
                raise BrokenPipeError
            socket.send_fds(self._control, [line], [channel.fileno() for channel in channels])
        except OSError:
            self._workers.pop(worker.number, None)
            worker.ended(None)

    def _live(self) -> None:
        """Run the host from its start to its end; the body of its thread."""
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._workspace.open_log("host") as log:
                process = self._open(theirs, log)
        except OSError as error:
            self._end(WorkspaceError.because(error, str(self._workspace)))
            return
        with self._changed:
            self._control, self.pid = ours, process.pid
        failure = self._read_notices(Channel(ours))
        status = process.wait()
        if failure is None and self._state is HostState.STARTING:
            failure = f"The process that imports it was {ended_by(status)}.\n{self._workspace.log_tail('host')}"
        self._end(unavailable(failure) if failure else None)

    def _open(self, control: socket.socket, log: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "tfcore.worker", f"host-{self.start_method}", str(os.getpid())],
            stdin=control.fileno(), stdout=log, stderr=log, cwd=ROOT, env=_environment(), start_new_session=True,
        )  # fmt: skip

    def _read_notices(self, notices: Channel) -> str | None:
        """Follow the host's notices until it ends. Give the reason if it could not import TensorFlow."""
        failure = None
        while notice := notices.receive(Notice):
            with self._changed:
                if notice.kind == "ready":
                    self._state = HostState.READY
                    self._changed.notify_all()
                elif notice.kind == "failed":
                    failure = notice.reason
                else:
                    self._note(notice)
        return failure

    def _note(self, notice: Notice) -> None:
        if notice.kind == "started" and notice.worker in self._workers:
            self._workers[notice.worker].pid = notice.pid
        elif worker := self._workers.pop(notice.worker, None):
            worker.ended(notice.status)

    def _end(self, failure: Exception | None) -> None:
        with self._changed:
            self._failure = failure
            self._state = HostState.FAILED if failure else HostState.STOPPED
            self._control, self.pid = None, 0
            for worker in self._workers.values():
                worker.ended(None)
            self._workers.clear()
            self._changed.notify_all()


def default_start_method() -> StartMethod:
    """Give TFCORE_START_METHOD, or fork on Linux and spawn elsewhere, where forking is not safe."""
    usual: StartMethod = "fork" if sys.platform.startswith("linux") else "spawn"
    chosen: dict[str, StartMethod] = {"fork": "fork", "spawn": "spawn"}
    return chosen.get(os.environ.get("TFCORE_START_METHOD", ""), usual)


def _environment() -> dict[str, str]:
    """Give the host's environment: ours, less what would hide logs or overrule a visitor's settings."""
    kept = {key: value for key, value in os.environ.items() if key != "TF_FORCE_GPU_ALLOW_GROWTH"}
    verbose = ",".join(filter(None, [os.environ.get("TF_CPP_VMODULE"), "dso_loader=1"]))  # names a missing library
    return kept | {"TF_CPP_MIN_LOG_LEVEL": "0", "TF_CPP_VMODULE": verbose, "PYTHONUNBUFFERED": "1"}
