"""Overview: does TensorFlow see a GPU, what still works if not, and a first computation to try."""

from __future__ import annotations

import streamlit as st

from pages.components import navigation, reason, trial
from pages.components.in_force import settings_in_force
from pages.components.words import plain
from tfcore.devices import in_one_sentence
from tfcore.session import current

navigation.guard()
session = current()

st.title("TensorFlow GPU Lab")
inventory = session.runtime().result
if inventory:
    if inventory.gpus:
        st.header(plain(in_one_sentence(inventory)))
    else:
        reason.draw(session)
        st.markdown(
            "Everything here still works on the CPU. Logical CPU devices, in the sidebar, let you practise "
            "with several devices."
        )
elif session.runtime().error:
    st.header("TensorFlow cannot answer.")
    st.markdown("The sidebar says why, and what to do.")
else:
    st.header("Asking TensorFlow what it sees …")
    st.markdown("The first answer takes some seconds, because TensorFlow has to be loaded. Later ones are instant.")
settings_in_force(session.settings)
trial.draw(session, inventory)
