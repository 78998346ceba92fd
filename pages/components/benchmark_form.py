"""What to measure: workload, sizes, contenders and budget; what it will take; and the button."""

from __future__ import annotations

import streamlit as st

from pages.components import estimates
from pages.components.jobs import show_error
from tfcore import benchmark
from tfcore.benchmark import DEFAULT_BUDGET_S, MOST_CONTENDERS, Plan
from tfcore.benchmarking import benchmarking, check
from tfcore.computer import refreshed
from tfcore.contenders import Contender, default_contenders, possible_contenders
from tfcore.devices import Inventory
from tfcore.errors import SettingsError
from tfcore.session import Session
from tfcore.workloads import WORKLOADS, Workload

JOB, ESTIMATE = "bench", "bench_estimate"
LIMIT_S = 4 * 3600.0
_ASKED = "bench_asked"
_FIRST_SIZES = 4
NO_PLAN = "The choice above cannot be measured."


def draw(session: Session, inventory: Inventory) -> None:
    """Draw the fields and the button; start the job once it was pressed."""
    name = st.selectbox(
        "Workload", list(WORKLOADS), index=1, key="bench_workload", format_func=lambda name: WORKLOADS[name].title
    )
    workload = WORKLOADS[name]
    st.caption(workload.sentence)
    sizes = st.multiselect(
        f"Sizes ({workload.size_means})", workload.sizes, default=workload.sizes[1 : 1 + _FIRST_SIZES],
        key=f"bench_sizes_{name}", format_func=lambda size: f"{size:,}",
    )  # fmt: skip
    contenders = _contenders(workload, inventory)
    budget_s = st.number_input(
        "Seconds for one contender at one size", value=DEFAULT_BUDGET_S, step=1.0, key="bench_budget",
        help="Steady work ends sooner. It is never exceeded by more than one sample.",
    )  # fmt: skip
    _start_or_offer(session, inventory, Plan(name, tuple(sorted(sizes)), contenders, budget_s))


def _contenders(workload: Workload, inventory: Inventory) -> tuple[Contender, ...]:
    """Let contenders be chosen; the baseline comes first."""
    cores = inventory.computer.logical_cores
    options = {each.name: each for each in possible_contenders(workload, inventory.logical, cores)}
    default = [each.name for each in default_contenders(inventory.logical, cores) if each.name in options]
    kind = "gpu" if inventory.of_type("GPU") else "cpu"
    chosen = st.multiselect(
        "Contenders", list(options), default=default, key=f"bench_contenders_{workload.name}_{kind}",
        max_selections=MOST_CONTENDERS,
        help="A contender is a device plus options. TF32 is a coarser kind of 32-bit arithmetic that newer GPUs "
        "use unless told not to. XLA compiles the whole computation at once.",
    )  # fmt: skip
    if kind == "cpu":
        st.caption("No GPU is in force, so one core of the CPU is set against all of them.")
    if len(chosen) > 1:
        baseline = st.selectbox("Baseline", chosen, key="bench_baseline", help="What the others are compared with.")
        chosen = [baseline, *(name for name in chosen if name != baseline)]
    return tuple(options[name] for name in chosen if name in options)


def _start_or_offer(session: Session, inventory: Inventory, plan: Plan) -> None:
    """Start the job if the button was pressed; else say what it will take, or why it cannot be pressed."""
    reason = _why_not(session, inventory, plan)
    if st.session_state.pop(_ASKED, False) and not reason:
        estimates.forget(session, ESTIMATE)
        session.start(JOB, benchmarking(session.settings, inventory, plan), limit_s=LIMIT_S)
        reason = "It is running."
    if not reason:
        estimates.draw(session, ESTIMATE, inventory, plan, expanded=session.job(JOB) is None)
    st.button(
        "Measure", key="bench_run", type="primary", icon=":material/play_arrow:", disabled=bool(reason), on_click=_ask,
        help=reason or None,
    )  # fmt: skip
    if reason and reason != NO_PLAN:
        st.caption(reason)


def _why_not(session: Session, inventory: Inventory, plan: Plan) -> str:
    if JOB in session.running():
        return "It is running."
    if not plan.sizes:
        return "Choose at least one size."
    if not plan.contenders:
        return "Choose at least one contender."
    try:
        check(inventory, plan)
    except SettingsError as error:
        show_error(error)
        return NO_PLAN
    left_out = benchmark.left_out(refreshed(inventory), plan)
    fits = len(left_out) < len(plan.sizes) * len(plan.contenders)
    return "" if fits else f"It does not fit: {left_out[0].reason}."


def _ask() -> None:
    st.session_state[_ASKED] = True
