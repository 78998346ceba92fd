"""The CUDA libraries that TensorFlow opens: each opened in a process of its own, because one may crash."""

from __future__ import annotations

import json
import re
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tfcore.devices import Unavailable
from tfcore.evidence import Library
from tfcore.probe import isolated

# What TensorFlow 2.18 to 2.21 for CUDA 12 open when they list devices
OPENED = (
    "libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12", "libcufft.so.11", "libcusolver.so.11",
    "libcusparse.so.12", "libcudnn.so.9",
)  # fmt: skip
_OPEN = """
import ctypes, glob, json, os, sys
name, folders = sys.argv[1], sys.argv[2:]
path = next((found for folder in folders for found in glob.glob(os.path.join(folder, name))), name)
library = ctypes.CDLL(path)
try:
    with open("/proc/self/maps") as maps:
        path = next((line.split()[-1] for line in maps if os.path.basename(line.split()[-1]).startswith(name)), path)
except OSError:
    pass
version = 0
for ask in ("cudnnGetVersion",) if "cudnn" in name else ():
    version = int(getattr(library, ask)())
print(json.dumps([path, os.path.realpath(path), version]))
"""


def libraries(folders: list[str] | None = None) -> tuple[Library, ...]:
    """Open each library, all at once: where it is and its version, or the loader's own reason."""
    looked_in = pip_folders() if folders is None else folders
    with ThreadPoolExecutor(4) as threads:
        return tuple(threads.map(lambda name: open_one(name, looked_in), OPENED))


def open_one(name: str, folders: list[str]) -> Library:
    """Open one library, as TensorFlow does: what pip installed beside it comes first."""
    told = isolated.python(_OPEN, name, *folders, limit_s=8.0)
    if isinstance(told, Unavailable):
        reason = told.reason.removeprefix("it failed: ").removeprefix("OSError: ")
        return Library(name, reason=reason)
    path, real, number = json.loads(told)
    return Library(name, path, _version(name, real, number))


def pip_folders() -> list[str]:
    """Give the folders nvidia/*/lib beside TensorFlow, which it searches first."""
    return [str(found) for found in Path(sysconfig.get_path("purelib")).glob("nvidia/*/lib") if found.is_dir()]


def _version(name: str, path: str, number: int) -> str:
    """Read a version from what the library says (cuDNN: 90300 is 9.3.0), or from the name of its file."""
    if number >= 10_000:
        return f"{number // 10_000}.{number % 10_000 // 100}.{number % 100}"
    told = re.search(rf"{re.escape(name.rsplit('.', 1)[0])}\.(\d+\.[\d.]+)$", path)
    return told[1] if told else ""
