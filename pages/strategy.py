"""Strategy: one model on several replicas, shown, measured and proven."""

from __future__ import annotations

import streamlit as st

from pages.components import jobs, navigation, strategy_form
from tfcore.session import current
from tfcore.training import Live

navigation.guard()
session = current()

st.title("Strategy")
st.markdown(
    "Trains the same model on 1, 2 or more replicas. A replica is a copy of the model on a device of its own; each "
    "gets its share of every batch, and all copies are updated alike. TensorFlow calls this MirroredStrategy."
)
inventory = session.runtime().result
if inventory:
    strategy_form.draw(session, inventory)
else:
    st.markdown("TensorFlow has not answered yet. The sidebar says how far it is.")
snapshot = jobs.panel(session, strategy_form.JOB)
if snapshot and (snapshot.result or snapshot.partial):
    from pages.components import strategy_result  # Plotly is slow to load

    if snapshot.result:
        strategy_result.draw(snapshot.result)
    elif isinstance(snapshot.partial, Live):
        strategy_result.draw_live(snapshot.partial)
