"""What the sidebar chooses: which devices TensorFlow may use, and how.

TensorFlow fixes all of it when its runtime starts; here each worker applies it anew.
Source of the rules: https://www.tensorflow.org/guide/gpu.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tfcore.errors import SettingsError

Gpus = Literal["all", "none"] | tuple[int, ...]
Memory = Literal["growth", "limit", "all"]

MAX_CPU_DEVICES = 16
MAX_LIMIT_MB = 1024 * 1024
MAX_GPU_INDEX = 63
QUERY_KEYS = ("gpus", "memory", "placement", "cpu_devices")


@dataclass(frozen=True)
class Settings:
    """One visitor's choice. Raise SettingsError where a value cannot be meant.

    `gpus` holds TensorFlow's own indices, in order. `memory_limit_mb` is set with the mode
    "limit" and only then. `cpu_devices` is the number of logical CPU devices.
    """

    gpus: Gpus = "all"
    memory: Memory = "growth"
    memory_limit_mb: int | None = None
    soft_placement: bool = True
    cpu_devices: int = 1

    def __post_init__(self) -> None:
        _check_gpus(self.gpus)
        _check_memory(self.memory, self.memory_limit_mb)
        _check_cpu_devices(self.cpu_devices)

    def to_query(self) -> dict[str, str]:
        """Give the settings as an address's query, without what is left at its default."""
        default = _full_query(_DEFAULT)
        return {key: value for key, value in _full_query(self).items() if value != default[key]}

    def chooses(self, index: int) -> bool:
        """Tell whether the GPU of this index is to be visible."""
        return self.gpus == "all" or (self.gpus != "none" and index in self.gpus)

    def fitted_to(self, gpu_memory_mb: Sequence[int | None]) -> tuple[Settings, tuple[SettingsError, ...]]:
        """Replace what this machine's GPUs cannot give by the default, and name each such choice.

        `gpu_memory_mb` has an entry for each physical GPU: its memory, or None if it is unknown.
        """
        fitted, problems = self, []
        for check, default in ((check_gpus_exist, {"gpus": "all"}), (check_limit_fits, _GROWTH)):
            try:
                check(fitted, gpu_memory_mb)
            except SettingsError as problem:
                fitted = replace(fitted, **default)
                problems.append(problem)
        return fitted, tuple(problems)


def check_gpus_exist(settings: Settings, gpu_memory_mb: Sequence[int | None]) -> None:
    """Raise SettingsError if a chosen GPU is not in this machine."""
    count = len(gpu_memory_mb)
    missing = [i for i in settings.gpus if i >= count] if not isinstance(settings.gpus, str) else []
    if missing:
        there = "no GPU" if not count else "GPU 0 only" if count == 1 else f"GPUs 0 to {count - 1}"
        named = " and ".join(f"GPU {index}" for index in missing)
        raise SettingsError("gpus", f"{named} is not there: TensorFlow sees {there}.")


def check_limit_fits(settings: Settings, gpu_memory_mb: Sequence[int | None]) -> None:
    """Raise SettingsError if the limit is above the memory of a visible GPU."""
    limit = settings.memory_limit_mb
    sizes = [size for index, size in enumerate(gpu_memory_mb) if size and settings.chooses(index)]
    if limit is not None and sizes and limit > min(sizes):
        raise SettingsError("memory", f"A limit of {limit} MB is above the device's memory: at most {min(sizes)} MB.")


def parse_query(query: Mapping[str, str]) -> tuple[Settings, tuple[SettingsError, ...]]:
    """Read settings from an address's query. What cannot be read is named and left at its default."""
    settings, problems = Settings(), []
    for key, text in query.items():
        try:
            settings = replace(settings, **_parse(key, text))  # type: ignore[arg-type]
        except SettingsError as problem:
            problems.append(problem)
    return settings, tuple(problems)


