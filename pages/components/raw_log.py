"""A log as it came: searchable, and to be saved."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import streamlit as st

from tfcore.log_text import decoded, lines_with

MOST_SHOWN_BYTES = 200_000

Pieces = Callable[[], Iterator[bytes]]


def draw(pieces: Pieces, identity: str, place: str) -> None:
    """Draw the lines that hold what is searched for. `identity` tells one log from another."""
    panel = st.expander("The log itself", key=f"{place}_log_open", on_change="rerun")
    if not panel.open:
        return
    with panel:
        words = st.text_input("Search the log", key=f"{place}_log_search")
        text, more = _found(pieces, identity, words, place)
        st.caption(_counted(text, more))
        st.code(text, language=None, height=320)
        st.download_button(
            "Download the log", lambda: io.BytesIO(b"".join(decoded(pieces()))), "placement.log", "text/plain",
            key=f"{place}_log_file", icon=":material/download:", on_click="ignore",
        )  # fmt: skip


def of_text(text: str) -> Pieces:
    """Give a text as a log's pieces."""
    return lambda: iter([text.encode(errors="replace")])


def _found(pieces: Pieces, identity: str, words: str, place: str) -> tuple[str, bool]:
    """Search once for each log and words, because a large log takes a moment."""
    asked, slot = (identity, words), f"{place}_log_found"
    if st.session_state.get(slot, (None,))[0] != asked:
        st.session_state[slot] = (asked, lines_with(words, pieces(), MOST_SHOWN_BYTES))
    found: tuple[str, bool] = st.session_state[slot][1]
    return found


def _counted(text: str, more: bool) -> str:
    lines = len(text.splitlines())
    if more:
        return f"The first {lines:,} lines; there are more."
    return "1 line" if lines == 1 else f"{lines:,} lines"
