"""The sidebar: the state of the visitor's TensorFlow, and the settings, which apply at once."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from pages.components import fields
from pages.components.jobs import show_error
from pages.components.words import plain
from tfcore.errors import LabError
from tfcore.session import Session, SessionProgress

Color = Literal["red", "orange", "blue", "green"]

SETTLE_S = 0.25


def draw(session: Session) -> SessionProgress:
    """Draw the sidebar, and put the settings in force into the session and the address.

    Give how far everything was before anything was drawn.
    """
    with st.sidebar:
        refused = fields.take_settings(session)
        session.settle(SETTLE_S)
        seen = session.progress()
        _state(session)
        _address_problems()
        fields.draw(session, refused)
    return seen


def _state(session: Session) -> None:
    """Draw one word for the state of the runtime; if it failed, why, and a way to try again."""
    error = session.runtime().error or session.machine().error
    label, color, icon = _word(session, error)
    with st.container(key="runtime_state"):
        st.badge(label, color=color, icon=icon)
    if error:
        show_error(error)
        st.button("Try again", key="try_again", icon=":material/refresh:", on_click=session.backend.look_again)


def _word(session: Session, error: LabError | None) -> tuple[str, Color, str]:
    if error:
        return "Failed", "red", ":material/error:"
    if not (session.runtime().ended and session.machine().ended):
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
