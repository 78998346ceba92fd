"""The charts of a placement: bars by device, a sunburst by device and kind, and a timeline where there are times."""

from __future__ import annotations

import html
from collections import Counter

import plotly.graph_objects as go
import streamlit as st
import streamlit.elements.plotly_chart

from tfcore.placement import Placement, shares

NARROWEST = 400
MOST_KINDS = 40


def draw(placement: Placement, place: str) -> None:
    """Draw all charts; the table below them holds the same numbers."""
    found = shares(placement)
    what = "nodes" if placement.placed else "eager calls"
    totals = {device: sum(kinds.values()) for device, kinds in found.items()}
    told = "; ".join(f"{device}: {count:,} {what}" for device, count in totals.items())
    with st.grid(min_column_width=NARROWEST, key=f"{place}_charts"):
        with st.container():
            figure = go.Figure(go.Bar(y=list(totals), x=list(totals.values()), orientation="h"))
            figure.update_layout(xaxis_title=what, height=140 + 45 * len(totals), margin_t=20)
            st.plotly_chart(figure, key=f"{place}_bars", alt=f"By device. {told}")
        with st.container():
            st.plotly_chart(_sunburst(found), key=f"{place}_sunburst", alt=f"By device and kind of operation. {told}")
    _timeline(placement, place)


def _sunburst(found: dict[str, Counter[str]]) -> go.Figure:
    ids, labels, parents, values = [], [], [], []
    for device, kinds in found.items():
        ids.append(device)
        labels.append(html.escape(device))
        parents.append("")
        values.append(sum(kinds.values()))
        for kind, count in kinds.most_common(MOST_KINDS):
            ids.append(f"{device}/{kind}")
            labels.append(html.escape(kind))
            parents.append(device)
            values.append(count)
    figure = go.Figure(go.Sunburst(ids=ids, labels=labels, parents=parents, values=values, branchvalues="total"))
    figure.update_layout(height=340, margin={"t": 10, "l": 10, "r": 10, "b": 10})
    return figure


def _timeline(placement: Placement, place: str) -> None:
    events = [event for event in placement.events if event.seconds is not None]
    if len(events) < 2:
        return
    devices = list(dict.fromkeys(event.device for event in events))
    figure = go.Figure(
        [
            go.Scatter(
                name=device, mode="markers",
                x=[event.seconds for event in events if event.device == device],
                y=[html.escape(event.kind) for event in events if event.device == device],
            )
            for device in devices
        ]
    )  # fmt: skip
    figure.update_layout(
        xaxis_title="seconds since the first call", height=340, margin_t=40, showlegend=True,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1},
    )  # fmt: skip
    st.subheader("When each call was made")
    st.plotly_chart(figure, key=f"{place}_timeline", alt=f"Timeline of {len(events):,} eager calls")
