"""The operating system, what this process runs in, and what Python has installed."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Mapping
from importlib import metadata

from tfcore.evidence import Family, Package, System
from tfcore.probe.files import Files

_PACKAGES = re.compile(r"tensorflow|tf[-_]nightly|^nvidia[-_]|^keras$|rocm|directml|^torch$|^jax", re.IGNORECASE)
_VARIABLES = re.compile(
    r"^(CUDA_\w+|NVIDIA_\w+|LD_LIBRARY_PATH|LD_PRELOAD|XLA_FLAGS|TF_(?:CPP|FORCE|GPU|XLA|ENABLE|DISABLE|MIN|USE|CUDNN|CUDA|NUM|ROCM)_\w+|HIP_VISIBLE_DEVICES|ROCR_VISIBLE_DEVICES"
    r"|CONDA_PREFIX|VIRTUAL_ENV|SLURM_JOB_ID|SLURM_JOB_GPUS|SLURM_GPUS\w*)$"
)
FAMILIES: dict[str, Family] = {"linux": "linux", "win32": "windows", "darwin": "macos"}


def system(files: Files, environment: Mapping[str, str]) -> System:
    """Describe the system."""
    kernel = files.text("/proc/version") or f"{platform.system()} {platform.release()}"
    return System(
        family=FAMILIES.get(sys.platform, "other"),
        name=_name(files),
        kernel=_release(kernel),
        wsl=_wsl(kernel, files),
        container=_container(files, environment),
        container_gpus=environment.get("NVIDIA_VISIBLE_DEVICES", ""),
        scheduler="Slurm" if "SLURM_JOB_ID" in environment else "",
        packages=next((each for each in ("apt", "dnf", "pacman", "zypper") if shutil.which(each)), ""),
        conda="CONDA_PREFIX" in environment and sys.prefix.startswith(environment["CONDA_PREFIX"]),
        python=platform.python_version(),
    )


def environment(found: Mapping[str, str]) -> dict[str, str]:
    """Give the variables that bear on GPUs."""
    return {name: value for name, value in sorted(found.items()) if _VARIABLES.match(name)}


def packages() -> tuple[Package, ...]:
    """List the installed packages that bear on GPUs."""
    found = {}
    for each in metadata.distributions():
        name = (each.metadata["Name"] or "").lower().replace("_", "-")
        if _PACKAGES.search(name):
            found[name] = Package(name, each.version or "")
    return tuple(found[name] for name in sorted(found))


def _name(files: Files) -> str:
    told = re.search(r'^PRETTY_NAME="?([^"\n]*)', files.text("/etc/os-release"), re.MULTILINE)
    return told[1] if told else f"{platform.system()} {platform.release()}".strip()


def _release(kernel: str) -> str:
    told = re.search(r"version (\S+)", kernel)
    return told[1] if told else kernel


def _wsl(kernel: str, files: Files) -> int:
    """Tell WSL 1 (no GPU) from WSL 2, which has the device /dev/dxg."""
    if "microsoft" not in kernel.lower():
        return 0
    return 2 if "WSL2" in kernel or files.exists("/dev/dxg") else 1


def _container(files: Files, environment: Mapping[str, str]) -> str:
    """Name what this container is run by; empty outside of one."""
    if "KUBERNETES_SERVICE_HOST" in environment:
        return "Kubernetes"
    if "APPTAINER_CONTAINER" in environment or "SINGULARITY_CONTAINER" in environment:
        return "Apptainer"
    if files.exists("/.dockerenv"):
        return "Docker"
    if files.exists("/run/.containerenv"):
        return "Podman"
    named = environment.get("container", "")
    if named:
        return named
    groups = re.search(r"docker|kubepods|containerd|lxc|libpod", files.text("/proc/1/cgroup"))
    return {"docker": "Docker", "kubepods": "Kubernetes", "lxc": "LXC"}.get(groups[0], groups[0]) if groups else ""


def own_environment() -> dict[str, str]:
    """Give this process's environment."""
    return dict(os.environ)
