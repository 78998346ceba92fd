"""Training on several replicas: what may be asked for, what each run gave, and what may be said about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tfcore import statistics
from tfcore.devices import Inventory
from tfcore.errors import SettingsError
from tfcore.settings import MAX_CPU_DEVICES, Settings
from tfcore.statistics import Interval
from tfcore.wire import Task

On = Literal["auto", "gpu", "cpu"]
Reduction = Literal["default", "nccl", "hierarchical", "one-device"]
Loop = Literal["custom", "fit"]
BatchOf = Literal["all", "each"]

TRUE_SLOPE, TRUE_INTERCEPT = 2.0, -1.0
MOST_WORKERS = 8
MOST_REPLICAS, MOST_EPOCHS, MOST_BATCH = 16, 1_000, 65_536
SAME_FIRST_LOSS = 1e-5
REDUCTIONS: dict[Reduction, str] = {
    "default": "TensorFlow’s default",
    "nccl": "NCCL all-reduce",
    "hierarchical": "Hierarchical copy",
    "one-device": "Reduction to one device",
}


@dataclass(frozen=True)
class Model:
    """A model to train. `examples` are made anew, seeded; an epoch goes once through them."""

    title: str
    sentence: str
    examples: int
    batch: int
    epochs: int
    learning_rate: float


MODELS = {
    "article": Model(
        "The article’s model", "One number in, one number out: it has to find a straight line.", 256, 64, 20, 0.2
    ),
    "dense": Model("A dense net", "Three layers of 512 neurons, on made-up examples.", 4_096, 256, 5, 0.05),
    "conv": Model("A small convolutional net", "Two layers that look at made-up pictures.", 1_024, 128, 4, 0.05),
}


@dataclass(frozen=True)
class StrategyPlan:
    """What to train. `batch` is the total over all replicas, or what each of them gets."""

    model: str = "article"
    replicas: tuple[int, ...] = (1, 2)
    batch: int = 64
    epochs: int = 20
    reduction: Reduction = "default"
    loop: Loop = "custom"
    on: On = "auto"
    workers: int = 1
    batch_of: BatchOf = "all"

    def total_batch(self, replicas: int) -> int:
        """Give the batch over so many replicas."""
        return self.batch * replicas if self.batch_of == "each" else self.batch


@dataclass(frozen=True)
class TrainPlan:
    """What one worker trains: a model on these devices. In a cluster `index` is its own place."""

    model: str
    devices: tuple[str, ...]
    batch: int
    epochs: int
    reduction: Reduction
    loop: Loop
    cluster: tuple[str, ...] = ()
    index: int = 0


@dataclass(frozen=True)
class Losses:
    """A part of a run as it goes: the losses of some steps in a row, and the examples per second in them."""

    epoch: int
    losses: tuple[float | None, ...]
    examples_per_s: float


@dataclass(frozen=True)
class Copies:
    """A variable's copies, one on each replica, and the largest difference between any two."""

    variable: str
    devices: tuple[str, ...]
    largest_difference: float | None


@dataclass(frozen=True)
class Trained:
    """What one worker trained. `losses` has one for each step, None where it is not finite; `split` is what each
    replica got of a batch; `weights` are the last values, flat, for the article's model and clusters alone."""

    devices: tuple[str, ...]
    losses: tuple[float | None, ...]
    epoch_s: tuple[float, ...]
    examples: int
    copies: tuple[Copies, ...]
    split: tuple[int, ...]
    weights: tuple[float, ...] = ()

    @property
    def replicas(self) -> int:
        """How many replicas took part."""
        return len(self.devices)

    @property
    def rates(self) -> tuple[float, ...]:
        """Examples per second of each epoch but the first, which traces; of that one if there is no other."""
        return tuple(self.examples / seconds for seconds in self.epoch_s[1:] or self.epoch_s)

    @property
    def examples_per_s(self) -> float:
        """The median over the epochs."""
        return statistics.median([self.rates])

    @property
    def rate_interval(self) -> Interval:
        """Where it lies with 95 % confidence."""
        return statistics.median_interval([self.rates])

    @property
    def largest_difference(self) -> float | None:
        """The largest difference between any variable's copies; None if one is not finite."""
        found = [each.largest_difference for each in self.copies]
        return None if None in found else max((value for value in found if value is not None), default=0.0)


TRAIN = Task("strategy", TrainPlan, Trained, part=Losses)


@dataclass(frozen=True)
class Training:
    """Runs of the same plan with different numbers of replicas. On simulated GPUs no number means anything.

    `logs` has what each run printed, its placement log in it; of several processes, that of one.
    """

    plan: StrategyPlan
    settings: Settings
    runs: tuple[Trained, ...]
    simulated: bool
    shared_processor: bool
    logs: tuple[str, ...] = ()

    def efficiency(self, run: Trained) -> float | None:
        """Give the share of the ideal speedup over the first run; None where there is nothing to compare."""
        first = self.runs[0]
        if self.simulated or run is first:
            return None
        return run.examples_per_s / first.examples_per_s / (run.replicas / first.replicas)

    def warnings(self, run: Trained) -> tuple[str, ...]:
        """Say what a reader has to know before trusting a run."""
        if self.simulated:
            return ("simulated devices: neither losses nor times mean anything",)
        first = self.runs[0]
        found = {
            "replicas share one processor: no speedup is to be expected": self.shared_processor and run.replicas > 1,
            "the copies of a variable differ": run.largest_difference != 0.0,
            "the first loss differs from that of the first run": self.plan.batch_of == "all"
            and not same_losses((*first.losses[:1], *run.losses[:1])),
            "a loss is not finite": None in run.losses,
            "one epoch alone: its time includes tracing": len(run.epoch_s) < 2,
        }
        return tuple(text for text, holds in found.items() if holds)


