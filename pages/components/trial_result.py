"""What Try it found: a sentence, a card for each device, a chart, and where each operation ran."""

from __future__ import annotations

import streamlit as st

from pages.components import charts
from pages.components.in_force import settings_in_force
from pages.components.words import plain
from tfcore import article
from tfcore.article import DeviceRun, Trial
from tfcore.settings import Settings


def draw(trial: Trial, settings: Settings) -> None:
    """Draw the result; say so where the settings have changed since."""
    if trial.settings != settings:
        st.info("Measured with other settings than those in force now:", icon=":material/history:")
        settings_in_force(trial.settings, "try_it_settings")
    st.subheader(plain(article.speedup_sentence(trial.runs)))
    st.caption(f"{trial.size:,} rows and columns, 32-bit numbers, seed 0.")
    with st.grid(min_column_width=320, key="try_it_result"):
        for run in trial.runs:
            _card(run)
    measured = [run for run in trial.runs if not run.device.simulated]
    if measured:
        _chart(measured)
        st.caption(
            "The first call is timed as the article did it: once, with no warm-up and without waiting for the "
            "device. It includes starting libraries, and on a GPU it may end before the work has. The second "
            "time is the median of later passes, with the device synchronised before and after: trust that one."
        )
    _operations(trial)


def _card(run: DeviceRun) -> None:
    with st.container(border=True):
        st.markdown(f"**{run.device.short_name}**")
        if run.device.simulated:
            st.markdown("Simulated GPU: its kernels compute nothing, so no time is stated.")
            return
        with st.container(horizontal=True):
            st.metric("First call, as in the article", article.in_seconds(run.first_call_s))
            st.metric("After warm-up, synchronised", article.in_seconds(run.median_s))
        count = len(run.samples_s)
        fastest, slowest = min(run.samples_s), max(run.samples_s)
        spread = f", {article.in_seconds(fastest)} to {article.in_seconds(slowest)}" if count > 1 else ""
        st.caption(f"{'Median of ' + str(count) + ' passes' if count > 1 else 'One pass'}{spread}")


def _chart(runs: list[DeviceRun]) -> None:
    times = {
        "First call": [run.first_call_s for run in runs],
        "After warm-up": [run.median_s for run in runs],
    }
    told = [
        f"{run.device.short_name}: first call {article.in_seconds(run.first_call_s)}, "
        f"after warm-up {article.in_seconds(run.median_s)}"
        for run in runs
    ]
    names = [run.device.short_name for run in runs]
    charts.bars_of_seconds(names, times, key="try_it_chart", alt="Time on each device. " + ". ".join(told))


def _operations(trial: Trial) -> None:
    with st.expander("Where each operation ran", key="try_it_operations"):
        st.caption("From TensorFlow’s own placement log of the first call, in order.")
        rows = [
            {"Asked for": run.device.short_name, "Step": step, "Operation": record.op, "Ran on": record.device}
            for run in trial.runs
            for step, record in enumerate(run.operations, start=1)
        ]
        st.dataframe(rows, hide_index=True, key="try_it_placement", alt="Operations and the devices they ran on")
