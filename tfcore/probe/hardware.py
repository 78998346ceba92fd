"""The graphics devices on the bus, the NVIDIA driver's halves, and what the driver answers."""

from __future__ import annotations

import json
import os
import platform
import re
import sys

import msgspec

from tfcore.devices import Unavailable
from tfcore.evidence import CUDA_ERRORS, CudaAnswer, Gpu, GpuMemory, Library, Node, Vendor
from tfcore.probe import isolated
from tfcore.probe.files import Files

VENDORS: dict[str, Vendor] = {"0x10de": "nvidia", "0x1002": "amd", "0x8086": "intel"}
DISPLAY = ("0x03", "0x12")  # PCI classes: display controllers, processing accelerators
_ASK_CUDA = """
import ctypes, json, os, re
library = ctypes.CDLL("libcuda.so.1")
path = ""
try:
    with open("/proc/self/maps") as maps:
        path = next((line.split()[-1] for line in maps if "libcuda.so" in line), "")
except OSError:
    pass
code, version, count = library.cuInit(0), ctypes.c_int(), ctypes.c_int()
library.cuDriverGetVersion(ctypes.byref(version))
if code == 0:
    library.cuDeviceGetCount(ctypes.byref(count))
print(json.dumps([code, version.value, count.value, path, os.path.realpath(path)]))
"""


def gpus(files: Files) -> tuple[Gpu, ...] | Unavailable:
    """List the graphics devices on the PCI bus, or Apple's own."""
    if platform.system() == "Darwin":
        return (Gpu("apple", "built in"),) if platform.machine() == "arm64" else ()
    folders = files.names("/sys/bus/pci/devices")
    if isinstance(folders, Unavailable):
        return folders
    found = []
    for folder in folders:
        vendor = VENDORS.get(files.text(f"{folder}/vendor"))
        if vendor and files.text(f"{folder}/class").startswith(DISPLAY):
            driver = re.search(r"^DRIVER=(.*)$", files.text(f"{folder}/uevent"), re.MULTILINE)
            found.append(Gpu(vendor, folder.rsplit("/", 1)[-1], driver[1] if driver else ""))
    return tuple(found)


def nodes(files: Files) -> tuple[Node, ...] | Unavailable:
    """List the NVIDIA device files, and WSL's, and whether this user may open them."""
    found = files.names("/dev", "nvidia*")
    if isinstance(found, Unavailable):
        return found
    paths = [*found, *(["/dev/dxg"] if files.exists("/dev/dxg") else [])]
    shown = [path for path in paths if not (files.root / path.lstrip("/")).is_dir()]
    return tuple(Node(path, os.access(files.root / path.lstrip("/"), os.R_OK | os.W_OK)) for path in shown)


def module_version(files: Files) -> str | Unavailable:
    """Give the version of the kernel module that is loaded."""
    told = re.search(r"Module(?:\s+for x86_64)?\s+(\d[\d.]+)", files.text("/proc/driver/nvidia/version"))
    if told:
        return told[1]
    if files.exists("/sys/module/nvidia"):
        return files.read("/sys/module/nvidia/version")
    if not files.exists("/proc/version"):
        return Unavailable("/proc is not there to tell")
    return Unavailable("no kernel module nvidia is loaded")


def module_on_disk() -> str | Unavailable:
    """Give the version of the kernel module that the next start would load."""
    return isolated.command("modinfo", "-F", "version", "nvidia")


def other_modules(files: Files) -> tuple[str, ...] | Unavailable:
    """Name the loaded kernel modules of other graphics drivers."""
    found = files.read("/proc/modules")
    if isinstance(found, Unavailable):
        return found
    loaded = {line.split()[0] for line in found.splitlines() if line.strip()}
    return tuple(sorted(loaded & {"nouveau", "amdgpu", "i915", "xe", "nvidia_uvm", "vfio_pci"}))


def cuda() -> tuple[CudaAnswer | Unavailable, Library]:
    """Ask the CUDA driver itself, in a process of its own: its answer, and its library."""
    name = "nvcuda.dll" if platform.system() == "Windows" else "libcuda.so.1"
    told = isolated.python(_ASK_CUDA, limit_s=8.0)
    if isinstance(told, Unavailable):
        reason = told.reason.removeprefix("it failed: ").removeprefix("OSError: ")
        return Unavailable(reason), Library(name, reason=reason)
    code, version, count, path, real = json.loads(told)
    version_in_name = re.search(r"libcuda\.so\.(\d{3,}[\d.]*)$", real)
    library = Library(name, path, version_in_name[1] if version_in_name else "")
    cuda_version = f"{version // 1000}.{version % 1000 // 10}" if version else ""
    return CudaAnswer(code, CUDA_ERRORS.get(code, f"error {code}"), cuda_version, count), library


def nvml() -> tuple[str | Unavailable, tuple[GpuMemory, ...] | Unavailable]:
    """Ask NVML for the driver's version and the memory of all GPUs, in a process of its own: a sick driver hangs."""
    told = isolated.run([sys.executable, "-m", "tfcore.probe.nvml"], "NVML", 8.0)
    if isinstance(told, Unavailable):
        return told, told
    version, memory = msgspec.json.decode(told)
    known = Unavailable(version["reason"]) if isinstance(version, dict) else version
    if isinstance(memory, dict):
        return known, Unavailable(memory["reason"])
    return known, msgspec.convert(memory, tuple[GpuMemory, ...])