def check(plan: StrategyPlan, inventory: Inventory) -> None:
    """Raise SettingsError, with the field, if a plan cannot be meant on these devices."""
    if plan.model not in MODELS:
        raise SettingsError("model", f"“{plan.model[:40]}” is not a model.", todo=f"Use {', '.join(MODELS)}.")
    if not plan.replicas or not all(1 <= count <= MOST_REPLICAS for count in plan.replicas):
        raise SettingsError("replicas", "The numbers of replicas cannot be used.", todo=f"Use 1 to {MOST_REPLICAS}.")
    if not 1 <= plan.epochs <= MOST_EPOCHS:
        raise SettingsError("epochs", f"{plan.epochs:,} epochs cannot be trained.", todo=f"Use 1 to {MOST_EPOCHS:,}.")
    if plan.workers != 1:
        _check_workers(plan)
    else:
        _check_devices(plan, inventory)
    _check_batch(plan)


def devices_for(plan: StrategyPlan, inventory: Inventory) -> tuple[str, str]:
    """Give the type of device that is trained on, and why: "GPU", or "CPU" with its reason."""
    if plan.on != "cpu" and inventory.of_type("GPU"):
        return "GPU", ""
    reason = "because you chose it" if plan.on == "cpu" else "because no GPU is in force"
    return "CPU", reason


def settings_for(plan: StrategyPlan, settings: Settings, inventory: Inventory) -> Settings:
    """Give settings with enough logical CPU devices, where the CPU is trained on."""
    if devices_for(plan, inventory)[0] == "GPU":
        return settings
    return replace(settings, cpu_devices=max(settings.cpu_devices, *plan.replicas))


def next_dividing(batch: int, replicas: Sequence[int], most: int) -> int:
    """Give the next larger batch that divides by every number, or the largest up to `most`; 0 if there is none."""
    step = math.lcm(*replicas)
    return min(-(-max(1, batch) // step) * step, most // step * step)


def line_found(run: Trained) -> tuple[float, float]:
    """Give the slope and intercept that the article's model has learned."""
    slope, intercept = run.weights
    return slope, intercept


def same_losses(losses: Sequence[float | None]) -> bool:
    """Whether losses are finite and agree to 1e-5 of the first."""
    known = [loss for loss in losses if loss is not None]
    return len(known) == len(losses) and all(
        abs(loss - known[0]) <= SAME_FIRST_LOSS * max(1.0, abs(known[0])) for loss in known
    )


def _check_batch(plan: StrategyPlan) -> None:
    examples, counts = MODELS[plan.model].examples, _all_counts(plan)
    most = min(MOST_BATCH, examples) // (max(counts) if plan.batch_of == "each" else 1)
    if not 1 <= plan.batch <= most:
        whose = " for each replica" if plan.batch_of == "each" else ""
        raise SettingsError("batch", f"A batch of {plan.batch:,}{whose} cannot be used.", todo=f"Use 1 to {most:,}.")
    for count in counts if plan.batch_of == "all" else ():
        if plan.batch % count:
            better = next_dividing(plan.batch, counts, examples)
            kind = "replicas" if plan.workers == 1 else "workers"
            raise SettingsError(
                "batch", f"A batch of {plan.batch:,} does not divide by {count} {kind}, and one would starve.",
                todo=f"Use {better:,}." if better else "No batch divides by all of them: choose fewer.",
            )  # fmt: skip


def _all_counts(plan: StrategyPlan) -> tuple[int, ...]:
    return plan.replicas if plan.workers == 1 else (plan.workers,)


def _check_workers(plan: StrategyPlan) -> None:
    if not 1 <= plan.workers <= MOST_WORKERS:
        raise SettingsError("workers", f"{plan.workers} workers cannot be used.", todo=f"Use 1 to {MOST_WORKERS}.")
    if plan.on == "gpu" or plan.reduction != "default":
        what = "Workers on this computer train on its CPU, with TensorFlow's own reduction."
        raise SettingsError("workers", what, todo="Leave the other choices out.")
    if plan.loop == "fit":
        raise SettingsError("loop", "Keras 3 does not train over several workers.", todo="Use the custom loop.")


def _check_devices(plan: StrategyPlan, inventory: Inventory) -> None:
    gpus, most = len(inventory.of_type("GPU")), max(plan.replicas)
    if plan.on == "gpu" and not gpus:
        raise SettingsError("on", "No GPU is in force.", todo="Choose the CPU, or see on Devices what TensorFlow sees.")
    kind, _ = devices_for(plan, inventory)
    if kind == "GPU" and most > gpus:
        raise SettingsError(
            "replicas", f"{most} replicas need as many GPUs, and {gpus} are in force.",
            todo="TensorFlow itself would not complain. Choose fewer, or train on logical CPU devices.",
        )  # fmt: skip
    if kind == "CPU" and most > MAX_CPU_DEVICES:
        raise SettingsError("replicas", f"{most} replicas are too many.", todo=f"Use up to {MAX_CPU_DEVICES}.")
    if plan.reduction == "nccl" and kind == "CPU":
        raise SettingsError(
            "reduction", "NCCL moves data between GPUs, and this trains on the CPU.", todo="Use another."
        )
