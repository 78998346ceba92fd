"""Reading what the system tells in files, any of which may be missing or shut."""

from __future__ import annotations

from pathlib import Path

from tfcore.devices import Unavailable

MOST_BYTES = 64 * 1024


class Files:
    """The files of a system, under a root that tests may choose."""

    def __init__(self, root: str = "/") -> None:
        self.root = Path(root)

    def read(self, path: str) -> str | Unavailable:
        """Give a file's text; why not, where it cannot be read."""
        try:
            with (self.root / path.lstrip("/")).open("rb") as file:
                return file.read(MOST_BYTES).decode(errors="replace").strip()
        except FileNotFoundError:
            return Unavailable(f"no file {path}")
        except OSError as error:
            return Unavailable(f"{path} cannot be read: {error.strerror}")

    def text(self, path: str) -> str:
        """Give a file's text; nothing where it cannot be read."""
        found = self.read(path)
        return "" if isinstance(found, Unavailable) else found

    def names(self, folder: str, pattern: str = "*") -> list[str] | Unavailable:
        """Give the paths in a folder that match; why not, where it cannot be listed."""
        place = self.root / folder.lstrip("/")
        try:
            if not place.is_dir():
                return Unavailable(f"no folder {folder}")
            return sorted(f"{folder}/{found.name}" for found in place.glob(pattern))
        except OSError as error:
            return Unavailable(f"{folder} cannot be listed: {error.strerror}")

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""
        try:
            return (self.root / path.lstrip("/")).exists()
        except OSError:
            return False
