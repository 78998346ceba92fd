"""What is drawn again by a timer, and what draws the whole page anew when something has ended.

Streamlit can lose the rest of a page when a timer of the run before strikes just as the page is finished
(see its issue 9921). So every run gives its timers names of their own: one that is out of date finds
nothing to call. And the watcher stands at the very end of the page, when there is no rest to lose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from tfcore.session import Session, SessionProgress

POLL_S = 0.4
SLOW_POLL_S = 1.5
_RUN = "page_run"


def begin_run() -> None:
    """Count the runs of this session's pages. To be called once, at the top."""
    st.session_state[_RUN] = st.session_state.get(_RUN, 0) + 1


def by_timer(name: str, draw: Callable[..., None], slow: bool) -> Callable[..., None]:
    """Give a function that draws at once, and again by a timer until the page's next run."""
    key = f"{name}_{st.session_state[_RUN]}"
    drawn: Any = st.fragment(draw, run_every=SLOW_POLL_S if slow else POLL_S, key=key)
    return drawn  # type: ignore[no-any-return]


def follow(session: Session, seen: SessionProgress) -> None:
    """Draw the whole page anew when all is no longer as `seen` at its start. To be called once, at its end."""
    now = session.progress()
    if not now.settled or now.key != seen.key:
        by_timer("follow", _redraw_if_changed, now.all_queued)(session, seen.key, [])


def _redraw_if_changed(session: Session, seen: object, called: list[bool]) -> None:
    """Rerun the app unless all is as it was; never in the middle of the whole page's own run."""
    whole_page, called[:] = not called, [True]
    if not whole_page and session.progress().key != seen:
        st.rerun()