def parse_gpus(text: str) -> Gpus:
    """Read "all", "none" or indices such as "0,2". Raise SettingsError for anything else."""
    if text in ("all", "none"):
        return "all" if text == "all" else "none"
    if not re.fullmatch(r"\d{1,3}(,\d{1,3})*", text, re.ASCII):
        raise SettingsError("gpus", f"{_quoted(text)} is not a choice of GPUs.", todo="Use all, none or 0,1.")
    return tuple(sorted({int(index) for index in text.split(",")}))


def parse_memory(text: str) -> tuple[Memory, int | None]:
    """Read "growth", "all" or "limit:1024" (MB). Raise SettingsError for anything else."""
    if text in ("growth", "all"):
        return ("growth" if text == "growth" else "all"), None
    limit = re.fullmatch(r"limit:(-?\d{1,9})", text, re.ASCII)
    if not limit:
        raise SettingsError(
            "memory", f"{_quoted(text)} is not a memory mode.", todo="Use growth, all or limit:1024 (MB)."
        )
    return "limit", int(limit[1])


def _parse(key: str, text: str) -> dict[str, object]:
    if key == "gpus":
        return {"gpus": parse_gpus(text)}
    if key == "memory":
        mode, limit = parse_memory(text)
        return {"memory": mode, "memory_limit_mb": limit}
    if key == "placement":
        return {"soft_placement": _parse_placement(text)}
    if key == "cpu_devices":
        return {"cpu_devices": _parse_count(text)}
    known = ", ".join(QUERY_KEYS)
    raise SettingsError(_shortened(key), f"{_quoted(key)} is not a setting.", todo=f"The settings are {known}.")


def _parse_placement(text: str) -> bool:
    if text not in ("soft", "strict"):
        raise SettingsError("placement", f"{_quoted(text)} is not a placement.", todo="Use soft or strict.")
    return text == "soft"


def _parse_count(text: str) -> int:
    if not re.fullmatch(r"-?\d{1,30}", text, re.ASCII):
        raise SettingsError("cpu_devices", f"{_quoted(text)} is not a number.", todo=f"Use 1 to {MAX_CPU_DEVICES}.")
    return int(text)


def _check_gpus(gpus: Gpus) -> None:
    if isinstance(gpus, str):
        return
    if not gpus or list(gpus) != sorted(set(gpus)) or gpus[0] < 0 or gpus[-1] > MAX_GPU_INDEX:
        raise SettingsError(
            "gpus",
            f"{','.join(map(str, gpus)) or 'An empty list'} is not a choice of GPUs.",
            todo=f"Name different indices from 0 to {MAX_GPU_INDEX}, in order.",
        )


def _check_memory(memory: Memory, limit_mb: int | None) -> None:
    if (memory == "limit") != (limit_mb is not None):
        raise SettingsError("memory", "A limit in MB goes with the memory mode “limit”, and only with it.")
    if limit_mb is not None and not 1 <= limit_mb <= MAX_LIMIT_MB:
        raise SettingsError("memory", f"{limit_mb} MB cannot be a memory limit.", todo=f"Use 1 to {MAX_LIMIT_MB} MB.")


def _check_cpu_devices(count: int) -> None:
    if not 1 <= count <= MAX_CPU_DEVICES:
        raise SettingsError(
            "cpu_devices",
            f"{count} logical CPU devices cannot be made.",
            todo=f"Use 1 to {MAX_CPU_DEVICES}.",
        )


def _full_query(settings: Settings) -> dict[str, str]:
    gpus, limited = settings.gpus, settings.memory == "limit"
    return {
        "gpus": gpus if isinstance(gpus, str) else ",".join(map(str, gpus)),
        "memory": f"limit:{settings.memory_limit_mb}" if limited else settings.memory,
        "placement": "soft" if settings.soft_placement else "strict",
        "cpu_devices": str(settings.cpu_devices),
    }


def _shortened(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[:limit] + "…"


def _quoted(text: str) -> str:
    return f"“{_shortened(text)}”"


_DEFAULT = Settings()
_GROWTH = {"memory": "growth", "memory_limit_mb": None}
