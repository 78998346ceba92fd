"""Open a result that was saved, here or on another machine."""

from __future__ import annotations

import streamlit as st

from pages.components.jobs import show_error
from tfcore import results
from tfcore.benchmark import Benchmark
from tfcore.errors import ResultFileError


def upload(key: str) -> Benchmark | None:
    """Draw the field for the file. Give the result; None if there is none, or if it was refused."""
    file = st.file_uploader("A JSON file saved by this dashboard", type="json", key=key, max_upload_size=MOST_MB)
    if file is None:
        return None
    try:
        return results.from_json(file.getvalue())
    except ResultFileError as error:
        show_error(error)
        return None


MOST_MB = results.MOST_BYTES // 2**20
