"""All that one server has of TensorFlow: a host, a queue, a workspace, and the runtimes found so far."""

from __future__ import annotations

import atexit
import itertools
import threading
from collections import OrderedDict
from typing import Any

from tfcore.devices import INVENTORY, Inventory, InventoryPlan
from tfcore.runtime.host import Host, StartMethod
from tfcore.runtime.job import DEFAULT_LIMIT_S, Job, Program, ResultT
from tfcore.runtime.queue import Lane, Queue
from tfcore.runtime.workspace import Workspace
from tfcore.settings import Settings

MAX_RUNTIMES = 64
LOOK_LIMIT_S = 120.0


class Backend:
    """Start jobs. Safe to use from any thread."""

    def __init__(self, start_method: StartMethod | None = None, workspace: Workspace | None = None) -> None:
        self.workspace = workspace or Workspace()
        self.host = Host(self.workspace, start_method)
        self.queue = Queue()
        self.numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._runtimes: OrderedDict[Settings, Job[Inventory]] = OrderedDict()
        self._shared: dict[str, Job[Any]] = {}
        atexit.register(self.close)

    def start_job(
        self, program: Program[ResultT], lane: Lane = Lane.MEASURE, limit_s: float = DEFAULT_LIMIT_S
    ) -> Job[ResultT]:
        """Start a job, or queue it."""
        job = Job(self, program, lane, limit_s)
        job.start()
        return job

    def runtime(self, settings: Settings) -> Job[Inventory]:
        """Give the job that finds what TensorFlow makes of the settings; equal settings share it."""
        with self._lock:
            job = self._runtimes.get(settings)
            if job is None:
                job = self._runtimes[settings] = self.start_job(
                    lambda steps: steps.run(INVENTORY, settings, InventoryPlan()), Lane.LOOK, LOOK_LIMIT_S
                )
                self._forget_oldest()
            self._runtimes.move_to_end(settings)
            return job

    def shared(self, name: str, program: Program[Any]) -> Job[Any]:
        """Give the job that finds out something about this machine for all visitors; the first to ask starts it."""
        with self._lock:
            if name not in self._shared:
                self._shared[name] = self.start_job(program, Lane.LOOK, LOOK_LIMIT_S)
            return self._shared[name]

    def look_again(self) -> None:
        """Forget what was found, and a host that failed: the next to ask looks anew."""
        self.host.forget_failure()
        with self._lock:
            for job in self._runtimes.values():
                if job.snapshot().ended:
                    job.discard()
            for job in self._shared.values():
                if job.snapshot().ended:
                    job.discard()
            self._shared = {name: job for name, job in self._shared.items() if not job.snapshot().ended}
            self._runtimes = OrderedDict(
                (settings, job) for settings, job in self._runtimes.items() if not job.snapshot().ended
            )

    def close(self) -> None:
        """End the host, all workers, and remove their files."""
        atexit.unregister(self.close)
        self.host.stop()
        self.workspace.remove()

    def _forget_oldest(self) -> None:
        while len(self._runtimes) > MAX_RUNTIMES:
            _, job = self._runtimes.popitem(last=False)
            job.discard()
