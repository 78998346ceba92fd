"""Fixtures that several tests share: a backend on the real TensorFlow, and one on simulated GPUs."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
import streamlit as st

from tfcore import session
from tfcore.benchmark import RoundPlan
from tfcore.contenders import Contender
from tfcore.runtime.backend import Backend
from tfcore.runtime.workspace import Workspace
from tfcore.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
SIMGPU = ROOT / "tests" / "simgpu"
CACHE = ROOT / ".cache"


def one_pass(device: str, size: int) -> RoundPlan:
    """A plan for one logged pass of the article's computation on a device."""
    return RoundPlan("article", (size,), Contender(device), budget_s=0.0, fewest=1, half_width=1.0, probe=True)


def need(condition: object, reason: str) -> None:
    """Skip with the reason where something is missing; fail where CI has promised it."""
    if not condition:
        (pytest.fail if os.environ.get("LAB_TESTS_MUST_NOT_SKIP") else pytest.skip)(reason)


@pytest.fixture(scope="session")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """One backend for all tests that leave its host alive."""
    made = Backend(workspace=Workspace(str(tmp_path_factory.mktemp("workspace"))))
    yield made
    made.close()


@pytest.fixture
def shared_backend(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> Iterator[Backend]:
    """Let the pages use the tests' backend, so that TensorFlow is imported once."""
    monkeypatch.setattr(session, "backend", lambda: backend)
    yield backend
    st.cache_resource.clear()


@pytest.fixture
def own_backend(tmp_path: Path) -> Iterator[Backend]:
    """A backend for a test that harms its host."""
    made = Backend(workspace=Workspace(str(tmp_path)))
    yield made
    made.close()


@pytest.fixture(scope="session")
def simgpu_folder() -> Path:
    """The stand-in CUDA libraries, compiled once and kept until TensorFlow or their source changes."""
    need(shutil.which("cc"), "the simulated GPUs need a C compiler named cc")
    sources = b"".join(path.read_bytes() for path in sorted(SIMGPU.glob("*.[cp]*")))
    digest = hashlib.sha256(sources + version("tensorflow").encode()).hexdigest()[:16]
    folder = CACHE / f"simgpu-{digest}"
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "simgpu.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            subprocess.run([sys.executable, str(SIMGPU / "build.py"), "--out", str(folder)], check=True)
            (folder / "complete").touch()
    return folder


@pytest.fixture
def simulated_gpus(
    simgpu_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Backend]]:
    """Give a function that makes a backend whose TensorFlow sees so many simulated GPUs."""
    made: list[Backend] = []

    def make(count: int = 2, **environment: str) -> Backend:
        simulate(monkeypatch, simgpu_folder, count, **environment)
        made.append(Backend(workspace=Workspace(str(tmp_path))))
        return made[-1]

    yield make
    for backend in made:
        backend.close()


@pytest.fixture(scope="session")
def two_gpus(simgpu_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """One backend with two simulated GPUs, for all tests that leave its host alive."""
    made = Backend(workspace=Workspace(str(tmp_path_factory.mktemp("two_gpus"))))
    with pytest.MonkeyPatch.context() as patch:
        simulate(patch, simgpu_folder, 2, TF_CPP_VMODULE="bfc_allocator=1")
        made.runtime(Settings()).result()
    yield made
    made.close()


def simulate(patch: pytest.MonkeyPatch, folder: Path, count: int, **environment: str) -> None:
    """Set the environment in which a new TensorFlow sees so many simulated GPUs."""
    variables = {"LD_LIBRARY_PATH": str(folder), "SIMGPU_COUNT": str(count)} | environment
    for name, value in variables.items():
        patch.setenv(name, value)


pytest_plugins = ["tests.server.servers"]
