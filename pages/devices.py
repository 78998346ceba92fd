"""Devices: what TensorFlow sees on this machine, and what the settings make of it."""

from __future__ import annotations

import streamlit as st

from pages.components import live, navigation, reason, tables
from pages.components.words import plain
from tfcore.devices import in_one_sentence
from tfcore.session import current, sampler
from tfcore.settings_code import as_code

navigation.guard()
session = current()

st.title("Devices")
inventory = session.runtime().result
if inventory:
    if inventory.gpus:
        st.markdown(plain(in_one_sentence(inventory)))
    else:
        reason.mention(session)
    st.subheader("Physical devices")
    st.caption("What is in this machine, before any setting. TensorFlow numbers the devices of each type from 0.")
    tables.physical(inventory)
    st.subheader("Logical devices")
    st.caption("What your settings make of them. Operations are placed on these.")
    tables.logical(inventory)
    live.draw(sampler(), inventory)
elif session.runtime().error:
    st.markdown("TensorFlow cannot answer. The sidebar says why, and what to do.")
else:
    st.markdown("Asking TensorFlow what it sees …")
    st.skeleton(height=120)

st.subheader("Your settings as code")
st.caption("The same choice for your own script. It must stand before any operation: TensorFlow fixes it then.")
st.code(as_code(session.settings), language="python")
st.subheader("What differs from TensorFlow’s defaults")
tables.differences(session.settings)
if inventory:
    st.subheader("This machine")
    tables.machine(inventory)
    st.button("Look again", key="look_again", icon=":material/refresh:", on_click=session.backend.look_again,
              help="Ask TensorFlow anew, for example after a driver was installed.")  # fmt: skip
