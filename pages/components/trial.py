"""Try it: the article's computation on every device in force."""

from __future__ import annotations

import streamlit as st

from pages.components import jobs
from tfcore import article
from tfcore.article import ARTICLE_SIZE, Estimate
from tfcore.devices import Inventory
from tfcore.runtime.job import Snapshot
from tfcore.session import Session
from tfcore.trial import estimating, trying

JOB, ESTIMATE = "try_it", "estimate"
_ASKED = "try_it_asked"
_ESTIMATED_FOR = "estimated_for"
LIMIT_S = 1800.0
SIZES = {"chosen": "A few seconds", "article": "The article’s 10,000 rows"}


def draw(session: Session, inventory: Inventory | None) -> None:
    """Draw the explanation, the choice of size, the button, and the job or its result."""
    st.header("Try it")
    st.markdown(
        "A large square table of random numbers is multiplied by itself turned on its side, and all numbers "
        "of the result are added up. Every device in force does the same work, one after the other."
    )
    size = st.segmented_control(
        "Size", list(SIZES), key="try_size", format_func=SIZES.__getitem__, required=True, default="chosen",
        disabled=inventory is None,
    )  # fmt: skip
    if size != "article":
        _forget_estimate(session)
    estimate = _estimate(session, inventory) if size == "article" else None
    _start_if_asked(session, inventory, ARTICLE_SIZE if size == "article" else None)
    reason = _why_not(session, inventory, size, estimate)
    st.button(
        "Try it", key="try_it", type="primary", icon=":material/play_arrow:", disabled=bool(reason), help=reason,
        on_click=_ask,
    )  # fmt: skip
    if reason:
        st.caption(reason)
    snapshot = jobs.panel(session, JOB)
    if snapshot and snapshot.result:
        from pages.components import trial_result  # Plotly is slow to load; the first page can do without

        trial_result.draw(snapshot.result, session.settings)


def _ask() -> None:
    """Note that the button was pressed; the settings of the same moment are read only after this."""
    st.session_state[_ASKED] = True


def _start_if_asked(session: Session, inventory: Inventory | None, size: int | None) -> None:
    """Start the job once there are devices for the settings in force."""
    if inventory and st.session_state.pop(_ASKED, False):
        session.start(JOB, trying(session.settings, inventory, size), limit_s=LIMIT_S)


def _why_not(session: Session, inventory: Inventory | None, size: str | None, estimate: Estimate | None) -> str | None:
    """Say why the button cannot work now, or None if it can."""
    if inventory is None:
        return "TensorFlow has not answered yet."
    if JOB in session.running():
        return "It is running."
    if size == "article" and estimate is None:
        return "The estimate has to come first."
    if estimate and estimate.too_large:
        return f"It does not fit: {next(iter(estimate.too_large.values()))}."
    return None


def _estimate(session: Session, inventory: Inventory | None) -> Estimate | None:
    """Draw the estimate for the settings in force, or its job while it is being made."""
    if inventory and st.session_state.get(_ESTIMATED_FOR) != session.settings:
        st.session_state[_ESTIMATED_FOR] = session.settings
        session.cancel(ESTIMATE)
        session.start(ESTIMATE, estimating(session.settings, inventory, ARTICLE_SIZE))
    snapshot: Snapshot[Estimate] | None = jobs.panel(session, ESTIMATE)
    if snapshot and snapshot.ended and snapshot.result is None:
        st.button("Estimate again", key="estimate_again", icon=":material/refresh:", on_click=_forget_estimate,
                  args=(session,))  # fmt: skip
    estimate = snapshot.result if snapshot else None
    if estimate is None or inventory is None or estimate.settings != session.settings:
        return None
    st.markdown(_in_words(estimate, inventory))
    return estimate


def _forget_estimate(session: Session) -> None:
    """End an estimate that nobody looks at any more; the next one is made anew."""
    session.cancel(ESTIMATE)
    st.session_state.pop(_ESTIMATED_FOR, None)


def _in_words(estimate: Estimate, inventory: Inventory) -> str:
    simulated = {device.short_name for device in inventory.logical if device.simulated}
    times = [
        f"{device}: {'simulated, no time is stated' if device in simulated else 'about ' + article.in_seconds(time)}"
        for device, time in estimate.seconds.items()
    ]
    return (
        f"Estimate for one pass at {estimate.size:,} rows — {'; '.join(times)}. "
        f"Each device needs {article.in_gb(estimate.memory_bytes)} of memory. Two passes or more are made."
    )
