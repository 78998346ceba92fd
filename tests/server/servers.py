"""Running dashboards, started as `make run` starts them."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.conftest import ROOT


@dataclass(frozen=True)
class Server:
    """A server process and its address."""

    url: str
    process: psutil.Process

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes below the host."""
        return self.host.children() if self.host else []

    @property
    def host(self) -> psutil.Process | None:
        """The process that has imported TensorFlow; a probe of the machine may run beside it for a moment."""
        for child in self.process.children():
            with contextlib.suppress(psutil.Error):
                if "tfcore.worker" in child.cmdline():
                    return child
        return None

    @property
    def below(self) -> list[psutil.Process]:
        """Every process that the server started, and those that they started."""
        return self.process.children(recursive=True)


@contextmanager
def running(**environment: str) -> Iterator[Server]:
    """Start a dashboard on a free port; end it by SIGTERM, as a service manager does."""
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder, Path(folder, "server.log").open("wb+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tfcore.launch", "--port", str(port)],
            cwd=ROOT, env=os.environ | {"TMPDIR": folder} | environment, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            _wait_until_healthy(url, process, log.name)
            yield Server(url, psutil.Process(process.pid))
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One dashboard for all tests that leave it alive."""
    with running() as found:
        yield found


@pytest.fixture(scope="session")
def server_with_gpus(simgpu_folder: Path) -> Iterator[Server]:
    """A dashboard whose TensorFlow sees two simulated GPUs."""
    with running(LD_LIBRARY_PATH=str(simgpu_folder), SIMGPU_COUNT="2") as found:
        yield found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        assert process.poll() is None, Path(log).read_text()
        assert time.monotonic() < deadline, Path(log).read_text()
        try:
            with urllib.request.urlopen(url + "/_stcore/health", timeout=1):
                return
        except OSError:
            continue
