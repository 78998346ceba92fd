"""A job: one or more tasks in turn, each in a worker of its own, as the server sees them."""

from __future__ import annotations

import logging
import math
import os
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from tfcore.errors import (
    JobCancelled,
    LabError,
    MemberFailed,
    SettingsError,
    Stalled,
    TaskError,
    TensorFlowUnavailable,
    TimeLimitExceeded,
    WorkerDied,
    WorkspaceError,
    unavailable,
)
from tfcore.runtime.queue import Lane
from tfcore.runtime.workspace import tail
from tfcore.settings import Settings
from tfcore.wire import Fault, Message, Progress, Request, Task, raw

if TYPE_CHECKING:
    from tfcore.runtime.backend import Backend
    from tfcore.runtime.host import Worker

PlanT = TypeVar("PlanT")
ResultT = TypeVar("ResultT")
Program = Callable[["Steps"], ResultT]

DEFAULT_LIMIT_S = 600.0
REAP_S = 10.0
_LOG = logging.getLogger(__name__)


class State(StrEnum):
    """Where a job is in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Snapshot(Generic[ResultT]):
    """All of a job at one moment. `ahead` counts those it waits for while queued."""

    state: State
    ahead: int = 0
    progress: Progress | None = None
    partial: ResultT | None = None
    result: ResultT | None = None
    error: LabError | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will change."""
        return self.state in (State.DONE, State.FAILED, State.CANCELLED)


class Job(Generic[ResultT]):
    """Run a program in a thread: it asks for tasks one by one, and its return value is the result."""

    def __init__(
        self, backend: Backend, program: Program[ResultT], lane: Lane, limit_s: float = DEFAULT_LIMIT_S
    ) -> None:
        self.limit_s = limit_s
        self.logs: tuple[Path, ...] = ()
        self._backend = backend
        self._program = program
        self.lane = lane
        self._lock = threading.Lock()
        self._snapshot: Snapshot[ResultT] = Snapshot(State.QUEUED)
        self._cancelled = False
        self._workers: dict[int, Worker] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="job", daemon=True)

    def start(self) -> None:
        """Begin, or queue up."""
        self._thread.start()

    def snapshot(self) -> Snapshot[ResultT]:
        """Give the job as it is now."""
        return self._snapshot

    def wait(self, timeout_s: float | None = None) -> Snapshot[ResultT]:
        """Wait until the job has ended, or for so long. Give it as it then is."""
        self._ended.wait(timeout_s)
        return self._snapshot

    def result(self) -> ResultT:
        """Wait for the result. Raise the LabError that the job ended with."""
        snapshot = self.wait()
        if snapshot.error:
            raise snapshot.error
        return snapshot.result  # type: ignore[return-value]

    @property
    def runs(self) -> bool:
        """Whether the job goes on: it has neither ended nor been cancelled."""
        return not (self._cancelled or self._snapshot.ended)

    @property
    def worker_pid(self) -> int:
        """The process that works for the job now; 0 if there is none."""
        return next((worker.pid for worker in list(self._workers.values())), 0)

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The processes that work for the job now."""
        return tuple(worker.pid for worker in list(self._workers.values()))

    def cancel(self) -> None:
        """End the job and its worker at once. Nothing happens if it has ended."""
        with self._lock:
            self._cancelled = True
        self._backend.queue.look_again()
        self._kill_workers()

    def discard(self) -> None:
        """Cancel the job and remove its logs; it will not be looked at again."""
        self.cancel()
        for log in self.logs:
            shutil.rmtree(log.parent, ignore_errors=True)

    def _run(self) -> None:
        """Run the program; the body of the job's thread. Whatever happens is in the last snapshot."""
        try:
            with self._backend.queue.turn(self.lane, lambda: self._cancelled, self._note_waiting):
                self._change(state=State.RUNNING, ahead=0)
                ending: dict[str, Any] = {"state": State.DONE, "result": self._program(Steps(self))}
        except JobCancelled as error:
            ending = {"state": State.CANCELLED, "error": error}
        except LabError as error:
            ending = {"state": State.FAILED, "error": error}
        except Exception as error:  # a fault of ours must not leave the page waiting
            _LOG.exception("a job's program failed")
            ending = {"state": State.FAILED, "error": TaskError(type(error).__name__, str(error))}
        self._change(**ending)
        self._ended.set()

    def _kill_workers(self) -> None:
        with self._lock:
            workers = list(self._workers.values())
        for worker in workers:
            self._backend.host.kill(worker)

    def _note_waiting(self, ahead: int) -> None:
        self._change(ahead=ahead)

    def _change(self, **changes: Any) -> None:
        with self._lock:
            self._snapshot = replace(self._snapshot, **changes)


