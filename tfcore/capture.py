"""What is captured for Placement: the plan that a worker gets, and what it adds to its log."""

from __future__ import annotations

from dataclasses import dataclass, field

from tfcore.errors import SettingsError
from tfcore.wire import Task

WORKLOADS = {
    "article": "The article’s computation",
    "dense": "A dense net’s training step",
    "convolution": "A convolutional net’s training step",
    "mixed": "A mix with operations that have no GPU kernel",
    "strings": "String handling",
}


@dataclass(frozen=True)
class CapturePlan:
    """What to run. `device` is empty where TensorFlow is to choose; `function` runs it as one tf.function."""

    workload: str = "article"
    device: str = ""
    function: bool = False


@dataclass(frozen=True)
class CaptureResult:
    """What the worker adds to its log: TensorFlow's error if it refused, and what it knows of the function's graph.

    `edges` are pairs of names of nodes: where one's result goes to the other.
    """

    error: str = ""
    dtypes: dict[str, str] = field(default_factory=dict)
    edges: tuple[tuple[str, str], ...] = ()


CAPTURE = Task("placement", CapturePlan, CaptureResult)


def check(plan: CapturePlan) -> None:
    """Raise SettingsError if a plan cannot be meant."""
    if plan.workload not in WORKLOADS:
        raise SettingsError(
            "workload", f"“{plan.workload[:40]}” is not a workload.", todo=f"Use {', '.join(WORKLOADS)}."
        )
    if len(plan.device) > 60 or any(character.isspace() for character in plan.device):
        raise SettingsError("device", "That is not a device.", todo="Use /GPU:0, /CPU:0, or nothing.")
