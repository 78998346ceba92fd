"""Benchmark: contenders against each other, measured so that the numbers can be trusted."""

from __future__ import annotations

import streamlit as st

from pages.components import benchmark_form, jobs, navigation, open_result
from tfcore.session import current

navigation.guard()
session = current()

st.title("Benchmark")
st.markdown(
    "Measures one computation on several contenders, in turns, until each median is known to 2 % or its time is "
    "used up. A contender is a device plus options. Every sample is kept."
)
inventory = session.runtime().result
measure, opened = st.tabs(["Measure", "Open a saved result"])
with measure:
    if inventory:
        benchmark_form.draw(session, inventory)
    else:
        st.markdown("TensorFlow has not answered yet. The sidebar says how far it is.")
    snapshot = jobs.panel(session, benchmark_form.JOB)
    result = snapshot and (snapshot.result or snapshot.partial)
    if snapshot and result:
        from pages.components import benchmark_result  # Plotly is slow to load

        if result.environment.settings != session.settings:
            st.info("Measured with other settings than those in force now.", icon=":material/history:")
        benchmark_result.draw(result, "measured", running=not snapshot.ended)
with opened:
    saved = open_result.upload("bench_open")
    if saved:
        from pages.components import benchmark_result  # Plotly is slow to load

        benchmark_result.draw(saved, "opened")
