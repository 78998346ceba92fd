"""The programs behind Benchmark: a probe, and contenders that take turns in rounds, each in a fresh worker."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime

from tfcore import benchmark, comparison
from tfcore.benchmark import (
    FEWEST_ROUNDS,
    FEWEST_SAMPLES,
    MOST_ROUNDS,
    ROUND,
    Benchmark,
    Environment,
    Plan,
    Point,
    Round,
    RoundPlan,
)
from tfcore.computer import refreshed
from tfcore.contenders import Contender
from tfcore.devices import Inventory
from tfcore.errors import SettingsError
from tfcore.estimate import Estimate, estimate, point_s, probe_plan
from tfcore.runtime.job import Program, Steps
from tfcore.settings import Settings
from tfcore.words import in_seconds


def estimating(settings: Settings, inventory: Inventory, plan: Plan) -> Program[Estimate]:
    """Give a program that predicts what a plan will take. Raise SettingsError if it cannot be meant here."""
    check(inventory, plan)
    return lambda steps: probe(steps, settings, refreshed(inventory), plan)


def benchmarking(settings: Settings, inventory: Inventory, plan: Plan) -> Program[Benchmark]:
    """Give a program that measures a plan. Raise SettingsError if the plan cannot be meant here."""
    check(inventory, plan)
    return lambda steps: measure(steps, settings, refreshed(inventory), plan)


def measure(steps: Steps, settings: Settings, inventory: Inventory, plan: Plan) -> Benchmark:
    """Measure a plan round by round."""
    return _Run(steps, settings, inventory, plan).go()


def check(inventory: Inventory, plan: Plan) -> None:
    """Raise SettingsError if a plan cannot be meant, or not with the devices in force."""
    benchmark.check(plan)
    there = [device.short_name for device in inventory.logical]
    for contender in plan.contenders:
        if contender.device not in there:
            raise SettingsError(
                "contenders", f"{contender.device} is not there.", todo=f"In force: {', '.join(there)}."
            )


def probe(steps: Steps, settings: Settings, inventory: Inventory, plan: Plan) -> Estimate:
    """Run the smaller sizes once on each contender, and predict the plan's from them."""
    probes = {}
    for number, contender in enumerate(plan.contenders):
        steps.progress(f"Estimating: {contender.name}", number / len(plan.contenders))
        first = probe_plan(plan, contender, inventory)
        if first.sizes:
            probes[contender] = steps.run(ROUND, settings, first, _ignore).rounds
    return estimate(settings, inventory, plan, probes)


def _ignore(_part: Round) -> None:
    """A probe's parts are not shown."""


class _Run:
    """One run of a plan, and what it has measured so far."""

    def __init__(self, steps: Steps, settings: Settings, inventory: Inventory, plan: Plan) -> None:
        self._steps = steps
        self._settings = settings
        self._inventory = inventory
        self._plan = plan
        self._rounds: dict[tuple[Contender, int], list[Round]] = {}
        self._left_out = benchmark.left_out(inventory, plan)
        self._environment = _environment(settings, inventory)
        self._predicted: dict[tuple[Contender, int], float] = {}

    def go(self) -> Benchmark:
        """Measure round by round until every point is known well enough, or its budget is used up."""
        found = probe(self._steps, self._settings, self._inventory, self._plan)
        self._placed = found.placed
        self._predicted = {
            (each.contender, each.size): point_s(each, self._plan.budget_s)
            for each in found.sizes
            if not each.too_large
        }
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
        if sum(each.measured_s for each in rounds) >= self._plan.budget_s:
            return True
        enough = sum(len(each.samples_s) for each in rounds) >= FEWEST_SAMPLES and len(rounds) >= FEWEST_ROUNDS
        return enough and Point(contender, size, tuple(rounds)).interval_s.half_width <= self._plan.half_width

    def _measure(self, contender: Contender, sizes: tuple[int, ...], number: int) -> None:
        """Run one worker, and show each size as soon as it is measured."""

        def hear(measured: Round) -> None:
            self._rounds.setdefault((contender, measured.size), []).append(measured)
            self._steps.publish(self._result(partial=True))
            self._tell(contender, next((size for size in sizes if size > measured.size), None), number)

        self._tell(contender, sizes[0], number)
        plan = self._plan
        share = RoundPlan(
            plan.workload, sizes, contender, plan.budget_s / FEWEST_ROUNDS,
            math.ceil(FEWEST_SAMPLES / FEWEST_ROUNDS), plan.half_width,
            pci_bus_id=self._inventory.pci_bus_id(contender.device),
        )  # fmt: skip
        self._steps.run(ROUND, self._settings, share, hear)

    def _tell(self, contender: Contender, size: int | None, number: int) -> None:
        """Say what is being measured, and about how long the rest will take."""
        total = sum(self._predicted.values()) or 1.0
        left = sum(self._left_s(*key) for key in self._predicted)
        at = f" at {size:,}" if size else ""
        self._steps.progress(
            f"Round {number + 1}: {contender.name}{at}. At most about {in_seconds(left)} left.",
            min(1.0, max(0.0, 1 - left / total)),
        )

    def _left_s(self, contender: Contender, size: int) -> float:
        rounds = len(self._rounds.get((contender, size), ()))
        if self._is_done(contender, size):
            return 0.0
        return self._predicted[contender, size] * max(1, FEWEST_ROUNDS - rounds) / FEWEST_ROUNDS

    def _result(self, partial: bool) -> Benchmark:
        points = tuple(
            Point(contender, size, tuple(self._rounds[contender, size]))
            for contender in self._plan.contenders
            for size in self._plan.sizes
            if (contender, size) in self._rounds
        )
        found = Benchmark(self._plan, self._environment, points, self._left_out, self._placed, partial)
        return replace(found, points=tuple(self._warned(found, point) for point in points))

    def _warned(self, result: Benchmark, point: Point) -> Point:
        first = self._plan.contenders[0]
        baseline = None if result.is_simulated(first) else result.point(first, point.size)
        told = comparison.warnings(point, self._plan.half_width, result.is_simulated(point.contender), baseline)
        return replace(point, warnings=told)


def _rotated(contenders: tuple[Contender, ...], number: int) -> tuple[Contender, ...]:
    """Let another contender begin each round, so that nobody always runs on the warmest machine."""
    first = number % len(contenders)
    return contenders[first:] + contenders[:first]


def _environment(settings: Settings, inventory: Inventory) -> Environment:
    models = {gpu.name: str(gpu.model) for gpu in inventory.gpus}
    return Environment(
        settings,
        inventory.software,
        inventory.computer,
        inventory.logical,
        tuple(models.get(str(device.physical), "CPU") for device in inventory.logical),
        datetime.now(UTC).isoformat(timespec="seconds"),
    )
