"""Run what may hang or crash in a process of its own, with a time limit."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from tfcore.devices import Unavailable

LIMIT_S = 3.0
# On Linux the process ends with the one that started it (prctl 1 is PR_SET_PDEATHSIG), and so does what it becomes.
_START = """
import ctypes, os, sys
if sys.platform.startswith("linux"):
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
if os.getppid() != int(sys.argv[1]):
    os._exit(1)
os.execvp(sys.argv[2], sys.argv[2:])
"""
ROOT = Path(__file__).resolve().parents[2]


def command(*arguments: str, limit_s: float = LIMIT_S) -> str | Unavailable:
    """Give what a command prints; why not, where it is missing, fails, or hangs."""
    name = arguments[0]
    if shutil.which(name) is None:
        return Unavailable(f"no command {name}")
    return run(list(arguments), name, limit_s)


def python(code: str, *arguments: str, limit_s: float = LIMIT_S) -> str | Unavailable:
    """Give what a piece of Python prints, in an interpreter that imports nothing of ours."""
    return run([sys.executable, "-I", "-S", "-c", code, *arguments], "it", limit_s)


def run(arguments: list[str], name: str, limit_s: float) -> str | Unavailable:
    """Give what a process prints, and end it and all that it started when its time is up."""
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, str(os.getpid()), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
            cwd=ROOT,
        )
    except OSError as error:
        return Unavailable(f"{name} cannot be started: {error.strerror}")
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.communicate()
        return Unavailable(f"no answer from {name} within {limit_s:g} s")
    if process.returncode < 0:
        return Unavailable(f"{name} crashed ({signal.Signals(-process.returncode).name})")
    if process.returncode:
        said = (err or out).decode(errors="replace").strip().splitlines()
        return Unavailable(f"{name} failed: {said[-1][:300]}" if said else f"{name} failed")
    return out.decode(errors="replace").strip()
