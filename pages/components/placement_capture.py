"""Run a workload with placement logging on, once or twice side by side."""

from __future__ import annotations

import streamlit as st

from pages.components import jobs
from pages.components.words import plain
from tfcore.capture import WORKLOADS, CapturePlan, check
from tfcore.devices import Inventory
from tfcore.errors import SettingsError
from tfcore.placing import Versus, capturing
from tfcore.session import Session

JOB = "place"
_ASKED = "place_asked"
OTHER = "Another device"
CHOOSES = "TensorFlow chooses"
VERSUS: dict[Versus, str] = {
    "one": "One run",
    "soft-strict": "Soft against strict",
    "auto-explicit": "Automatic against explicit",
}


def draw(session: Session, inventory: Inventory | None) -> None:
    """Draw the fields, the button, and what was captured."""
    workload = st.selectbox("Workload", list(WORKLOADS), key="place_workload", format_func=WORKLOADS.__getitem__)
    device = _device(inventory)
    versus = st.segmented_control(
        "Compare", list(VERSUS), key="place_versus", format_func=VERSUS.__getitem__, default="one", required=True
    )
    function = st.toggle(
        "As one tf.function", key="place_function",
        help="TensorFlow then sees the whole computation as a graph before it runs; otherwise operation by operation.",
    )  # fmt: skip
    plan = CapturePlan(workload, device, function)
    reason = _why_not(session, inventory, plan)
    if st.session_state.pop(_ASKED, False) and inventory and not reason:
        session.start(JOB, capturing(session.settings, inventory, plan, versus))
        reason = "It is running."
    st.button(
        "Capture", key="place_run", type="primary", icon=":material/play_arrow:", disabled=bool(reason),
        help=reason or None, on_click=_ask,
    )  # fmt: skip
    if reason:
        st.caption(plain(reason))
    snapshot = jobs.panel(session, JOB)
    if snapshot and snapshot.result:
        from pages.components import placement_result  # Plotly is slow to load

        placement_result.draw_captures(snapshot.result)


def _device(inventory: Inventory | None) -> str:
    """Let a device be chosen, also one that does not exist; empty where TensorFlow is to choose."""
    there = [f"/{device.short_name}" for device in inventory.logical] if inventory else []
    options = [CHOOSES, *dict.fromkeys([*there, "/CPU:0", "/GPU:0"]), OTHER]
    chosen = st.selectbox("Device", options, key="place_device", help="Where the operations are asked to run.")
    if chosen == OTHER:
        typed: str = st.text_input("Name of the device", "/GPU:7", key="place_other", max_chars=60)
        return typed.strip()
    return "" if chosen == CHOOSES else str(chosen)


def _why_not(session: Session, inventory: Inventory | None, plan: CapturePlan) -> str:
    if inventory is None:
        return "TensorFlow has not answered yet."
    if JOB in session.running():
        return "It is running."
    try:
        check(plan)
    except SettingsError as error:
        return str(error)
    return ""


def _ask() -> None:
    st.session_state[_ASKED] = True
