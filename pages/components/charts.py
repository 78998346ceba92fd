"""Charts in the theme's colours, each with a text alternative."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st
import streamlit.elements.plotly_chart


def bars_of_seconds(names: list[str], groups: dict[str, list[float]], *, key: str, alt: str) -> None:
    """Draw horizontal bars: a group of bars for each name, one bar of it for each entry of `groups`."""
    figure = go.Figure([go.Bar(name=group, y=names, x=values, orientation="h") for group, values in groups.items()])
    figure.update_layout(
        xaxis_title="seconds", yaxis_autorange="reversed", height=120 + 70 * len(names), margin_t=30,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1, "traceorder": "normal"},
    )  # fmt: skip
    st.plotly_chart(figure, key=key, alt=alt)


@dataclass(frozen=True)
class Series:
    """One line of a chart: values over sizes, each with the ends of its interval."""

    name: str
    sizes: list[int]
    values: list[float]
    low: list[float]
    high: list[float]


def over_sizes(
    series: list[Series],
    *,
    x: str,
    y: str,
    key: str,
    alt: str,
    reference: float | None = None,
    marks: dict[str, float] | None = None,
) -> None:
    """Draw lines over sizes, both axes logarithmic, with intervals.

    A dashed line stands at the reference, and a dotted one at each mark with its words.
    """
    figure = go.Figure([_line(each) for each in series])
    sizes = sorted({size for each in series for size in each.sizes})
    figure.update_layout(
        xaxis={"type": "log", "title": x, "tickvals": sizes, "ticktext": [f"{size:,}" for size in sizes]},
        yaxis={"type": "log", "title": y, **_log_ticks(series)}, height=360,
        margin={"t": 40, "r": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1}, showlegend=True,
    )  # fmt: skip
    if reference is not None:
        figure.add_hline(y=reference, line_dash="dash", line_width=1)
    for words, size in (marks or {}).items():
        figure.add_vline(x=size, line_dash="dot", line_width=1)
        # On a logarithmic axis shapes take the value and annotations its logarithm.
        figure.add_annotation(x=math.log10(size), y=1, yref="paper", text=words, showarrow=False, yanchor="top")
    st.plotly_chart(figure, key=key, alt=alt)


def _log_ticks(series: list[Series]) -> dict[str, list[object]]:
    """Label 1, 2 and 5 of each power of ten where there are few powers, else the powers alone, in full."""
    values = [value for each in series for value in (*each.low, *each.high) if value > 0]
    if not values:
        return {}
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    steps = (1, 2, 5) if high - low <= 3 else (1,)
    ticks = [step * 10.0**power for power in range(low, high + 1) for step in steps]
    return {"tickvals": list(ticks), "ticktext": [f"{tick:,g}" for tick in ticks]}


def _line(series: Series) -> go.Scatter:
    """Draw one line with the intervals of its points."""
    values = series.values
    return go.Scatter(
        name=series.name, x=series.sizes, y=values, mode="lines+markers",
        error_y={
            "type": "data", "symmetric": False,
            "array": [high - value for high, value in zip(series.high, values, strict=True)],
            "arrayminus": [value - low for low, value in zip(series.low, values, strict=True)],
        },
    )  # fmt: skip


def stacked_seconds(names: list[str], parts: dict[str, list[float]], *, key: str, alt: str) -> None:
    """Draw one horizontal bar for each name, made of parts in seconds."""
    figure = go.Figure([go.Bar(name=part, y=names, x=values, orientation="h") for part, values in parts.items()])
    figure.update_layout(
        barmode="stack", xaxis_title="seconds", yaxis_autorange="reversed", height=140 + 45 * len(names), margin_t=30,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1, "traceorder": "normal"},
    )  # fmt: skip
    st.plotly_chart(figure, key=key, alt=alt)


def strips(samples_ms: dict[str, list[float]], *, key: str, alt: str) -> None:
    """Draw every sample as a dot, in the order in which they were taken."""
    figure = go.Figure(
        [
            go.Scatter(name=name, x=list(range(1, len(values) + 1)), y=values, mode="markers", marker_size=6)
            for name, values in samples_ms.items()
        ]
    )
    figure.update_layout(
        xaxis_title="sample", yaxis={"title": "milliseconds", "rangemode": "tozero"}, height=320, margin_t=30,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1}, showlegend=True,
    )  # fmt: skip
    st.plotly_chart(figure, key=key, alt=alt)
