"""The errors that a visitor may meet.

LabError                    what happened, the likely cause, what to do next
├── SettingsError           a choice that cannot be applied; names the field
├── TensorFlowUnavailable   TensorFlow cannot be imported, so nothing can run
├── WorkspaceError          the temporary folder cannot be written
├── TaskError               a task raised; carries the name of TensorFlow's own error
├── WorkerDied              a worker ended before it had a result
├── ResultFileError         a file that is no result of ours, or not one this version reads
├── LogFileError            a log that cannot be read to its end
├── CaptureError            a run that should have logged where operations ran, and did not
├── MemberFailed            one of several workers that train together failed; names it
├── Stalled                 a task that should send news as it goes, and has sent none for long
├── TimeLimitExceeded       a job took longer than it was given
└── JobCancelled            the visitor ended the job
"""

from __future__ import annotations

import errno
import os
import signal


class LabError(Exception):
    """Say what happened, the likely cause, and what to do next."""

    def __init__(self, what: str, *, cause: str = "", todo: str = "", log: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.cause = cause
        self.todo = todo
        self.log = log

    def __str__(self) -> str:
        return " ".join(part for part in (self.what, self.cause, self.todo) if part)


class SettingsError(LabError):
    """A choice that cannot be applied. `field` is the name of the setting."""

    def __init__(self, field: str, what: str, *, todo: str = "") -> None:
        super().__init__(what, todo=todo)
        self.field = field


class TensorFlowUnavailable(LabError):
    """TensorFlow cannot be imported, or the process that imports it cannot live."""


class WorkspaceError(LabError):
    """The temporary folder cannot be written."""

    @classmethod
    def because(cls, error: OSError, folder: str) -> WorkspaceError:
        """Turn the operating system's refusal into a message that names the folder."""
        causes = {
            errno.ENOSPC: "The disk that holds it is full.",
            errno.EDQUOT: "Your quota on its disk is used up.",
            errno.EROFS: "It is on a file system that is read-only.",
            errno.EACCES: "This user may not write there.",
            errno.EPERM: "This user may not write there.",
            errno.EFBIG: "A log reached the size it is bounded to.",
        }
        return cls(
            f"The temporary folder {folder} cannot be written: {error.strerror or error}.",
            cause=causes.get(error.errno or 0, ""),
            todo="Free some space there, or start again with TMPDIR set to a folder that can be written.",
        )


class TaskError(LabError):
    """A task raised. `error` is the name of the exception's class."""

    def __init__(self, error: str, message: str, *, log: str = "") -> None:
        cause, todo = _advice(error, message)
        super().__init__(f"{error}: {_first_lines(message)}", cause=cause, todo=todo, log=log)
        self.error = error


class WorkerDied(LabError):
    """A worker ended before it had a result.

    `status` is as in `subprocess.Popen.returncode`: minus the signal's number, or the exit status.
    """

    def __init__(self, status: int, *, log: str = "") -> None:
        super().__init__(
            f"The worker was {ended_by(status)} before it had a result.",
            cause=_CAUSES.get(-status, "It crashed outside Python, most often in a driver or a library."),
            todo="The dashboard is unharmed: run it again, smaller if memory may be the reason.",
            log=log,
        )
        self.status = status


class ResultFileError(LabError):
    """A file that is not a result of ours, or not one that this version can read."""


class LogFileError(LabError):
    """A log that cannot be read to its end."""


class CaptureError(LabError):
    """A run that should have logged where operations ran, and did not."""


class MemberFailed(LabError):
    """One of several workers that train together failed."""

    def __init__(self, index: int, error: LabError) -> None:
        super().__init__(
            f"Worker {index} of the cluster failed: {error.what}", cause=error.cause,
            todo="All others were ended with it. Run it again.", log=error.log,
        )  # fmt: skip
        self.index = index
        self.error = error


class Stalled(LabError):
    """A task that should send news as it goes, and has sent none for long."""

    def __init__(self, quiet_s: float, log: str = "") -> None:
        super().__init__(
            f"The run made no progress for {quiet_s:.0f} s and was ended.",
            cause="Usually replicas wait for each other: one has no data left, or one of several workers is gone.",
            todo="Use a batch that divides by the replicas, and look at the log below.",
            log=log,
        )


class TimeLimitExceeded(LabError):
    """A job took longer than it was given."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(
            f"The job was ended: it took longer than its limit of {limit_s:g} seconds.",
            cause="The work is too large for this machine, or something else keeps the machine busy.",
            todo="Choose a smaller size, or try again when the machine is idle.",
        )


class JobCancelled(LabError):
    """The visitor ended the job."""

    def __init__(self) -> None:
        super().__init__("The job was cancelled.")


_CAUSES: dict[int, str] = {
    signal.SIGKILL: "The system may have run out of memory, or somebody ended the process.",
    signal.SIGTERM: "Somebody asked the process to end.",
    signal.SIGSEGV: "It crashed in native code, most often in a driver or a library.",
    signal.SIGABRT: "TensorFlow stopped itself; the last lines of its log say why.",
    -os.EX_OSERR: "The system could not start another process.",
    signal.SIGILL: "This TensorFlow was built for a newer processor than this one.",
}


def unavailable(reason: str) -> TensorFlowUnavailable:
    """Say that TensorFlow cannot be imported; the reason is the end of Python's own report."""
    return TensorFlowUnavailable(
        "TensorFlow cannot be imported, so nothing can run.",
        cause="The lines below are the end of Python's own report.",
        todo="Run “make run” again to mend the installation; then press “Try again”.",
        log=reason,
    )


def ended_by(status: int) -> str:
    """Say how a process ended, from its return code: "ended by signal 9 (SIGKILL)"."""
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"ended by signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"ended by signal {-status}"


def _first_lines(message: str, limit: int = 1000) -> str:
    return message if len(message) <= limit else message[:limit].rstrip() + " …"


def _advice(error: str, message: str) -> tuple[str, str]:
    if error == "ResourceExhaustedError" or "out of memory" in message.lower():
        return (
            "The device has less free memory than the work needs.",
            "Choose a smaller size, a higher memory limit, or end other programs that use the device.",
        )
    if error == "MemoryError":
        return "This machine has less free memory than the work needs.", "Choose a smaller size."
    if "Could not satisfy device specification" in message or "Unable to find any devices" in message:
        return (
            "The device asked for is not there, and soft placement is off.",
            "Turn soft placement on, or choose a device that the Devices page lists.",
        )
    return "", "The log below says more."
