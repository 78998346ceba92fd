"""Try it: the computation this project began with, on every device in force, by the benchmark's engine.

A random square matrix times its transpose, and the sum of it all: seed 0, uniform in 0..3, float32.
"""

from __future__ import annotations

from tfcore import benchmark
from tfcore.benchmark import MOST_CONTENDERS, Benchmark, Plan, Point
from tfcore.benchmarking import measure, probe
from tfcore.comparison import Speedup, compare
from tfcore.computer import refreshed
from tfcore.contenders import Contender
from tfcore.devices import Inventory
from tfcore.errors import SettingsError
from tfcore.estimate import Estimate
from tfcore.runtime.job import Program, Steps
from tfcore.settings import Settings
from tfcore.words import in_seconds, in_times

WORKLOAD = "article"
ARTICLE_SIZE = 10_000
SIZES = (250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_000, 8_000, ARTICLE_SIZE)
SLOWEST_CALL_S = 1.0
BUDGET_S = 3.0


def trial_plan(inventory: Inventory, sizes: tuple[int, ...]) -> Plan:
    """Plan the computation on every device in force."""
    devices = sorted(inventory.logical, key=lambda device: device.type)
    return Plan(WORKLOAD, sizes, tuple(Contender(device.short_name) for device in devices[:MOST_CONTENDERS]), BUDGET_S)


def trying(settings: Settings, inventory: Inventory, size: int | None = None) -> Program[Benchmark]:
    """Give a program that runs the computation on every device; it chooses the size if there is none."""

    def program(steps: Steps) -> Benchmark:
        now = refreshed(inventory)
        found = probe(steps, settings, now, trial_plan(inventory, (size,) if size else SIZES))
        plan = trial_plan(inventory, (size or fitting_size(found),))
        for each in benchmark.left_out(now, plan):
            raise SettingsError(
                "size", f"A matrix of {each.size:,} rows does not fit: {each.reason}.",
                todo="Choose a smaller size or a higher memory limit.",
            )  # fmt: skip
        return measure(steps, settings, now, plan)

    return program


def fitting_size(estimate: Estimate) -> int:
    """Choose the largest size that fits everywhere and takes the slowest device not too long."""
    fits = [
        size
        for size in SIZES
        if all(not e.too_large and (e.call_s or 0.0) <= SLOWEST_CALL_S for e in estimate.sizes if e.size == size)
    ]
    return fits[-1] if fits else SIZES[0]


def sentence(result: Benchmark) -> str:
    """Say in words how the devices compare, or why nothing can be said."""
    first, *others = result.points
    if not others:
        return f"{first.contender.name} took {in_seconds(first.median_s)}. There is nothing to compare it with."
    if any(result.is_simulated(point.contender) for point in result.points):
        return "A simulated GPU computes nothing, so no time of it and no speedup is stated."
    gpus = [point for point in others if point.contender.device.startswith("GPU")]
    if not gpus:
        return "Logical CPU devices share the same processor, so none of them is expected to be faster."
    return _compared(result, min(gpus, key=lambda point: point.median_s), first)


def published(result: Benchmark) -> bool:
    """Whether the article's own figures belong beside a result."""
    return result.plan.workload == WORKLOAD and ARTICLE_SIZE in result.plan.sizes


def _compared(result: Benchmark, gpu: Point, cpu: Point) -> str:
    found = compare(result, gpu.contender, gpu.size)
    if not isinstance(found, Speedup):
        return f"No speedup is stated. {found.reason}"
    times = (
        f"{gpu.contender.device} took {in_seconds(gpu.median_s)} where "
        f"{cpu.contender.device} took {in_seconds(cpu.median_s)}"
    )
    if not found.is_sure:
        return f"{times}: no sure difference."
    if found.ratio >= 1:
        return f"{times}: {in_times(found.ratio)} as fast."
    return f"{times}: the CPU was {in_times(1 / found.ratio)} as fast. Small work often suits a CPU better."
