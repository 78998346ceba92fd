"""Diagnose from a log that was uploaded or pasted."""

from __future__ import annotations

import io
from typing import IO

import streamlit as st

from pages.components import diagnosis_result, jobs
from tfcore import placement_files
from tfcore.diagnosing import from_log
from tfcore.runtime.queue import Lane
from tfcore.session import Session

JOB = "diagnose_log"
LIMIT_S = 3600.0
_OF = "diagnose_log_of"


def draw(session: Session) -> None:
    """Draw the field for a file, the field for text, and what the log tells."""
    file = st.file_uploader(
        "A log, plain or gzip", key="diagnose_file", max_upload_size=placement_files.MOST_BYTES // 2**20,
        help="What TensorFlow printed from its start on, of any version since 2015; pip’s own output too.",
    )  # fmt: skip
    text = st.text_area("Or paste it", key="diagnose_text", height=160, disabled=file is not None)
    wanted = ("file", file.file_id) if file else ("text", text) if text.strip() else None
    if st.session_state.get(_OF) != wanted:
        st.session_state[_OF] = wanted
        session.cancel(JOB)
        if wanted:
            data: IO[bytes] = file or io.BytesIO(text.encode(errors="replace"))
            size = file.size if file else len(text)
            session.start(JOB, from_log(lambda: placement_files.pieces(data), size), Lane.LOOK, LIMIT_S)
    if not wanted:
        st.caption("Everything in a log is treated as data. Nothing of it is run, and it never leaves this server.")
        return
    snapshot = jobs.panel(session, JOB)
    if snapshot and snapshot.result:
        diagnosis_result.draw(snapshot.result, "log")
