"""What can be read of this machine without TensorFlow. On Linux a container's memory limit counts."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path

import psutil

from tfcore.devices import Computer, Inventory, Unavailable

CGROUP = Path("/sys/fs/cgroup")


def read_computer() -> Computer:
    """Read processor, cores and memory. What cannot be read says why."""
    memory = psutil.virtual_memory()
    limit, used = _container_memory(CGROUP)
    total = min(memory.total, limit) if limit else memory.total
    free = min(memory.available, max(0, limit - used)) if limit else memory.available
    return Computer(
        system=f"{platform.system()} {platform.release()}",
        cpu_model=_cpu_model(Path("/proc/cpuinfo")),
        logical_cores=len(psutil.Process().cpu_affinity())
        if hasattr(psutil.Process, "cpu_affinity")
        else psutil.cpu_count() or 1,
        physical_cores=psutil.cpu_count(logical=False) or Unavailable("the system does not tell"),
        memory_bytes=total,
        available_memory_bytes=free,
    )


def refreshed(inventory: Inventory) -> Inventory:
    """Give an inventory with the memory that is free now: devices stay, free memory does not."""
    return replace(inventory, computer=read_computer())


def _cpu_model(cpuinfo: Path) -> str | Unavailable:
    try:
        lines = cpuinfo.read_text(errors="replace").splitlines()
    except OSError:
        return platform.processor() or Unavailable(f"{cpuinfo} cannot be read")
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model", "Hardware"):
            return value.strip()
    return platform.processor() or Unavailable(f"{cpuinfo} does not name it")


def _container_memory(cgroup: Path) -> tuple[int, int]:
    """Give the limit and the use of this container in bytes; zeros where there is no limit.

    File cache that the kernel can drop is not use. Source: the kernel's cgroup v2 and v1 documents.
    """
    for limit_file, used_file, stat_file, cache in (
        ("memory.max", "memory.current", "memory.stat", "inactive_file"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"),
    ):
        try:
            limit, used, stat = ((cgroup / name).read_text() for name in (limit_file, used_file, stat_file))
        except OSError:
            continue
        if limit.strip().isdigit() and int(limit) < 2**60:
            droppable = dict(line.split(" ", 1) for line in stat.splitlines()).get(cache, "0")
            return int(limit), max(0, int(used) - int(droppable))
    return 0, 0
