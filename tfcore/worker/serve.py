"""The host: imports TensorFlow once, never starts its runtime, and starts a worker for each task."""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import signal
import socket
import subprocess
import sys
import traceback
from collections import deque
from collections.abc import Callable

import msgspec

from tfcore.wire import Notice, Order, to_line

MAX_FDS = 32

Spawn = Callable[[socket.socket], int]


def serve(control: socket.socket, start_method: str) -> int:
    """Start and end workers on the server's orders, until its connection closes."""
    try:
        spawn = _prepare(start_method)
    except BaseException:
        control.sendall(to_line(Notice("failed", reason=_last_lines(traceback.format_exc()))))
        return 1
    control.sendall(to_line(Notice("ready")))
    _Host(control, spawn).loop()
    return 0


def _prepare(start_method: str) -> Spawn:
    if start_method == "spawn":
        return _spawn
    import tensorflow  # noqa: F401  (forked workers find it loaded)

    gc.collect()
    gc.freeze()  # a forked worker's collector then leaves the shared pages alone
    return _fork


def _fork(channel: socket.socket) -> int:
    parent = os.getpid()
    pid = os.fork()
    if pid:
        with contextlib.suppress(OSError):  # the worker does the same; whoever is first
            os.setpgid(pid, pid)
        return pid
    status = 1
    try:
        _become_worker(parent)
        from tfcore.worker.run import work

        status = work(socket.socket(fileno=os.dup(channel.fileno())))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _become_worker(host_pid: int) -> None:
    from tfcore.worker import lifeline

    lifeline.die_with_parent(host_pid)
    os.setpgid(0, 0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _spawn(channel: socket.socket) -> int:
    process = subprocess.Popen(
        [sys.executable, "-m", "tfcore.worker", "once", str(os.getpid())], stdin=channel.fileno(), process_group=0
    )
    process.returncode = 0  # the host reaps its children itself
    return process.pid


class _Host:
    """The loop that starts workers, ends them, and tells the server what became of them."""

    def __init__(self, control: socket.socket, spawn: Spawn) -> None:
        self._control = control
        self._spawn = spawn
        self._pids: dict[int, int] = {}
        self._unread = b""
        self._channels: deque[int] = deque()
        self._woken, wake = socket.socketpair()
        self._woken.setblocking(False)
        wake.setblocking(False)
        self._wake = wake
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)

    def loop(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ, self._obey)
            selector.register(self._woken, selectors.EVENT_READ, self._reap)
            alive = True
            while alive:
                for key, _ in selector.select():
                    alive = key.data() and alive
        for pid in self._pids.values():
            _kill_group(pid)

    def _obey(self) -> bool:
        """Carry out the orders that have arrived; False when the server is gone."""
        data, channels, _, _ = socket.recv_fds(self._control, 65536, MAX_FDS)
        self._channels.extend(channels)
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            order = msgspec.json.decode(line, type=Order)
            if order.action == "launch":
                self._launch(order.worker)
            elif order.worker in self._pids:
                _kill_group(self._pids[order.worker])
        return bool(data)

    def _launch(self, worker: int) -> None:
        with socket.socket(fileno=self._channels.popleft()) as channel:
            try:
                self._pids[worker] = pid = self._spawn(channel)
            except OSError as error:
                print(f"worker {worker} could not be started: {error}", file=sys.stderr)
                self._tell(Notice("exited", worker, status=os.EX_OSERR))
                return
        self._tell(Notice("started", worker, pid=pid))

    def _reap(self) -> bool:
        """Tell the server of every worker that has ended, after ending what it left behind."""
        self._woken.recv(4096)
        for worker, pid in list(self._pids.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                _kill_group(pid)
                del self._pids[worker]
                self._tell(Notice("exited", worker, status=os.waitstatus_to_exitcode(status)))
        return True

    def _tell(self, notice: Notice) -> None:
        with contextlib.suppress(OSError):  # the server is gone; the loop is about to notice
            self._control.sendall(to_line(notice))


def _kill_group(leader: int) -> None:
    """End a worker's process group: the worker, or what it has left behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _last_lines(text: str, count: int = 12) -> str:
    return "\n".join(text.strip().splitlines()[-count:])
