"""Read a log that was uploaded, pasted, or handed over by another page, and compare it with a second one."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import streamlit as st

from pages.components import jobs, raw_log
from pages.components.words import plain
from tfcore import placement_files
from tfcore.placement_reasons import Explained
from tfcore.placing import explaining
from tfcore.runtime.queue import Lane
from tfcore.session import Session

LIMIT_S = 3600.0
MOST_MB = placement_files.MOST_BYTES // 2**20
GIVEN = "place_given"
HELP = (
    "The output of a program in which tf.debugging.set_log_device_placement(True) stood before the first operation, "
    "or log_device_placement=True in TensorFlow 1."
)


@dataclass(frozen=True)
class Given:
    """A log that another page hands over."""

    name: str
    text: str


@dataclass(frozen=True)
class _Source:
    """A log to read. `identity` tells it from any other."""

    identity: str
    name: str
    data: IO[bytes]
    size: int

    def pieces(self) -> Iterator[bytes]:
        self.data.seek(0)
        return placement_files.pieces(self.data)


def draw(session: Session) -> None:
    """Draw the fields, what the log tells, and what moved where there is a second one."""
    source = _given() or _chosen("place", "A log, plain or gzip", "Or paste it")
    found = _read(session, "read_log", source)
    if source is None:
        st.caption("Everything in a log is treated as data. Nothing of it is run, and it never leaves this server.")
        return
    if found is None:
        return
    with st.expander("Compare with another log"):
        other_source = _chosen("place_other_log", "The other log, plain or gzip", "Or paste the other one")
        other = _read(session, "read_other_log", other_source)
    from pages.components import placement_result  # Plotly is slow to load

    if other_source and other:
        placement_result.draw_moved(source.name, found.placement, other_source.name, other.placement)
    logs = [("place_log", source, found)] + ([("place_log_1", other_source, other)] if other_source and other else [])
    for place, each, explained in logs:
        if len(logs) > 1:
            st.header(plain(each.name))
        placement_result.draw(explained, place)
        raw_log.draw(each.pieces, each.identity, place)


def give(name: str, text: str) -> None:
    """Hand a log over to Placement."""
    st.session_state[GIVEN] = Given(name, text)


def _given() -> _Source | None:
    """Take a log that another page handed over, until the visitor puts it away."""
    given: Given | None = st.session_state.get(GIVEN)
    if given is None:
        return None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(plain(f"This is {given.name}."))
        st.button("Open another log", key="place_put_away", on_click=_put_away)
    data = given.text.encode(errors="surrogateescape")
    return _Source(f"given {hash(given.text)}", given.name, io.BytesIO(data), len(data))


def _put_away() -> None:
    st.session_state.pop(GIVEN, None)


def _chosen(key: str, label: str, paste: str) -> _Source | None:
    """Let a log be uploaded or pasted."""
    file = st.file_uploader(label, key=f"{key}_file", max_upload_size=MOST_MB, help=HELP)
    text = st.text_area(paste, key=f"{key}_text", height=120, disabled=file is not None)
    if file:
        return _Source(f"file {file.file_id}", file.name, file, file.size)
    if not text.strip():
        return None
    data = text.encode(errors="replace")
    return _Source(f"text {hash(text)}", "The pasted log", io.BytesIO(data), len(data))


def _read(session: Session, job: str, source: _Source | None) -> Explained | None:
    """Read a log once, as a job, and draw how far it is."""
    wanted, slot = source and source.identity, f"{job}_of"
    if st.session_state.get(slot) != wanted:
        st.session_state[slot] = wanted
        session.cancel(job)
        if source:
            session.start(job, explaining(source.pieces, source.size), Lane.LOOK, LIMIT_S)
    if not source:
        return None
    snapshot = jobs.panel(session, job)
    result: Explained | None = snapshot.result if snapshot else None
    return result
