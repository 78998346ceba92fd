"""The charts of a benchmark's result. Each has a text alternative; the numbers stand in the page's table."""

from __future__ import annotations

import streamlit as st

from pages.components import charts
from pages.components.charts import Series
from pages.components.trial_result import PUBLISHED
from pages.components.words import plain
from tfcore import benchmark, comparison
from tfcore.benchmark import Benchmark, Point
from tfcore.contenders import Contender
from tfcore.trial import WORKLOAD as ARTICLE
from tfcore.words import in_seconds
from tfcore.workloads import WORKLOADS

NARROWEST = 400


def draw(result: Benchmark, points: list[Point], place: str) -> None:
    """Draw all charts of the points that mean something, two in a row where there is room."""
    with st.grid(min_column_width=NARROWEST, key=f"{place}_charts"):
        with st.container():
            times(result, points, place)
        with st.container():
            _speedups(result, place)
        with st.container():
            _throughput(result, points, place)
        with st.container():
            _where_time_goes(points, place)
    with st.expander("All samples of one size"):
        _samples(points, place)
    if result.plan.workload == ARTICLE:
        st.caption(PUBLISHED)


def times(result: Benchmark, points: list[Point], place: str) -> None:
    """Draw time against size."""
    lines = []
    for contender in result.plan.contenders:
        own = [point for point in points if point.contender == contender]
        low, high = [p.interval_s.low for p in own], [p.interval_s.high for p in own]
        lines.append(Series(contender.name, [p.size for p in own], [p.median_s for p in own], low, high))
    told = "; ".join(f"{p.contender.name} at {p.size:,}: {in_seconds(p.median_s)}" for p in points)
    st.subheader("Time for one call")
    charts.over_sizes(
        lines, x=WORKLOADS[result.plan.workload].size_means, y="seconds", key=f"{place}_times",
        alt=f"Median time with 95 % intervals. {told}",
    )  # fmt: skip


def _speedups(result: Benchmark, place: str) -> None:
    lines, marks = [], {}
    for contender in result.plan.contenders[1:]:
        found = comparison.speedups(result, contender)
        low, high = [each.interval.low for each in found], [each.interval.high for each in found]
        lines.append(Series(contender.name, [each.size for each in found], [each.ratio for each in found], low, high))
        if crossover := comparison.crossover(result, contender):
            marks[f"{contender.name} wins"] = crossover
    if not any(line.sizes for line in lines):
        return
    told = "; ".join(
        f"{line.name} at {size:,}: {value:.3g}"
        for line in lines
        for size, value in zip(line.sizes, line.values, strict=True)
    )
    st.subheader(plain(f"Times as fast as {result.plan.contenders[0].name}"))
    charts.over_sizes(
        lines, x=WORKLOADS[result.plan.workload].size_means, y="times as fast", key=f"{place}_speedup",
        reference=1.0, marks=marks, alt=f"Speedup with 95 % intervals. {told}",
    )  # fmt: skip


def _throughput(result: Benchmark, points: list[Point], place: str) -> None:
    workload = WORKLOADS[result.plan.workload]
    lines = [_rates(result, contender, points) for contender in result.plan.contenders]
    told = "; ".join(
        f"{line.name} at {size:,}: {value:.3g}"
        for line in lines
        for size, value in zip(line.sizes, line.values, strict=True)
    )
    st.subheader(f"Throughput in {workload.rate}")
    charts.over_sizes(
        lines, x=workload.size_means, y=workload.rate, key=f"{place}_throughput", alt=f"{workload.rate}. {told}"
    )


def _rates(result: Benchmark, contender: Contender, points: list[Point]) -> Series:
    own = [point for point in points if point.contender == contender]
    values = [benchmark.throughput(WORKLOADS[result.plan.workload], point) for point in own]
    return Series(contender.name, [point.size for point in own], values, values, values)


def _where_time_goes(points: list[Point], place: str) -> None:
    size = max(point.size for point in points)
    largest = [point for point in points if point.size == size]
    rounds = [point.rounds[0] for point in largest]
    parts = {
        "Copy in": [each.copy_in_s for each in rounds],
        "First call": [each.first_call_s for each in rounds],
        "One call after warm-up": [point.median_s for point in largest],
        "Copy out": [each.copy_out_s for each in rounds],
    }
    told = "; ".join(f"{name}: {', '.join(map(in_seconds, values))}" for name, values in parts.items())
    st.subheader(f"Where the time goes at {size:,}")
    charts.stacked_seconds([point.contender.name for point in largest], parts, key=f"{place}_parts", alt=told)
    naive = "; ".join(
        f"{point.contender.name} {in_seconds(each.dispatched_s)} instead of {in_seconds(point.median_s)}"
        for point, each in zip(largest, rounds, strict=True)
    )
    st.caption(
        plain(f"Timed naively — one first call, without waiting for the device — it would be: {naive}. ")
        + "That counts starting and tracing, and on a GPU it ends before the work does."
    )


def _samples(points: list[Point], place: str) -> None:
    sizes = sorted({point.size for point in points})
    size = st.selectbox("Size", sizes, index=len(sizes) - 1, key=f"{place}_samples_size", format_func="{:,}".format)
    own = {p.contender.name: [s * 1e3 for part in p.samples_s for s in part] for p in points if p.size == size}
    told = "; ".join(f"{name}: {len(values)} samples" for name, values in own.items())
    charts.strips(own, key=f"{place}_samples", alt=told)
