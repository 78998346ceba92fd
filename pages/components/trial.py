"""Try it: the article's computation on every device in force."""

from __future__ import annotations

import streamlit as st

from pages.components import estimates, jobs
from tfcore.devices import Inventory
from tfcore.session import Session
from tfcore.trial import ARTICLE_SIZE, trial_plan, trying

JOB, ESTIMATE = "try_it", "estimate"
_ASKED = "try_it_asked"
LIMIT_S = 3600.0
SIZES = {"chosen": "A few seconds", "article": "The article’s 10,000 rows"}


def draw(session: Session, inventory: Inventory | None) -> None:
    """Draw the explanation, the choice of size, the button, and the job or its result."""
    st.header("Try it")
    st.markdown(
        "A large square table of random numbers is multiplied by itself turned on its side, and all numbers "
        "of the result are added up. Every device in force does the same work, in turns."
    )
    size = st.segmented_control(
        "Size", list(SIZES), key="try_size", format_func=SIZES.__getitem__, required=True, default="chosen",
        disabled=inventory is None,
    )  # fmt: skip
    large = size == "article"
    _start_if_asked(session, inventory, ARTICLE_SIZE if large else None)
    reason = _why_not_at_once(session, inventory)
    if large and inventory:
        estimate = estimates.draw(session, ESTIMATE, inventory, trial_plan(inventory, (ARTICLE_SIZE,)))
        reason = reason or estimates.why_not(estimate)
    else:
        estimates.forget(session, ESTIMATE)
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


def _why_not_at_once(session: Session, inventory: Inventory | None) -> str | None:
    """Say why the button cannot work now, or None if it can."""
    if inventory is None:
        return "TensorFlow has not answered yet."
    return "It is running." if JOB in session.running() else None
