"""Charts in the theme's colours, each with a text alternative."""

from __future__ import annotations

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
