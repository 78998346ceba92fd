"""Read a log, and compare it with a second one."""

from __future__ import annotations

import streamlit as st

from pages.components import log_field, raw_log
from pages.components.words import plain
from tfcore.placing import explaining
from tfcore.session import Session

PLACE = "place"
HELP = (
    "The output of a program in which tf.debugging.set_log_device_placement(True) stood before the first operation, "
    "or log_device_placement=True in TensorFlow 1."
)


def draw(session: Session) -> None:
    """Draw the fields, what the log tells, and what moved where there is a second one."""
    source = log_field.choose(PLACE, "A log, plain or gzip", "Or paste it", HELP)
    found = log_field.read(session, "read_log", source, lambda log: explaining(log.pieces, log.size))
    if source is None:
        st.caption(log_field.PRIVATE)
        return
    if found is None:
        return
    with st.expander("Compare with another log"):
        second = log_field.choose(f"{PLACE}_other_log", "The other log, plain or gzip", "Or paste the other one", HELP)
        other = log_field.read(session, "read_other_log", second, lambda log: explaining(log.pieces, log.size))
    from pages.components import placement_result  # Plotly is slow to load

    logs = [("place_log", source, found)]
    if second and other:
        placement_result.draw_moved(source.name, found.placement, second.name, other.placement)
        logs.append(("place_log_1", second, other))
    for place, each, explained in logs:
        if len(logs) > 1:
            st.header(plain(each.name))
        placement_result.draw(explained, place)
        raw_log.draw(each.pieces, each.identity, place)
