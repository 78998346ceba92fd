"""Each browser session's own TensorFlow: its settings, its runtime and its jobs.

The only module of tfcore that knows Streamlit. A session outlives a dropped connection by a grace
period, so that a visitor who returns finds the job running.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from tfcore.devices import Inventory
from tfcore.diagnosing import this_machine
from tfcore.diagnosis import Diagnosis
from tfcore.runtime.backend import Backend
from tfcore.runtime.host import HostState
from tfcore.runtime.job import DEFAULT_LIMIT_S, Job, Program, Snapshot, State
from tfcore.runtime.queue import Lane
from tfcore.settings import Settings
from tfcore.telemetry import Sampler

GRACE_S = 30.0
DIAGNOSIS = "diagnosis"
_KEY = "lab_session"

Later = Callable[[float, Callable[[], None]], Callable[[], None]]


@dataclass(frozen=True)
class SessionProgress:
    """What a visitor's page waits for: the states of machine, runtime and jobs, by which a change is known."""

    key: tuple[object, ...]
    settled: bool
    all_queued: bool


class Session:
    """One visitor's settings and jobs. Safe to use from any thread: script runs may overlap."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.settings = Settings()
        self._jobs: dict[str, Job[Any]] = {}
        self._diagnoses = False
        self._lock = threading.Lock()

    def machine(self) -> Snapshot[Inventory]:
        """What this machine has, whatever this visitor's settings are."""
        return self.backend.runtime(Settings()).snapshot()

    def runtime(self) -> Snapshot[Inventory]:
        """What TensorFlow makes of this visitor's settings."""
        return self.backend.runtime(self.settings).snapshot()

    def diagnosis(self) -> Snapshot[Diagnosis]:
        """Why TensorFlow does not see a GPU of this machine, or that it does; the same for all visitors."""
        self._diagnoses = True
        return self.backend.shared(DIAGNOSIS, this_machine()).snapshot()

    def settle(self, at_most_s: float) -> None:
        """Give a change of settings a moment to take effect, so that the page need not be drawn twice."""
        if self.backend.host.state is HostState.READY:
            self.backend.runtime(self.settings).wait(at_most_s)

    @property
    def host_starts(self) -> bool:
        """Whether TensorFlow is being imported."""
        return self.backend.host.state in (HostState.STOPPED, HostState.STARTING)

    def start(
        self, name: str, program: Program[Any], lane: Lane = Lane.MEASURE, limit_s: float = DEFAULT_LIMIT_S
    ) -> None:
        """Start the job of this name in the place of the last one; nothing happens while that one runs."""
        with self._lock:
            last = self._jobs.get(name)
            if last and last.runs:
                return
            self._jobs[name] = self.backend.start_job(program, lane, limit_s)
        if last:
            last.discard()

    def job(self, name: str) -> Job[Any] | None:
        """The last job of this name."""
        return self._jobs.get(name)

    def cancel(self, name: str) -> None:
        """End the job of this name, if it runs."""
        if job := self._jobs.get(name):
            job.cancel()

    def running(self) -> tuple[str, ...]:
        """The names of the jobs that have not ended."""
        return tuple(name for name, job in self._jobs.items() if job.runs)

    def progress(self) -> SessionProgress:
        """Tell how far everything is that the visitor's page may show."""
        jobs = {name: job.snapshot() for name, job in self._jobs.items()}
        looks = (self.diagnosis(),) if self._diagnoses else ()
        found = (self.machine(), self.runtime(), *looks, *jobs.values())
        waiting = [snapshot for snapshot in found if not snapshot.ended]
        starts = tuple(id(job) for job in self._jobs.values())
        return SessionProgress(
            key=(self.settings, starts, tuple((each.state, id(each.partial)) for each in found)),
            settled=not waiting,
            all_queued=bool(waiting) and all(snapshot.ahead > 0 for snapshot in waiting),
        )

    def end(self) -> None:
        """End all jobs; the visitor is gone."""
        with self._lock:
            for job in self._jobs.values():
                job.discard()
            self._jobs.clear()


class Lease:
    """A session's hold on life: while connected it lives, after that for a grace period."""

    def __init__(self, session: Session, later: Later | None = None) -> None:
        self.session = session
        self._later = later or _in_a_timer
        self._keep: Callable[[], None] = lambda: None
        self._connections = 0
        self._lock = threading.Lock()

    def connect(self) -> Lease:
        """Note that the visitor is there, perhaps again."""
        with self._lock:
            self._connections += 1
            self._keep()
        return self

    def disconnect(self) -> None:
        """Note that the visitor is gone; it only sets a timer, since it runs on the server's event loop."""
        with self._lock:
            self._connections -= 1
            if self._connections <= 0:
                self._keep()
                self._keep = self._later(GRACE_S, self._end)

    def _end(self) -> None:
        with self._lock:
            if self._connections <= 0:
                self.session.end()


@st.cache_resource(show_spinner=False, on_release=Backend.close)
def backend() -> Backend:
    """Give the one backend of this server."""
    return Backend()


@st.cache_resource(show_spinner=False)
def sampler() -> Sampler:
    """Give the one sampler of this server."""
    return Sampler()


@st.cache_resource(scope="session", show_spinner=False, on_release=Lease.disconnect)
def _connected(_lease: Lease, token: str) -> Lease:
    """Connect once for each connection: Streamlit forgets the entry when the browser goes away."""
    return _lease.connect()


def open_session() -> Session:
    """Give this browser session's own Session. To be called once a run, before all else.

    A later call could come after a disconnect, and would then keep the session alive for good.
    """
    if _KEY not in st.session_state:
        st.session_state[_KEY] = (Lease(Session(backend())), secrets.token_hex(8))
    lease, token = st.session_state[_KEY]
    return _connected(lease, token).session


def current() -> Session:
    """Give the Session that `open_session` opened in this run."""
    lease, _ = st.session_state[_KEY]
    session: Session = lease.session
    return session


def _in_a_timer(delay_s: float, act: Callable[[], None]) -> Callable[[], None]:
    timer = threading.Timer(delay_s, act)
    timer.daemon = True
    timer.start()
    return timer.cancel


__all__ = ["GRACE_S", "Lease", "Session", "State", "backend", "current", "open_session", "sampler"]
