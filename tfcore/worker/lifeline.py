"""No process of ours outlives the one that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # prctl(2)


def die_with_parent(parent: int) -> None:
    """Ask Linux to kill this process as soon as the thread that started it ends.

    `parent` is its process id: if it has ended already, this process ends here.

    It acts even in the middle of an import or a kernel, where no Python code runs. Elsewhere the host
    notices the end of its connection instead, and a worker ends with its task.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
