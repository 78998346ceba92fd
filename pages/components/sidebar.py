"""The sidebar: the state of the visitor's TensorFlow, and the settings, which apply at once."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from pages.components import fields
from pages.components.jobs import show_error
from pages.components.words import plain
from tfcore.devices import Inventory
from tfcore.runtime.job import Snapshot
from tfcore.session import Session

Color = Literal["red", "orange", "blue", "green"]

SETTLE_S = 0.25


def draw(session: Session) -> None:
    """Draw the sidebar, and put the settings in force into the session and into the address."""
    with st.sidebar:
        refused = fields.take_settings(session)
        session.settle(SETTLE_S)
        _state(session)
        fields.draw(session, refused)
        _address_problems()


def _state(session: Session) -> None:
    """Draw one word for the state of the runtime; if it failed, why, and a way to try again."""
    snapshot = session.runtime()
    label, color, icon = _word(session, snapshot)
    with st.container(key="runtime_state"):
        st.badge(label, color=color, icon=icon)
    if snapshot.error:
        show_error(snapshot.error)
        st.button("Try again", key="try_again", icon=":material/refresh:", on_click=session.backend.look_again)


def _word(session: Session, snapshot: Snapshot[Inventory]) -> tuple[str, Color, str]:
    if snapshot.error:
        return "Failed", "red", ":material/error:"
    if not snapshot.ended:
        doing = "Starting TensorFlow" if session.host_starts else "Applying settings"
        return doing, "orange", ":material/hourglass_top:"
    if session.running():
        return "Running", "blue", ":material/play_circle:"
    return "Ready", "green", ":material/check_circle:"


def _address_problems() -> None:
    """Name what the address asked for in vain, until a setting is changed."""
    problems = st.session_state.get(fields.PROBLEMS, ())
    if problems:
        rows = [f"- {plain(str(problem))}" for problem in problems]
        st.warning("The default is used instead.\n" + "\n".join(rows), title="The address asks for what cannot be")
