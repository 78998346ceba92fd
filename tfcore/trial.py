"""The programs behind Try it: estimate what a size takes, and run it on every device in force."""

from __future__ import annotations

from tfcore import article
from tfcore.article import DeviceRun, Estimate, ProbePlan, Rate, RunPlan, Trial
from tfcore.computer import refreshed
from tfcore.devices import Inventory, LogicalDevice
from tfcore.errors import SettingsError
from tfcore.runtime.job import Program, Steps
from tfcore.settings import Settings


def estimating(settings: Settings, inventory: Inventory, size: int) -> Program[Estimate]:
    """Give a program that predicts time and memory for a size, from a probe of each device."""

    def program(steps: Steps) -> Estimate:
        rates = _probe(steps, settings, inventory)
        return article.estimate(settings, size, rates, refreshed(inventory))

    return program


def trying(settings: Settings, inventory: Inventory, size: int | None = None) -> Program[Trial]:
    """Give a program that runs the computation on every device; it chooses the size if there is none."""

    def program(steps: Steps) -> Trial:
        now = refreshed(inventory)
        chosen = size or article.fitting_size(_probe(steps, settings, inventory), now)
        _check_memory(chosen, now)
        runs = tuple(_run(steps, settings, device, chosen) for device in inventory.logical)
        return Trial(settings, chosen, runs)

    return program


def _probe(steps: Steps, settings: Settings, inventory: Inventory) -> list[Rate]:
    return [steps.run(article.PROBE, settings, ProbePlan(device.short_name)) for device in inventory.logical]


def _run(steps: Steps, settings: Settings, device: LogicalDevice, size: int) -> DeviceRun:
    found = steps.run(article.RUN, settings, RunPlan(device.short_name, size))
    return DeviceRun(device, size, found.first_call_s, found.samples_s, found.sum, found.operations)


def _check_memory(size: int, inventory: Inventory) -> None:
    reasons = article.too_large(size, inventory)
    if reasons:
        raise SettingsError(
            "size", f"A matrix of {size:,} rows does not fit: {next(iter(reasons.values()))}.",
            todo="Choose a smaller size or a higher memory limit.",
        )  # fmt: skip
