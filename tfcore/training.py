"""The program behind Strategy: the same training with each number of replicas, each in a fresh worker."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, replace

from tfcore.devices import Inventory
from tfcore.runtime.job import Program, Steps
from tfcore.settings import Settings
from tfcore.strategy import (
    MODELS,
    TRAIN,
    Losses,
    StrategyPlan,
    Trained,
    Training,
    TrainPlan,
    check,
    devices_for,
    settings_for,
)

QUIET_S = 60.0


@dataclass(frozen=True)
class Live:
    """A training as it goes: what has ended, and the losses so far of what has not."""

    ended: tuple[Trained, ...]
    replicas: int
    losses: tuple[float | None, ...]
    examples_per_s: float
    simulated: bool


def training(settings: Settings, inventory: Inventory, plan: StrategyPlan) -> Program[Training]:
    """Give a program that trains a plan. Raise SettingsError if it cannot be meant here."""
    check(plan, inventory)
    kind, _ = devices_for(plan, inventory)
    simulated = kind == "GPU" and any(device.simulated for device in inventory.of_type("GPU"))
    chosen = settings_for(plan, settings, inventory)

    if plan.workers > 1:
        return lambda steps: _over_processes(steps, chosen, plan)

    def program(steps: Steps) -> Training:
        ended: list[Trained] = []
        logs: list[str] = []
        for number, count in enumerate(plan.replicas):
            devices = tuple(f"{kind}:{index}" for index in range(count))
            wanted = TrainPlan(plan.model, devices, plan.total_batch(count), plan.epochs, plan.reduction, plan.loop)
            hear = _follow(steps, plan, ended, count, number, simulated)
            ended.append(steps.run(TRAIN, chosen, wanted, hear, quiet_s=QUIET_S))
            logs.append(steps.printed())
        return Training(plan, chosen, tuple(ended), simulated, kind == "CPU", tuple(logs))

    return program


def _over_processes(steps: Steps, settings: Settings, plan: StrategyPlan) -> Training:
    """Train on one worker, and then on several that find each other over this computer's loopback."""
    alone = TrainPlan(plan.model, ("CPU:0",), plan.total_batch(plan.workers), plan.epochs, "default", "custom")
    cpu = replace(settings, gpus="none", cpu_devices=1)
    first = steps.run(TRAIN, cpu, alone, _follow(steps, plan, [], 1, 0, False), quiet_s=QUIET_S)
    log = steps.printed()
    cluster = tuple(f"127.0.0.1:{port}" for port in free_ports(plan.workers))
    members = [replace(alone, cluster=cluster, index=index) for index in range(plan.workers)]
    hear = _follow(steps, plan, [first], plan.workers, 1, False)
    together = steps.run_together(TRAIN, cpu, members, hear, quiet_s=QUIET_S)
    return Training(
        replace(plan, replicas=(1, plan.workers)), cpu, (first, together[0]), False, True, (log, steps.printed())
    )


def free_ports(count: int) -> list[int]:
    """Find ports that nobody listens at now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _follow(
    steps: Steps, plan: StrategyPlan, ended: list[Trained], count: int, number: int, simulated: bool
) -> Callable[[Losses], None]:
    """Give a function that shows the losses of a run as they come."""
    losses: list[float | None] = []
    batch = plan.total_batch(plan.workers if plan.workers > 1 else count)
    total = plan.epochs * (MODELS[plan.model].examples // batch)
    label = "1 replica" if count == 1 else f"{count} replicas"
    steps.progress(f"{label}: starting", number / len(plan.replicas))

    def hear(part: Losses) -> None:
        losses.extend(part.losses)
        speed = "" if simulated else f", {part.examples_per_s:,.0f} examples per second"
        left = (total - len(losses)) * batch / part.examples_per_s if part.examples_per_s else 0.0
        waiting = "" if simulated else f", about {left:.0f} s left in this run"
        steps.progress(
            f"{label}: epoch {part.epoch + 1} of {plan.epochs}{speed}{waiting}",
            min(1.0, (number + len(losses) / max(total, 1)) / len(plan.replicas)),
        )
        steps.publish(Live(tuple(ended), count, tuple(losses), part.examples_per_s, simulated))

    return hear
