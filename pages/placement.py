"""Placement: where every operation runs, and why it is not on the GPU."""

from __future__ import annotations

import streamlit as st

from pages.components import log_field, navigation, placement_capture, placement_upload
from tfcore.session import current

navigation.guard()
session = current()

st.title("Placement")
st.markdown(
    "TensorFlow decides for every operation which device it runs on, and can log what it decided. "
    "Run something and see, or open a log of any TensorFlow since 2015."
)
given = log_field.is_given(placement_upload.PLACE)
capture, log = st.tabs(["Capture a run", "Open a log"], default="Open a log" if given else None)
with capture:
    placement_capture.draw(session, session.runtime().result)
with log:
    placement_upload.draw(session)
