"""What a training shows: losses as they fall, speed and efficiency, the copies, the split, and the code."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st
import streamlit.elements.plotly_chart

from pages.components import log_field, placement_upload
from pages.components.words import plain
from tfcore import strategy
from tfcore.strategy import MODELS, TRUE_INTERCEPT, TRUE_SLOPE, Trained, Training
from tfcore.strategy_code import as_code
from tfcore.training import Live

Losses = Sequence[float | None]
SIMULATED = "The GPUs are simulated: they compute nothing, so neither losses nor speeds are shown."


def draw_live(live: Live) -> None:
    """Draw the losses so far."""
    if live.simulated:
        st.info(SIMULATED, icon=":material/science:")
        return
    curves: dict[str, Losses] = {_name(run.replicas): run.losses for run in live.ended}
    _losses({**curves, f"{_name(live.replicas)}, running": live.losses})


def draw(training: Training) -> None:
    """Draw a training that has ended."""
    st.header(MODELS[training.plan.model].title)
    if training.simulated:
        st.info(SIMULATED, icon=":material/science:")
    else:
        st.subheader(plain(_sentence(training)))
        _losses({_name(run.replicas): run.losses for run in training.runs})
        _speed(training)
        _line(training)
    _warnings(training)
    _copies(training)
    _split(training)
    _logs(training)
    with st.expander("The code that does the same"):
        st.code(as_code(training.plan, training.runs[-1].devices), language="python")


def _logs(training: Training) -> None:
    """Let a run's placement log be opened on Placement."""
    st.subheader("Where the operations ran")
    st.caption("Each run was logged. Placement says which operation ran on which device, and why.")
    with st.container(horizontal=True):
        for run, log in zip(training.runs, training.logs, strict=False):
            title = f"The log of {MODELS[training.plan.model].title.lower()} trained on {_name(run.replicas)}"
            source = log_field.of_text(title, log)
            if st.button(
                f"{_name(run.replicas)}: open on Placement", key=f"train_log_{run.replicas}",
                icon=":material/account_tree:", on_click=log_field.give, args=(placement_upload.PLACE, source),
            ):  # fmt: skip
                st.switch_page("pages/placement.py")


def _sentence(training: Training) -> str:
    differences = [run.largest_difference for run in training.runs]
    equal = all(difference == 0.0 for difference in differences)
    firsts = [run.losses[0] for run in training.runs if run.losses]
    agree = strategy.same_losses(firsts)
    said = "All copies of every variable stayed equal" if equal else "Copies of a variable came to differ"
    if len(training.runs) > 1 and training.plan.batch_of == "each":
        said += "; the batch grows with the replicas, so losses are of different batches"
    elif len(training.runs) > 1:
        said += ", and every run began with the same loss" if agree else ", and the first losses differ"
    return said + "."


def _name(replicas: int) -> str:
    return "1 replica" if replicas == 1 else f"{replicas} replicas"


def _losses(curves: dict[str, Losses]) -> None:
    figure = go.Figure(
        [
            go.Scatter(name=name, x=list(range(1, len(losses) + 1)), y=list(losses), mode="lines")
            for name, losses in curves.items()
        ]
    )
    figure.update_layout(
        xaxis_title="step", yaxis={"title": "loss", "type": "log"}, height=340, margin_t=40, showlegend=True,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1},
    )  # fmt: skip
    told = "; ".join(f"{name}: {losses[0]:.4g} to {losses[-1]:.4g}" for name, losses in curves.items()
                     if losses and losses[0] is not None and losses[-1] is not None)  # fmt: skip
    st.plotly_chart(figure, key="train_losses", alt=f"Loss of each step. {told}")


