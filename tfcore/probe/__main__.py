"""Print what this machine is, as JSON: python -m tfcore.probe."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import msgspec

from tfcore.devices import Unavailable
from tfcore.evidence import Machine
from tfcore.probe import hardware, isolated, libraries, system
from tfcore.probe.files import Files


def machine(root: str = "/") -> Machine:
    """Find out all that can be found; what fails is a value with its reason."""
    files, own = Files(root), system.own_environment()
    slow: dict[str, Callable[[], Any]] = {
        "cuda": hardware.cuda,
        "nvml": hardware.nvml,
        "libraries": libraries.libraries,
        "module_on_disk": hardware.module_on_disk,
        "nvidia_smi": lambda: isolated.command("nvidia-smi", "-L"),
        "packages": system.packages,
    }
    with ThreadPoolExecutor(len(slow)) as threads:
        asked = {name: threads.submit(attempt, ask) for name, ask in slow.items()}
        found = Machine(
            system=attempt(lambda: system.system(files, own)),
            gpus=attempt(lambda: hardware.gpus(files)),
            nodes=attempt(lambda: hardware.nodes(files)),
            module_version=attempt(lambda: hardware.module_version(files)),
            other_modules=attempt(lambda: hardware.other_modules(files)),
            environment=attempt(lambda: system.environment(own)),
        )
        answers = {name: each.result() for name, each in asked.items()}
    return replace(found, **_parted(answers))


def _parted(answers: dict[str, Any]) -> dict[str, Any]:
    """Part the answers that hold two values."""
    for one, other, pair in (("cuda", "driver_library", answers["cuda"]), ("nvml", "memory", answers["nvml"])):
        both = (pair, pair) if isinstance(pair, Unavailable) else pair
        answers[one], answers[other] = both
    return answers


def attempt(ask: Callable[[], Any]) -> Any:
    """Ask; whatever goes wrong is the reason why it is not available."""
    try:
        return ask()
    except Exception as error:  # any fault of any system must leave the rest
        return Unavailable(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(machine()))