class Steps:
    """What a program runs its tasks with."""

    def __init__(self, job: Job[Any]) -> None:
        self._job = job
        self._backend = job._backend
        self._deadline = time.monotonic() + job.limit_s
        self._group_failed = threading.Event()

    def progress(self, text: str, fraction: float | None = None) -> None:
        """Tell the visitor how far the program has come."""
        self._job._change(progress=Progress(text, fraction))

    def publish(self, partial: Any) -> None:
        """Show what there is of the result so far; it stays even if the job is cancelled or fails."""
        self._job._change(partial=partial)

    def run(
        self,
        task: Task[PlanT, ResultT],
        settings: Settings,
        plan: PlanT,
        hear: Callable[[Any], None] | None = None,
        quiet_s: float | None = None,
    ) -> ResultT:
        """Run one task in a worker of its own and give its result. Raise LabError if there is none.

        `hear` gets each part that the task sends ahead. With it, progress is the program's to tell.
        A task that sends nothing for `quiet_s` seconds is ended with Stalled.
        """
        self.raise_if_cancelled()
        stdout, stderr = self._logs(task.name)
        request = Request(task.name, settings, raw(plan), str(stdout), str(stderr))
        worker = self._backend.host.launch()
        with self._job._lock:
            self._job._workers[id(worker)] = worker
        try:
            self.raise_if_cancelled()
            if self._group_failed.is_set():  # another member failed while this one was being launched
                raise JobCancelled
            return self._converse(worker, request, task, stderr, hear, quiet_s)
        finally:
            self._end(worker)

    def run_together(
        self, task: Task[PlanT, ResultT], settings: Settings, plans: Sequence[PlanT], hear: Callable[[Any], None],
        quiet_s: float | None = None,
    ) -> list[ResultT]:  # fmt: skip
        """Run a task in several workers at once; `hear` gets the parts of the first.

        Once one ends in an error, all others are ended, and MemberFailed names it.
        """
        with ThreadPoolExecutor(len(plans), "member") as threads:
            members = [
                threads.submit(self.run, task, settings, plan, hear if index == 0 else _unheard, quiet_s)
                for index, plan in enumerate(plans)
            ]
            ended, _ = wait(members, return_when=FIRST_EXCEPTION)
            failed = [(members.index(member), member.exception()) for member in ended if member.exception()]
            if failed:
                self._group_failed.set()
                self._job._kill_workers()
        self.raise_if_cancelled()
        for index, error in sorted(failed, key=lambda found: not isinstance(found[1], WorkerDied)):
            raise MemberFailed(
                index, error if isinstance(error, LabError) else TaskError(type(error).__name__, str(error))
            )
        return [member.result() for member in members]

    def printed(self) -> str:
        """Give what the last task printed: stdout, then stderr."""
        try:
            return "\n".join(path.read_bytes().decode(errors="surrogateescape") for path in self._job.logs[-2:])
        except OSError as error:
            raise WorkspaceError.because(error, str(self._backend.workspace)) from None

    def _logs(self, name: str) -> tuple[Path, Path]:
        workspace = self._backend.workspace
        try:
            folder = workspace.folder(f"{name}-{next(self._backend.numbers)}")
        except OSError as error:
            raise WorkspaceError.because(error, str(workspace)) from None
        logs = folder / "stdout.log", folder / "stderr.log"
        with self._job._lock:
            self._job.logs += logs
        return logs

    def _converse(
        self, worker: Worker, request: Request, task: Task[Any, ResultT], stderr: Path,
        hear: Callable[[Any], None] | None, quiet_s: float | None,
    ) -> ResultT:  # fmt: skip
        """Send the request and follow the worker's messages to its result."""
        try:
            worker.channel.send(request)
            while message := worker.channel.receive(Message, min(quiet_s or math.inf, self._remaining_s())):
                if message.kind == "finished":
                    return msgspec.json.decode(message.body, type=task.result)
                if message.kind == "part" and hear and task.part:
                    hear(msgspec.json.decode(message.body, type=task.part))
                elif message.kind == "progress" and not hear:
                    self._job._change(progress=msgspec.json.decode(message.body, type=Progress))
                elif message.kind == "failed":
                    raise _error(msgspec.json.decode(message.body, type=Fault), stderr, self._backend)
        except TimeoutError:
            if quiet_s and self._remaining_s() > 0.001:
                raise Stalled(quiet_s, tail(stderr)) from None
            raise TimeLimitExceeded(self._job.limit_s) from None
        except OSError:
            pass  # the worker is gone; its status says why
        raise self._death(worker, stderr)

    def _remaining_s(self) -> float:
        return max(0.001, self._deadline - time.monotonic())

    def _death(self, worker: Worker, stderr: Path) -> LabError:
        status = worker.wait(REAP_S)
        if self._job._cancelled:
            return JobCancelled()
        if status is None:
            return TensorFlowUnavailable(
                "The host process ended, and the job's worker with it.",
                cause="The system may have run out of memory, or somebody ended the process.",
                todo="Run it again: a new host is started for the next job.",
            )
        return WorkerDied(status, log=tail(stderr))

    def _end(self, worker: Worker) -> None:
        with self._job._lock:
            self._job._workers.pop(id(worker), None)
        self._backend.host.kill(worker)
        worker.wait(REAP_S)
        worker.channel.close()

    def raise_if_cancelled(self) -> None:
        """Raise JobCancelled if the visitor has ended the job, or TimeLimitExceeded if its time is up."""
        if self._job._cancelled:
            raise JobCancelled
        if time.monotonic() > self._deadline:
            raise TimeLimitExceeded(self._job.limit_s)


def _unheard(_part: Any) -> None:
    """The parts of all members but the first say the same."""


def _error(fault: Fault, stderr: Path, backend: Backend) -> LabError:
    if fault.error == "SettingsError":
        return SettingsError(fault.field, fault.message)
    if fault.error == "TensorFlowUnavailable":
        return unavailable(fault.message)
    if fault.error == "OSError" and fault.message.isdigit():
        return WorkspaceError.because(_os_error(int(fault.message)), str(backend.workspace))
    return TaskError(fault.error, fault.message, log=tail(stderr))


def _os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
