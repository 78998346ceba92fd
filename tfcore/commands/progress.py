"""How far a job has come, told on stderr."""

from __future__ import annotations

import sys
from typing import Any

from tfcore.runtime.job import Job

LOOK_S = 0.5


def tell_until_ended(job: Job[Any]) -> None:
    """Say each new word of the job's progress once, until it has ended."""
    said = ""
    while not job.wait(LOOK_S).ended:
        progress = job.snapshot().progress
        if progress and progress.text != said:
            said = progress.text
            print(said, file=sys.stderr, flush=True)
