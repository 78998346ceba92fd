"""The temporary folder of one server: the logs of its host and its workers, gone with it."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
from pathlib import Path
from typing import IO

PREFIX = "tensorflow-gpu-lab-"
TAIL_BYTES = 64 * 1024


class Workspace:
    """Make the folder when it is first needed. Every method that writes may raise OSError."""

    def __init__(self, parent: str | None = None) -> None:
        self._parent = parent or os.environ.get("TMPDIR")
        self._made: Path | None = None
        self._held: IO[bytes] | None = None
        self._lock = threading.Lock()

    def __str__(self) -> str:
        return str(self._made or self._parent or _default_parent())

    def folder(self, name: str) -> Path:
        """Make a folder of this name, and prove that something can be written in it."""
        with self._lock:
            made = self._made if self._made and self._made.is_dir() else self._make()
        folder = made / name
        folder.mkdir(parents=True, exist_ok=True)
        proof = folder / "proof"
        proof.write_bytes(bytes(4096))
        proof.unlink()
        return folder

    def _make(self) -> Path:
        """Make the folder, hold its lock as a sign of life, and sweep away what dead servers left."""
        self._made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._parent))
        self._held = (self._made / "lock").open("wb")
        fcntl.flock(self._held, fcntl.LOCK_EX)
        for other in self._made.parent.glob(f"{PREFIX}*/lock"):
            if _is_abandoned(other):
                shutil.rmtree(other.parent, ignore_errors=True)
        return self._made

    def open_log(self, name: str) -> IO[bytes]:
        """Open a log for writing, emptied."""
        return (self.folder(name) / "log").open("wb")

    def log_tail(self, name: str) -> str:
        """Give the last lines of a log; nothing where it cannot be read."""
        return tail(self._made / name / "log") if self._made else ""

    def remove(self) -> None:
        """Remove the folder and all in it."""
        if self._made:
            shutil.rmtree(self._made, ignore_errors=True)
        if self._held:
            self._held.close()


def _is_abandoned(lock: Path) -> bool:
    """Whether no living server holds the lock. Somebody else's lock is theirs."""
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def tail(path: Path, lines: int = 40) -> str:
    """Give the last lines of a file, reading only its end; nothing where it cannot be read."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def _default_parent() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        return "for this system"
