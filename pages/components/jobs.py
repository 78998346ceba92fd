"""How a job is shown: waiting, running with Cancel, failed with its reason, or nothing once it is done."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.components.follow import by_timer
from pages.components.words import plain
from tfcore.errors import LabError
from tfcore.runtime.job import Job, Snapshot, State
from tfcore.runtime.queue import Lane
from tfcore.session import Session


def panel(session: Session, name: str) -> Snapshot[Any] | None:
    """Draw the session's job of this name. Give it as it is now; None if there has been none."""
    job = session.job(name)
    if job is None:
        return None
    snapshot = job.snapshot()
    if not snapshot.ended:
        queued = snapshot.state is State.QUEUED and snapshot.ahead > 0
        by_timer(f"{name}_panel", _progress, slow=queued)(session, name, job)
    elif snapshot.state is State.CANCELLED:
        st.info("Cancelled. Nothing is left running.", icon=":material/block:")
    elif snapshot.error:
        show_error(snapshot.error)
    return snapshot


def show_error(error: LabError) -> None:
    """Say what happened, why, and what to do; the log's last lines stand behind a click."""
    parts = [plain(part) for part in (error.cause, error.todo) if part]
    st.error("\n\n".join(parts) or " ", title=plain(error.what), icon=":material/error:")
    if error.log.strip():
        with st.expander("Last lines of the log"):
            st.code(error.log, language=None, wrap_lines=True)


def _progress(session: Session, name: str, job: Job[Any]) -> None:
    """Draw how far a job has come, and the button that ends it."""
    text, fraction = _in_words(job.snapshot(), job.lane)
    with st.container(key=f"{name}_progress"):
        st.progress(fraction, text=plain(text))
        st.button("Cancel", key=f"{name}_cancel", icon=":material/stop_circle:", on_click=session.cancel, args=(name,))


def _in_words(snapshot: Snapshot[Any], lane: Lane) -> tuple[str, float]:
    if snapshot.state is State.QUEUED and lane is Lane.READ:
        return ("Waiting: other logs are being read." if snapshot.ahead else "Starting", 0.0)
    if snapshot.state is State.QUEUED:
        others = "1 measurement is" if snapshot.ahead == 1 else f"{snapshot.ahead} measurements are"
        return (f"Waiting: {others} ahead of yours. One at a time keeps the numbers honest." if snapshot.ahead
                else "Starting", 0.0)  # fmt: skip
    progress = snapshot.progress
    return (progress.text, progress.fraction or 0.0) if progress else ("Starting", 0.0)
