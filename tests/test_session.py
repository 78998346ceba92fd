from __future__ import annotations

import threading

import pytest

from tfcore.runtime.queue import Lane
from tfcore.session import GRACE_S, Lease, Session
from tfcore.settings import Settings


class Clock:
    """A timer that a test sets off itself."""

    def __init__(self) -> None:
        self.due = []

    def later(self, delay_s, act):
        entry = (delay_s, act)
        self.due.append(entry)
        return lambda: self.due.remove(entry)

    def strike(self):
        for _, act in list(self.due):
            act()


@pytest.fixture
def session(backend):
    found = Session(backend)
    yield found
    found.end()


def blocked(session: Session, name: str = "job") -> threading.Event:
    """Start a job that ends when the event is set."""
    release = threading.Event()
    session.start(name, lambda steps: release.wait(60), Lane.LOOK)
    return release


def test_a_visitor_who_goes_loses_the_job_after_the_grace(session):
    clock = Clock()
    lease = Lease(session, clock.later).connect()
    release = blocked(session)
    lease.disconnect()
    assert [delay for delay, _ in clock.due] == [GRACE_S]
    assert session.running() == ("job",)
    clock.strike()
    assert session.running() == ()
    release.set()


def test_a_visitor_who_returns_in_time_keeps_the_job(session):
    clock = Clock()
    lease = Lease(session, clock.later).connect()
    release = blocked(session)
    lease.disconnect()
    lease.connect()
    assert clock.due == []
    clock.strike()
    assert session.running() == ("job",)
    release.set()


def test_a_job_of_the_same_name_is_not_started_twice_at_once(session):
    release = blocked(session)
    first = session.job("job")
    blocked(session)
    assert session.job("job") is first
    release.set()
    first.wait(10)
    blocked(session).set()
    assert session.job("job") is not first


def test_jobs_of_other_names_run_beside_it(session):
    releases = [blocked(session, "one"), blocked(session, "two")]
    assert session.running() == ("one", "two")
    for release in releases:
        release.set()


def test_cancelling_what_is_not_there_does_nothing(session):
    session.cancel("nothing")


def test_the_machine_is_told_whatever_the_settings(session):
    session.backend.runtime(Settings()).result()
    session.settings = Settings(cpu_devices=2)
    session.backend.runtime(session.settings).result()
    assert len(session.machine().result.logical) == 1
    assert len(session.runtime().result.logical) == 2
