"""The program behind Benchmark: contenders take turns in rounds, each round in a fresh worker."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from tfcore import benchmark
from tfcore.benchmark import (
    FEWEST_ROUNDS,
    FEWEST_SAMPLES,
    MOST_ROUNDS,
    ROUND,
    Benchmark,
    Contender,
    Environment,
    LeftOut,
    Plan,
    Point,
    Round,
    RoundPlan,
)
from tfcore.computer import refreshed
from tfcore.devices import Inventory
from tfcore.errors import SettingsError
from tfcore.runtime.job import Program, Steps
from tfcore.settings import Settings
from tfcore.workloads import WORKLOADS

Now = Callable[[], datetime]


def benchmarking(settings: Settings, inventory: Inventory, plan: Plan) -> Program[Benchmark]:
    """Give a program that measures a plan. Raise SettingsError if the plan cannot be meant here."""
    benchmark.check(plan)
    _check_devices(inventory, plan)
    return lambda steps: _Run(steps, settings, inventory, plan).go()


def _check_devices(inventory: Inventory, plan: Plan) -> None:
    there = [device.short_name for device in inventory.logical]
    for contender in plan.contenders:
        if contender.device not in there:
            raise SettingsError(
                "contenders", f"{contender.device} is not there.", todo=f"In force: {', '.join(there)}."
            )


class _Run:
    """One run of a plan, and what it has measured so far."""

    def __init__(self, steps: Steps, settings: Settings, inventory: Inventory, plan: Plan) -> None:
        self._steps = steps
        self._settings = settings
        self._plan = plan
        self._rounds: dict[tuple[Contender, int], list[Round]] = {}
        self._left_out = tuple(_left_out(refreshed(inventory), plan))
        self._environment = _environment(settings, inventory)
        self._done = 0

    def go(self) -> Benchmark:
        """Measure round by round until every point is known well enough, or its budget is used up."""
        for number in range(MOST_ROUNDS):
            todo = {contender: self._unfinished(contender) for contender in self._plan.contenders}
            for contender in _rotated(self._plan.contenders, number):
                if todo[contender]:
                    self._measure(contender, todo[contender], number)
            if not any(todo.values()):
                break
        return self._result(partial=False)

    def _unfinished(self, contender: Contender) -> tuple[int, ...]:
        left_out = {found.size for found in self._left_out if found.contender == contender}
        return tuple(size for size in self._plan.sizes if size not in left_out and not self._is_done(contender, size))

    def _is_done(self, contender: Contender, size: int) -> bool:
        rounds = self._rounds.get((contender, size), [])
        if self._spent_s(rounds) >= self._plan.budget_s:
            return True
        enough = sum(len(each.samples_s) for each in rounds) >= FEWEST_SAMPLES and len(rounds) >= FEWEST_ROUNDS
        return enough and Point(contender, size, tuple(rounds)).interval_s.half_width <= self._plan.half_width

    def _spent_s(self, rounds: list[Round]) -> float:
        return sum(sum(each.warm_up_s) + sum(each.samples_s) * each.batch for each in rounds)

    def _measure(self, contender: Contender, sizes: tuple[int, ...], number: int) -> None:
        plan = self._plan
        self._steps.progress(f"Round {number + 1}, {contender.name}", min(1.0, number / FEWEST_ROUNDS))
        share = RoundPlan(
            plan.workload, sizes, contender, plan.budget_s / FEWEST_ROUNDS,
            math.ceil(FEWEST_SAMPLES / FEWEST_ROUNDS), plan.half_width,
        )  # fmt: skip
        for measured in self._steps.run(ROUND, self._settings, share).rounds:
            self._rounds.setdefault((contender, measured.size), []).append(measured)
        self._steps.publish(self._result(partial=True))

    def _result(self, partial: bool) -> Benchmark:
        simulated = {device.short_name for device in self._environment.devices if device.simulated}
        points = []
        for contender in self._plan.contenders:
            for size in self._plan.sizes:
                if rounds := self._rounds.get((contender, size)):
                    point = Point(contender, size, tuple(rounds))
                    told = benchmark.warnings(point, self._plan.half_width, contender.device in simulated)
                    points.append(replace(point, warnings=told))
        return Benchmark(self._plan, self._environment, tuple(points), self._left_out, partial)


def _rotated(contenders: tuple[Contender, ...], number: int) -> tuple[Contender, ...]:
    """Let another contender begin each round, so that nobody always runs on the warmest machine."""
    first = number % len(contenders)
    return contenders[first:] + contenders[:first]


def _left_out(inventory: Inventory, plan: Plan) -> list[LeftOut]:
    workload = WORKLOADS[plan.workload]
    found = []
    for contender in plan.contenders:
        for size in plan.sizes:
            reason = benchmark.too_large(workload, contender, size, inventory.room_bytes(contender.device))
            if reason:
                found.append(LeftOut(contender, size, reason))
    return found


def _environment(settings: Settings, inventory: Inventory) -> Environment:
    models = {f"/physical_device:{gpu.type}:{gpu.index}": str(gpu.model) for gpu in inventory.physical}
    return Environment(
        settings,
        inventory.software,
        inventory.computer,
        inventory.logical,
        tuple(models.get(str(device.physical), str(device.physical)) for device in inventory.logical),
        datetime.now(UTC).isoformat(timespec="seconds"),
    )
