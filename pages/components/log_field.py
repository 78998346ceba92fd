"""A field for a log: uploaded, pasted, handed over by another page, or kept from the last visit to this one."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import streamlit as st

from pages.components import jobs
from pages.components.words import plain
from tfcore import placement_files
from tfcore.runtime.job import Program
from tfcore.runtime.queue import Lane
from tfcore.session import Session

LIMIT_S = 3600.0
MOST_MB = placement_files.MOST_BYTES // 2**20
PRIVATE = "Everything in a log is treated as data. Nothing of it is run, and it never leaves this server."


@dataclass(frozen=True)
class Source:
    """A log to read. `identity` tells it from any other; `size` in bytes is 0 where it is not known."""

    identity: str
    name: str
    data: IO[bytes]
    size: int

    def pieces(self) -> Iterator[bytes]:
        """Read it from its start."""
        self.data.seek(0)
        return placement_files.pieces(self.data)


def of_text(name: str, text: str) -> Source:
    """Make a log of a text."""
    data = text.encode(errors="replace")
    return Source(f"text {hash(text)}", name, io.BytesIO(data), len(data))


def choose(place: str, label: str, paste: str, hint: str) -> Source | None:
    """Let a log be uploaded or pasted. One that is kept is shown by its name until the visitor puts it away."""
    if kept := _kept(place):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(plain(f"Opened: {kept.name}"))
            st.button("Open another log", key=f"{place}_put_away", on_click=_put_away, args=(place,))
        return kept
    file = st.file_uploader(label, key=f"{place}_file", max_upload_size=MOST_MB, help=hint)
    text = st.text_area(paste, key=f"{place}_text", height=120, disabled=file is not None)
    source = None
    if file:
        source = Source(f"file {file.file_id}", file.name, file, placement_files.size_to_read(file, file.size))
    elif text.strip():
        source = of_text("The pasted log", text)
    st.session_state[f"{place}_last"] = source
    return source


def give(place: str, source: Source) -> None:
    """Hand a log over to the page that has this field."""
    st.session_state[f"{place}_kept"] = source


def is_given(place: str) -> bool:
    """Whether a log is kept, so that the page may show it first."""
    return _kept(place) is not None


def read(session: Session, job: str, source: Source | None, program: Callable[[Source], Program[Any]]) -> Any:
    """Read a log once, as a job, and draw how far it is. Give the result; None while there is none."""
    wanted, slot = source and source.identity, f"{job}_of"
    if st.session_state.get(slot) != wanted:
        st.session_state[slot] = wanted
        session.cancel(job)
        if source:
            session.start(job, program(source), Lane.READ, LIMIT_S)
    if not source:
        return None
    snapshot = jobs.panel(session, job)
    return snapshot.result if snapshot else None


def _kept(place: str) -> Source | None:
    """Give the log to show by its name: handed over, or the last one of a page that was left.

    Streamlit forgets a field when its page is left: that the field is unknown tells that the page was.
    """
    if f"{place}_text" not in st.session_state and st.session_state.get(f"{place}_last"):
        st.session_state.setdefault(f"{place}_kept", st.session_state[f"{place}_last"])
    kept: Source | None = st.session_state.get(f"{place}_kept")
    return kept


def _put_away(place: str) -> None:
    st.session_state.pop(f"{place}_kept", None)
    st.session_state.pop(f"{place}_last", None)
