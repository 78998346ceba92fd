"""What a plan will take, shown before it is run: made in the background as soon as the plan is chosen."""

from __future__ import annotations

import streamlit as st

from pages.components import jobs
from tfcore.benchmark import Plan
from tfcore.benchmarking import estimating
from tfcore.devices import Inventory
from tfcore.estimate import Estimate, SizeEstimate
from tfcore.runtime.job import Snapshot
from tfcore.session import Session
from tfcore.words import in_gb, in_seconds

_FOR = "estimated_for"


def draw(session: Session, name: str, inventory: Inventory, plan: Plan, expanded: bool = True) -> Estimate | None:
    """Draw the estimate of a plan for the settings in force, or its job while it is being made."""
    wanted, made_for = (session.settings, plan), f"{name}_{_FOR}"
    if st.session_state.get(made_for) != wanted:
        st.session_state[made_for] = wanted
        session.cancel(name)
        session.start(name, estimating(session.settings, inventory, plan))
    snapshot: Snapshot[Estimate] | None = jobs.panel(session, name)
    if snapshot and snapshot.ended and snapshot.result is None:
        st.button("Estimate again", key=f"{name}_again", icon=":material/refresh:", on_click=forget,
                  args=(session, name))  # fmt: skip
    estimate = snapshot.result if snapshot else None
    if estimate is None or (estimate.settings, estimate.plan) != wanted:
        return None
    _table(estimate, name, expanded)
    return estimate


def forget(session: Session, name: str) -> None:
    """End an estimate that nobody looks at any more; the next one is made anew."""
    session.cancel(name)
    st.session_state.pop(f"{name}_{_FOR}", None)


def why_not(estimate: Estimate | None) -> str | None:
    """Say why a plan that has to fit everywhere cannot be run after its estimate, or None if it can."""
    if estimate is None:
        return "The estimate has to come first."
    return f"It does not fit: {estimate.left_out[0].reason}." if estimate.left_out else None


def _table(estimate: Estimate, name: str, expanded: bool) -> None:
    rows = [
        {
            "Contender": each.contender.name,
            "Size": f"{each.size:,}",
            "One call, about": _time(each),
            "Memory it needs": in_gb(each.memory_bytes),
            "Memory there is": in_gb(each.room_bytes),
            "Will be measured": "yes" if not each.too_large else f"no: {each.too_large}",
        }
        for each in estimate.sizes
    ]
    total = f"Estimate: at most about {in_seconds(estimate.seconds)} for the whole run, and less where work is steady"
    with st.expander(total, expanded=expanded, key=f"{name}_details"):
        st.dataframe(rows, hide_index=True, key=f"{name}_table", alt="Estimate")
        count = len(estimate.plan.contenders)
        st.caption(f"From a short probe of {count} contender{'s' if count != 1 else ''}.")


def _time(each: SizeEstimate) -> str:
    if each.too_large:
        return ""
    return in_seconds(each.call_s) if each.call_s is not None else "simulated: not stated"
