"""Diagnose from a log that was uploaded or pasted."""

from __future__ import annotations

import streamlit as st

from pages.components import diagnosis_result, log_field
from tfcore.diagnosing import from_log
from tfcore.session import Session

PLACE = "diagnose"
HELP = "What TensorFlow printed from its start on, of any version since 2015; pip’s own output too."


def draw(session: Session) -> None:
    """Draw the fields, and what the log tells."""
    source = log_field.choose(PLACE, "A log, plain or gzip", "Or paste it", HELP)
    found = log_field.read(session, "diagnose_log", source, lambda log: from_log(log.pieces, log.size))
    if source is None:
        st.caption(log_field.PRIVATE)
    elif found:
        diagnosis_result.draw(found, "log")
