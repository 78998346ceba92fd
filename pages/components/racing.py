"""A race that is measured now, and one that is replayed from a saved result."""

from __future__ import annotations

import streamlit as st

from pages.components import jobs, lanes
from pages.components.words import plain
from tfcore import race, results
from tfcore.benchmark import Benchmark
from tfcore.benchmarking import benchmarking
from tfcore.devices import Inventory
from tfcore.session import Session
from tfcore.workloads import WORKLOADS

JOB = "race"
BIG = "<style>.st-key-race_start button{padding:.8rem}.st-key-race_start button *{font-size:1.6rem}</style>"
_ASKED, _TURN = "race_asked", "race_turn"


def draw_live(session: Session, inventory: Inventory | None) -> None:
    """Draw the choice of a job, the button, and the race once it is measured."""
    job = race.TITLES[st.selectbox("Job", list(race.TITLES), key="race_job")]
    if inventory and st.session_state.pop(_ASKED, False):
        session.start(JOB, benchmarking(session.settings, inventory, race.race_plan(job, inventory)))
    reason = _why_not(session, inventory)
    st.html(BIG)
    st.button(
        "Race", key="race_start", type="primary", icon=":material/flag:", disabled=bool(reason), help=reason,
        on_click=_ask, width="stretch",
    )  # fmt: skip
    if inventory and not inventory.of_type("GPU"):
        st.caption("No GPU is in force, so one core of the CPU races against all of them.")
    snapshot = jobs.panel(session, JOB)
    if snapshot and snapshot.result:
        result: Benchmark = snapshot.result
        _show(result, result.plan.sizes[0], "race_again")
        st.markdown(plain(race.otherwise(result)))


def draw_replay(result: Benchmark) -> None:
    """Draw the race of a saved result, labelled as what it is."""
    sizes = result.plan.sizes
    size = st.selectbox("Size", sizes, index=len(sizes) - 1, key="race_size", format_func="{:,}".format)
    measured = f"measured {results.when(result)} on {result.environment.computer.cpu_model}"
    st.info(plain(f"A replay, not a live race: {measured}."), icon=":material/history:")
    _show(result, size, "race_replay_again")


def _show(result: Benchmark, size: int, key: str) -> None:
    """Draw the lanes and what they mean, or why there are none."""
    workload, found = WORKLOADS[result.plan.workload], race.race(result, size)
    st.header(plain(found.sentence))
    if found.lanes:
        lanes.draw(found, st.session_state.get(_TURN, 0))
        st.button("Watch again", key=key, icon=":material/replay:", on_click=_again)
    st.markdown(plain(f"The job: {workload.sentence} Here with {race.size_in_words(workload, size)}."))


def _why_not(session: Session, inventory: Inventory | None) -> str | None:
    if inventory is None:
        return "TensorFlow has not answered yet."
    return "It is running." if JOB in session.running() else None


def _ask() -> None:
    """Note that the button was pressed; the settings of the same moment are read only after this."""
    st.session_state[_ASKED] = True
    _again()


def _again() -> None:
    """Let the lanes start anew."""
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
