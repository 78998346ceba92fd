"""Contenders: a device plus options that need a runtime of their own, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tfcore.devices import LogicalDevice
from tfcore.errors import SettingsError
from tfcore.workloads import ITEM_BYTES, Workload

Dtype = Literal["float16", "bfloat16", "float32", "float64"]

TOLERANCE = {"float64": 1e-7, "float32": 1e-3, "bfloat16": 5e-2, "float16": 2e-2}
TF32_TOLERANCE = 5e-3


@dataclass(frozen=True)
class Contender:
    """A device plus options that need a runtime of their own. `threads` None is all cores; CPUs only."""

    device: str = "CPU:0"
    dtype: Dtype = "float32"
    threads: int | None = None
    xla: bool = False
    tf32: bool = True

    @property
    def name(self) -> str:
        """The name that people read: "CPU:0, 1 thread, float16"."""
        threads = f"{self.threads} thread{'s' if self.threads != 1 else ''}" if self.threads else ""
        options = (threads, self.dtype if self.dtype != "float32" else "", "XLA" if self.xla else "")
        return ", ".join(filter(None, (self.device, *options, "" if self.tf32 else "no TF32")))

    @property
    def tolerance(self) -> float:
        """How far its numbers may lie from another's, relative to the largest."""
        tf32 = self.tf32 and self.dtype == "float32" and self.device.startswith("GPU")
        return TF32_TOLERANCE if tf32 else TOLERANCE[self.dtype]


def parse_contender(text: str) -> Contender:
    """Read "cpu", "cpu:threads=1", "gpu:0:float16", "gpu:1:xla:tf32=off". Raise SettingsError for anything else."""
    device, *options = text.strip().lower().split(":")
    index = options.pop(0) if options and options[0].isdigit() else "0"
    if device not in ("cpu", "gpu") or len(index) > 2:
        raise _not_understood(text)
    chosen: dict[str, object] = {"device": f"{device.upper()}:{index}"}
    for option in options:
        chosen |= _option(text, option)
    return Contender(**chosen)  # type: ignore[arg-type]


def default_contenders(devices: Sequence[LogicalDevice], cores: int) -> tuple[Contender, ...]:
    """CPU against GPU where there is one; else one core against all."""
    if any(device.type == "GPU" for device in devices):
        return Contender("CPU:0"), Contender("GPU:0")
    return (Contender("CPU:0", threads=1), Contender("CPU:0")) if cores > 1 else (Contender("CPU:0"),)


def possible_contenders(workload: Workload, devices: Sequence[LogicalDevice], cores: int) -> tuple[Contender, ...]:
    """Give every contender that the devices and the workload allow, the plain ones first."""
    found: list[Contender] = []
    for device in devices:
        plain = [Contender(device.short_name, dtype) for dtype in workload.dtypes]  # type: ignore[arg-type]
        found += sorted(plain, key=lambda contender: contender.dtype != "float32")
        if workload.compiles:
            found.append(Contender(device.short_name, xla=True))
        if device.type == "GPU":
            found.append(Contender(device.short_name, tf32=False))
        else:
            found += [Contender(device.short_name, threads=count) for count in sorted({1, max(1, cores // 2)})]
    return tuple(found)


def check_contender(workload: Workload, contender: Contender) -> None:
    """Raise SettingsError if a workload cannot run on it."""
    if contender.dtype not in workload.dtypes:
        known = ", ".join(workload.dtypes)
        raise SettingsError("contenders", f"{workload.title} does not work in {contender.dtype}.", todo=f"Use {known}.")
    if contender.threads is not None and (contender.device[:3] != "CPU" or not 1 <= contender.threads <= 1024):
        raise SettingsError("contenders", f"{contender.name}: threads are for a CPU, 1 to 1,024 of them.")
    if contender.xla and not workload.compiles:
        raise SettingsError(
            "contenders", f"{workload.title} holds nothing that XLA could compile.", todo="Leave xla out."
        )


def _option(text: str, option: str) -> dict[str, object]:
    if option in ITEM_BYTES:
        return {"dtype": option}
    if option in ("xla", "tf32=on", "tf32=off"):
        return {"xla": True} if option == "xla" else {"tf32": option == "tf32=on"}
    threads = re.fullmatch(r"threads=(\d{1,4})", option, re.ASCII)
    if not threads:
        raise _not_understood(text)
    return {"threads": int(threads[1])}


def _not_understood(text: str) -> SettingsError:
    return SettingsError(
        "contenders",
        f"“{text[:40]}” is not a contender.",
        todo="Use cpu, gpu:1, cpu:threads=1, gpu:0:float16, gpu:0:xla or gpu:0:tf32=off.",
    )
