"""What a benchmark will take: time and memory for each size, predicted from a probe of each contender.

The probe runs the smaller sizes once. Between two of them time grows by a fixed part and a part in
proportion to the work; beyond them it is expected to go on so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfcore import benchmark
from tfcore.benchmark import FEWEST_ROUNDS, MOST_ROUNDS, LeftOut, Placed, Plan, Round, RoundPlan
from tfcore.contenders import Contender
from tfcore.devices import Inventory
from tfcore.settings import Settings
from tfcore.workloads import WORKLOADS, Workload

PROBE_ENOUGH_S = 0.15
WORKER_S = 0.3
Probes = Mapping[Contender, Sequence[Round]]


@dataclass(frozen=True)
class SizeEstimate:
    """One contender at one size. `call_s` is one call, `first_call_s` the first of all; None: simulated."""

    contender: Contender
    size: int
    call_s: float | None
    first_call_s: float | None
    memory_bytes: int
    room_bytes: int
    too_large: str | None = None


@dataclass(frozen=True)
class Estimate:
    """What a plan will take under these settings, and where its operations ran in the probe."""

    settings: Settings
    plan: Plan
    sizes: tuple[SizeEstimate, ...]
    left_out: tuple[LeftOut, ...]
    placed: tuple[Placed, ...]

    @property
    def seconds(self) -> float:
        """The longest that the whole run should take."""
        return sum(point_s(each, self.plan.budget_s) for each in self.sizes if not each.too_large)


def probe_plan(plan: Plan, contender: Contender, inventory: Inventory) -> RoundPlan:
    """Plan the probe of a contender: the smaller sizes that fit, until a call takes long enough."""
    workload = WORKLOADS[plan.workload]
    known = {size for size in workload.sizes if size <= max(plan.sizes)} | {min(plan.sizes)}
    fitting = [size for size in sorted(known) if not benchmark.too_large(workload, contender, size, inventory)]
    return RoundPlan(
        plan.workload, tuple(fitting[:-1]) if len(fitting) > 2 else tuple(fitting), contender, budget_s=0.0, fewest=1,
        half_width=1.0, probe=True, enough_s=PROBE_ENOUGH_S,
    )  # fmt: skip


def estimate(settings: Settings, inventory: Inventory, plan: Plan, probes: Probes) -> Estimate:
    """Predict every size of a plan from the probes of its contenders."""
    workload = WORKLOADS[plan.workload]
    sizes = tuple(
        _size(workload, contender, size, probes.get(contender, ()), inventory)
        for contender in plan.contenders
        for size in plan.sizes
    )
    placed = tuple(Placed(c, rounds[-1].size, rounds[-1].operations) for c, rounds in probes.items() if rounds)
    return Estimate(settings, plan, sizes, benchmark.left_out(inventory, plan), placed)


def predict(workload: Workload, dtype: str, rounds: Sequence[Round], size: int) -> float:
    """Predict the seconds of one call from probed rounds of the same contender."""
    measured = {each.size: each.call_s for each in rounds}
    if size in measured:
        return measured[size]
    last = rounds[-1]
    work, last_work = workload.work(size, dtype), workload.work(last.size, dtype)
    per_work, fixed = last.call_s / last_work, 0.0
    if len(rounds) > 1:
        before = rounds[-2]
        slope = (last.call_s - before.call_s) / (last_work - workload.work(before.size, dtype))
        if slope > 0 and last.call_s - slope * last_work >= 0:
            per_work, fixed = slope, last.call_s - slope * last_work
    return fixed + per_work * work


def point_s(each: SizeEstimate, budget_s: float) -> float:
    """Give the longest that one contender at one size should take."""
    if each.call_s is None or each.first_call_s is None:
        return budget_s
    around = WORKER_S + each.first_call_s
    if each.call_s >= budget_s / FEWEST_ROUNDS:  # one sample a round, until the budget is used up
        rounds = min(MOST_ROUNDS, math.ceil(budget_s / each.call_s))
        return rounds * (around + each.call_s)
    return MOST_ROUNDS * around + budget_s


def _size(
    workload: Workload, contender: Contender, size: int, rounds: Sequence[Round], inventory: Inventory
) -> SizeEstimate:
    call_s = first_call_s = None
    simulated = any(d.simulated for d in inventory.logical if d.short_name == contender.device)
    if rounds and not simulated:
        call_s = predict(workload, contender.dtype, rounds, size)
        last = rounds[-1]
        first_call_s = call_s + max(0.0, last.first_call_s - last.call_s)
    return SizeEstimate(
        contender, size, call_s, first_call_s, workload.memory_bytes(size, contender.dtype),
        inventory.room_bytes(contender.device), benchmark.too_large(workload, contender, size, inventory),
    )  # fmt: skip