def _speed(training: Training) -> None:
    st.subheader("Examples per second")
    runs = training.runs
    counts, rates = [run.replicas for run in runs], [run.examples_per_s for run in runs]
    intervals = [run.rate_interval for run in runs]
    ideal = [rates[0] * count / counts[0] for count in counts]
    figure = go.Figure(
        [
            go.Scatter(
                name="measured", x=counts, y=rates, mode="lines+markers",
                error_y={
                    "type": "data", "symmetric": False,
                    "array": [i.high - rate for i, rate in zip(intervals, rates, strict=True)],
                    "arrayminus": [rate - i.low for i, rate in zip(intervals, rates, strict=True)],
                },
            ),
            go.Scatter(name="ideal", x=counts, y=ideal, mode="lines", line_dash="dash"),
        ]
    )  # fmt: skip
    figure.update_layout(
        xaxis={"title": "replicas", "tickvals": counts}, yaxis={"title": "examples per second", "rangemode": "tozero"},
        height=320, margin_t=40, legend={"orientation": "h", "yanchor": "bottom", "y": 1},
    )  # fmt: skip
    told = "; ".join(f"{_name(run.replicas)}: {run.examples_per_s:,.0f}" for run in runs)
    st.plotly_chart(figure, key="train_speed", alt=f"Examples per second. {told}")
    rows = [_row(training, run) for run in runs]
    st.dataframe(rows, hide_index=True, key="train_table", alt="Speed of each number of replicas")
    st.caption("The first epoch stands apart: it includes tracing the function and starting the devices.")


def _row(training: Training, run: Trained) -> dict[str, str]:
    efficiency, interval = training.efficiency(run), run.rate_interval
    return {
        "Replicas": str(run.replicas),
        "Examples per second": f"{run.examples_per_s:,.0f}",
        "95 % interval": f"{interval.low:,.0f} to {interval.high:,.0f}" if len(run.rates) > 1 else "one epoch alone",
        "Efficiency": "" if efficiency is None else f"{efficiency * 100:.0f} %",
        "First epoch": f"{run.epoch_s[0]:.2f} s",
        "First loss": _loss(run.losses[:1]),
        "Last loss": _loss(run.losses[-1:]),
    }


def _loss(losses: Losses) -> str:
    return f"{losses[0]:.6g}" if losses and losses[0] is not None else "not finite"


def _line(training: Training) -> None:
    if training.plan.model != "article":
        return
    st.subheader("The line that it found")
    rows = [{"": "the true line", "Slope": f"{TRUE_SLOPE:.4f}", "Intercept": f"{TRUE_INTERCEPT:.4f}"}]
    for run in training.runs:
        if run.weights:
            slope, intercept = strategy.line_found(run)
            rows.append({"": _name(run.replicas), "Slope": f"{slope:.4f}", "Intercept": f"{intercept:.4f}"})
    st.dataframe(rows, hide_index=True, key="train_line", alt="The line that was found")


def _warnings(training: Training) -> None:
    found: dict[str, list[str]] = {}
    for run in training.runs:
        for warning in training.warnings(run):
            found.setdefault(warning, []).append(_name(run.replicas))
    if found:
        rows = [f"- {plain(warning)} ({', '.join(names)})" for warning, names in found.items()]
        st.warning("\n".join(rows), title="Before you trust these numbers", icon=":material/warning:")


def _copies(training: Training) -> None:
    st.subheader("Each variable’s copies")
    rows = [
        {
            "Replicas": run.replicas,
            "Variable": copies.variable,
            "Copies on": ", ".join(copies.devices),
            "Largest difference": "not stated" if training.simulated else _difference(copies.largest_difference),
        }
        for run in training.runs
        for copies in run.copies
    ]
    st.dataframe(rows, hide_index=True, key="train_copies", alt="Copies of each variable")


def _difference(value: float | None) -> str:
    return "not finite" if value is None else f"{value:g}"


def _split(training: Training) -> None:
    st.subheader("What each replica got of a batch")
    rows = [
        {"Replicas": run.replicas, "Replica": device, "Examples of each batch": share}
        for run in training.runs
        for device, share in zip(run.devices, run.split, strict=False)
    ]
    st.dataframe(rows, hide_index=True, key="train_split", alt="What each replica got")
