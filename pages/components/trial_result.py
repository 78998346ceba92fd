"""What Try it found: a sentence, a card for each device, a chart, and where each operation ran."""

from __future__ import annotations

import streamlit as st

from pages.components import charts
from pages.components.in_force import settings_in_force
from pages.components.words import plain
from tfcore import trial
from tfcore.benchmark import Benchmark, Point
from tfcore.settings import Settings
from tfcore.words import in_seconds

PUBLISHED = "The article’s own figures, for 10,000 rows on its machine: GPU 0.9708 s, CPU 4.5181 s, 4.65 times."


def draw(result: Benchmark, settings: Settings) -> None:
    """Draw the result; say so where the settings have changed since."""
    ran_with = result.environment.settings
    if ran_with != settings:
        st.info("Measured with other settings than those in force now:", icon=":material/history:")
        settings_in_force(ran_with, "try_it_settings")
    st.subheader(plain(trial.sentence(result)))
    st.caption(f"{result.plan.sizes[0]:,} rows and columns, 32-bit numbers, seed 0.")
    with st.grid(min_column_width=320, key="try_it_result"):
        for point in result.points:
            _card(result, point)
    measured = [point for point in result.points if not result.is_simulated(point.contender)]
    if measured:
        _chart(measured)
        st.caption(
            "The first call is timed as the article did it: once, with no warm-up and without waiting for the "
            "device. It includes starting libraries, and on a GPU it may end before the work has. The second "
            "time is the median of later calls, with the device synchronised before and after: trust that one."
        )
    if trial.published(result):
        st.caption(PUBLISHED)
    _operations(result)


def _card(result: Benchmark, point: Point) -> None:
    with st.container(border=True):
        st.markdown(f"**{point.contender.device}**")
        if result.is_simulated(point.contender):
            st.markdown("Simulated GPU: its kernels compute nothing, so no time is stated.")
            return
        with st.container(horizontal=True):
            st.metric("First call, as in the article", in_seconds(point.rounds[0].dispatched_s))
            st.metric("After warm-up, synchronised", in_seconds(point.median_s))
        samples = [sample for part in point.samples_s for sample in part]
        spread = f", {in_seconds(min(samples))} to {in_seconds(max(samples))}" if len(samples) > 1 else ""
        st.caption(f"{f'Median of {len(samples)} samples' if len(samples) > 1 else 'One sample'}{spread}")
        for warning in point.warnings:
            st.caption(f":material/warning: {plain(warning)}")


def _chart(points: list[Point]) -> None:
    times = {
        "First call": [point.rounds[0].dispatched_s for point in points],
        "After warm-up": [point.median_s for point in points],
    }
    told = [
        f"{point.contender.device}: first call {in_seconds(point.rounds[0].dispatched_s)}, "
        f"after warm-up {in_seconds(point.median_s)}"
        for point in points
    ]
    names = [point.contender.device for point in points]
    charts.bars_of_seconds(names, times, key="try_it_chart", alt="Time on each device. " + ". ".join(told))


def _operations(result: Benchmark) -> None:
    with st.expander("Where each operation ran", key="try_it_operations"):
        sizes = ", ".join(sorted({f"{each.size:,}" for each in result.placed}))
        st.caption(f"From TensorFlow’s own placement log of one call with {sizes} rows, in order.")
        rows = [
            {"Asked for": each.contender.device, "Step": step, "Operation": record.op, "Ran on": record.device}
            for each in result.placed
            for step, record in enumerate(each.operations, start=1)
        ]
        st.dataframe(rows, hide_index=True, key="try_it_placement", alt="Operations and the devices they ran on")
