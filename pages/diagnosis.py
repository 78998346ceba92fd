"""Diagnosis: why TensorFlow does not see a GPU, and how to mend it."""

from __future__ import annotations

import streamlit as st

from pages.components import diagnosis_log, diagnosis_result, log_field, navigation
from pages.components.jobs import show_error
from pages.components.words import plain
from tfcore.session import current

navigation.guard()
session = current()

st.title("Diagnosis")
st.markdown("Why TensorFlow does not see a GPU, and how to mend it: on this machine, or on another from its log.")
tabs = ["This machine", "A log from anywhere"]
here, elsewhere = st.tabs(tabs, default=tabs[log_field.is_given(diagnosis_log.PLACE)])
with here:
    snapshot = session.diagnosis()
    if snapshot.result:
        diagnosis_result.draw(snapshot.result, "here")
        st.button("Look again", key="diagnose_again", icon=":material/refresh:", on_click=session.backend.look_again,
                  help="Ask everything anew, for example after a driver was installed.")  # fmt: skip
    elif snapshot.error:
        show_error(snapshot.error)
    else:
        st.caption(plain(f"{snapshot.progress.text} …" if snapshot.progress else "Looking at this machine …"))
        st.skeleton(height=200)
with elsewhere:
    diagnosis_log.draw(session)
