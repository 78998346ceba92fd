"""What a rule is: when it holds, the cause in a sentence, the fix, the source, and how sure it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tfcore.devices import Unavailable
from tfcore.evidence import CUDA_ERRORS, Evidence, Family, Package, System
from tfcore.log_signs import Seen
from tfcore.tested_builds import built_for

Certainty = Literal["certain", "likely", "possible"]
Lines = tuple[str, ...]
# what follows from any fault of the driver, or of the way to it
FOLLOWS = ("cuda_not_found", "libraries_missing", "library_missing", "no_device", "unknown_error", "driver_absent",
           "device_files_absent", "driver_not_running", "built_without_cuda", "cut_short")  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One step of a fix: what to do, and the command that does it, if one does."""

    say: str
    command: str = ""


class Case:
    """The evidence of one case, as rules ask for it."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.machine = evidence.machine
        self.signs = evidence.signs

    def lines(self, *signs: str) -> tuple[str, ...]:
        """Give the log's lines that hold any of these signs."""
        return tuple(seen.text for seen in self.signs.get(*signs))

    def first(self, sign: str) -> Seen | None:
        """Give the first line that holds a sign."""
        return next(iter(self.signs.get(sign)), None)

    def word(self, sign: str, group: str) -> str:
        """Give what the first line that names it says of a sign's group; empty where none does."""
        return next((seen.groups[group] for seen in self.signs.get(sign) if group in seen.groups), "")

    def said(self, *codes: str) -> tuple[str, ...]:
        """Give the lines in which CUDA's driver answers with one of these errors, or its own answer."""
        wanted = {code.lower() for code in codes}
        cuda = self.machine.cuda
        own: Lines = ()
        if not isinstance(cuda, Unavailable) and cuda.name.lower() in wanted:
            own = (f"cuInit answers {cuda.name} ({cuda.code})",)
        return own + tuple(
            seen.text
            for seen in self.signs.get("cuinit", "cuda_error")
            if _named(seen.groups.get("code", "")) in wanted
        )

    @property
    def system(self) -> System | None:
        """The system, where it is known."""
        return None if isinstance(self.machine.system, Unavailable) else self.machine.system

    @property
    def family(self) -> Family:
        """The kind of system, guessed from the log where that is all there is."""
        if self.system:
            return self.system.family
        if self.signs.get("windows"):
            return "windows"
        return "macos" if self.signs.get("macos") else "linux"

    @property
    def in_container(self) -> bool:
        """Whether this runs in a container."""
        return bool(self.system.container) if self.system else bool(self.signs.get("container"))

    @property
    def in_wsl(self) -> bool:
        """Whether this runs in the Windows Subsystem for Linux."""
        return bool(self.system.wsl) if self.system else bool(self.signs.get("wsl"))

    @property
    def in_conda(self) -> bool:
        """Whether Python comes from conda."""
        return self.system.conda if self.system else bool(self.signs.get("conda"))

    @property
    def version(self) -> str:
        """TensorFlow's version; empty where it is unknown."""
        answer = self.evidence.tensorflow
        if not isinstance(answer, Unavailable):
            return answer.version
        named = [package.version for package in self.packages if package.name.startswith("tensorflow")]
        return named[0] if named and not self.evidence.from_log else self.signs.version

    @property
    def built(self) -> tuple[str, str]:
        """CUDA and cuDNN that this TensorFlow was built for; empty where unknown."""
        found = built_for(self.version)
        return (found[0], found[1]) if found else ("", "")

    @property
    def packages(self) -> tuple[Package, ...]:
        """The installed packages that matter here."""
        return () if isinstance(self.machine.packages, Unavailable) else self.machine.packages

    def variable(self, name: str) -> str | None:
        """Give an environment variable; None where it is not set or not known."""
        environment = self.machine.environment
        return None if isinstance(environment, Unavailable) else environment.get(name)

    @property
    def nvidia_gpus(self) -> int | None:
        """How many NVIDIA GPUs are on the bus; None where that is not known."""
        gpus = self.machine.gpus
        return None if isinstance(gpus, Unavailable) else sum(gpu.vendor == "nvidia" for gpu in gpus)

    @property
    def sees_gpu(self) -> bool:
        """Whether TensorFlow lists a GPU, or its log says that it made one."""
        answer = self.evidence.tensorflow
        if not isinstance(answer, Unavailable):
            return bool(answer.gpus)
        return bool(self.signs.get("created", "ran_on_gpu", "listed_gpu"))


def _named(code: str) -> str:
    """Give an error its name where a log prints its number only: "UNKNOWN ERROR (34)"."""
    number = re.fullmatch(r"unknown error \((\d+)\)", code.strip(), re.IGNORECASE)
    return CUDA_ERRORS.get(int(number[1]), code).lower() if number else code.lower()


Text = str | Callable[[Case], str]


@dataclass(frozen=True)
class Rule:
    """One row of the table.

    `when` gives the lines that make it hold: none where it does not. `usable` is whether TensorFlow can use a GPU
    all the same, None where that cannot be told. `explains` names the rules that merely follow from this one.
    """

    name: str
    when: Callable[[Case], Lines]
    cause: Text
    fix: Callable[[Case], tuple[Step, ...]]
    source: str
    certainty: Certainty | Callable[[Case], Certainty] = "certain"
    usable: bool | None = False
    explains: tuple[str, ...] = ()


def signs(*names: str) -> Callable[[Case], Lines]:
    """Hold where the log has any of these signs."""
    return lambda case: case.lines(*names)


def driver_says(*codes: str) -> Callable[[Case], Lines]:
    """Hold where the CUDA driver answers with one of these errors."""
    return lambda case: case.said(*codes)


def either(*conditions: Callable[[Case], Lines]) -> Callable[[Case], Lines]:
    """Hold where any condition does; all of their lines count."""
    return lambda case: tuple(dict.fromkeys(line for condition in conditions for line in condition(case)))


def unless(condition: Callable[[Case], Lines], *others: Callable[[Case], object]) -> Callable[[Case], Lines]:
    """Hold where the condition does and none of the others."""
    return lambda case: () if any(other(case) for other in others) else condition(case)
