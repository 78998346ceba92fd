"""The programs behind Diagnosis: this machine, or a log from anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tfcore import log_signs
from tfcore.devices import Unavailable
from tfcore.diagnosis import Diagnosis, diagnose
from tfcore.errors import LabError
from tfcore.evidence import EVIDENCE, Evidence, EvidencePlan, Machine, TensorFlowAnswer
from tfcore.probe.gather import gather
from tfcore.runtime.job import Program, Steps
from tfcore.settings import Settings

SETTLED = Unavailable("not asked: without a driver library and a GPU it cannot see one")


def this_machine(hurry: bool = False) -> Program[Diagnosis]:
    """Give a program that diagnoses this machine.

    In a `hurry` TensorFlow, which takes seconds to load, is not asked where its answer is certain beforehand.
    """

    def program(steps: Steps) -> Diagnosis:
        steps.progress("Looking at this machine", 0.1)
        machine = gather()
        steps.raise_if_cancelled()
        if hurry and is_settled(machine):
            return diagnose(Evidence(machine, SETTLED))
        steps.progress("Asking TensorFlow what it sees", 0.4)
        answer, log = _ask_tensorflow(steps)
        return diagnose(Evidence(machine, answer, log_signs.read(iter([log.encode(errors="surrogateescape")]))))

    return program


def is_settled(machine: Machine) -> bool:
    """Whether it is certain without TensorFlow that it can see no GPU: no driver library, and no GPU of any maker."""
    library, gpus = machine.driver_library, machine.gpus
    return (
        not isinstance(library, Unavailable) and bool(library.reason)
        and not isinstance(gpus, Unavailable) and not gpus
        and not isinstance(machine.nodes, Unavailable) and not machine.nodes
        and not isinstance(machine.packages, Unavailable)
        and not any("metal" in each.name or "directml" in each.name or "rocm" in each.name for each in machine.packages)
    )  # fmt: skip


def from_log(pieces: Callable[[], Iterator[bytes]], size: int) -> Program[Diagnosis]:
    """Give a program that diagnoses from a log of `size` bytes, read as a stream."""

    def program(steps: Steps) -> Diagnosis:
        def tell(done: int) -> None:
            steps.raise_if_cancelled()
            steps.progress(f"Reading: {done / 2**20:,.0f} MB", min(1.0, done / size) if size else None)

        return diagnose(Evidence(signs=log_signs.read(pieces(), tell), from_log=True))

    return program


def _ask_tensorflow(steps: Steps) -> tuple[TensorFlowAnswer | Unavailable, str]:
    try:
        answer: TensorFlowAnswer | Unavailable = steps.run(EVIDENCE, Settings(), EvidencePlan())
    except LabError as error:
        steps.raise_if_cancelled()
        return Unavailable(error.what), error.log
    return answer, steps.printed()
