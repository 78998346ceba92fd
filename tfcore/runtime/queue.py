"""Who may compute when. Measurements would spoil each other, so they go one after the other."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum


class Lane(StrEnum):
    """What kind of work waits. Looking at devices takes moments: it waits for no measurement and no large log."""

    LOOK = "look"
    READ = "read"
    MEASURE = "measure"


WIDTHS: Mapping[Lane, int] = {Lane.LOOK: 2, Lane.READ: 2, Lane.MEASURE: 1}


class Queue:
    """Let the jobs of a lane run in the order in which they came, so many at once as it is wide."""

    def __init__(self, widths: Mapping[Lane, int] = WIDTHS) -> None:
        self._widths = widths
        self._tickets = itertools.count()
        self._lines: dict[Lane, list[int]] = {lane: [] for lane in widths}
        self._moved = threading.Condition()

    @contextmanager
    def turn(self, lane: Lane, gave_up: Callable[[], bool], waiting: Callable[[int], None]) -> Iterator[None]:
        """Wait for a turn and hold it. `waiting` hears how many are ahead; stop once `gave_up`."""
        ticket = next(self._tickets)
        with self._moved:
            self._lines[lane].append(ticket)
        try:
            self._wait(lane, ticket, gave_up, waiting)
            yield
        finally:
            with self._moved:
                self._lines[lane].remove(ticket)
                self._moved.notify_all()

    def look_again(self) -> None:
        """Make everybody who waits ask whether they gave up."""
        with self._moved:
            self._moved.notify_all()

    def _wait(self, lane: Lane, ticket: int, gave_up: Callable[[], bool], waiting: Callable[[int], None]) -> None:
        with self._moved:
            while (ahead := self._ahead(lane, ticket)) and not gave_up():
                waiting(ahead)
                self._moved.wait()

    def _ahead(self, lane: Lane, ticket: int) -> int:
        """How many have to end before this ticket's turn."""
        return max(0, self._lines[lane].index(ticket) - self._widths[lane] + 1)
