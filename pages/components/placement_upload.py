"""Read a log that was uploaded or pasted."""

from __future__ import annotations

import io
from typing import IO

import streamlit as st

from pages.components import jobs
from tfcore import placement_files
from tfcore.placing import explaining
from tfcore.runtime.queue import Lane
from tfcore.session import Session

JOB = "read_log"
LIMIT_S = 3600.0
_OF = "read_log_of"
MOST_MB = placement_files.MOST_BYTES // 2**20


def draw(session: Session) -> None:
    """Draw the field for a file, the field for text, and what the log tells."""
    file = st.file_uploader(
        "A log, plain or gzip", key="place_file", max_upload_size=MOST_MB,
        help="The output of a program in which tf.debugging.set_log_device_placement(True) stood before the first "
        "operation, or log_device_placement=True in TensorFlow 1.",
    )  # fmt: skip
    text = st.text_area("Or paste it", key="place_text", height=120, disabled=file is not None)
    wanted = ("file", file.file_id) if file else ("text", text) if text.strip() else None
    if st.session_state.get(_OF) != wanted:
        st.session_state[_OF] = wanted
        session.cancel(JOB)
        if wanted:
            data: IO[bytes] = file or io.BytesIO(text.encode(errors="replace"))
            size = file.size if file else len(text)
            session.start(JOB, explaining(lambda: placement_files.pieces(data), size), Lane.LOOK, LIMIT_S)
    if not wanted:
        st.caption("Everything in a log is treated as data. Nothing of it is run, and it never leaves this server.")
        return
    snapshot = jobs.panel(session, JOB)
    if snapshot and snapshot.result:
        from pages.components import placement_result  # Plotly is slow to load

        placement_result.draw_log(snapshot.result, text if not file else "")
