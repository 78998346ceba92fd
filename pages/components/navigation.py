"""The list of pages, and the guard that each page begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

_FRAMED = "framed"


def frame() -> StreamlitPage:
    """Draw the navigation and give the page that was asked for."""
    st.session_state[_FRAMED] = True
    return st.navigation(_pages())


def guard() -> None:
    """Put the frame around a page that Streamlit runs without it.

    It does so with a file in pages/ whose address is the first that a new server sees, and whenever an
    AppTest runs a second time. The frame leaves a mark for its page, which takes it away.
    """
    if not st.session_state.pop(_FRAMED, False):
        st.navigation(_pages())
        st.rerun()


def _pages() -> list[StreamlitPage]:
    return [
        st.Page(
            "pages/overview.py", title="Overview", icon=":material/home:", default=True,
            help="Does TensorFlow see a GPU? Try a computation on every device.",
        ),
        st.Page(
            "pages/devices.py", title="Devices", icon=":material/memory:",
            help="What TensorFlow sees on this machine, and what your settings make of it.",
        ),
        st.Page(
            "pages/diagnosis.py", title="Diagnosis", icon=":material/troubleshoot:",
            help="Why TensorFlow does not see a GPU, and how to mend it; here, or from a log.",
        ),
        st.Page(
            "pages/placement.py", title="Placement", icon=":material/account_tree:",
            help="Where every operation runs, and why it is not on the GPU.",
        ),
        st.Page(
            "pages/benchmark.py", title="Benchmark", icon=":material/speed:",
            help="Measures one computation on several contenders, with intervals and warnings.",
        ),
        st.Page(
            "pages/strategy.py", title="Strategy", icon=":material/hub:",
            help="Trains one model on several devices at once, and shows whether they stay equal and get faster.",
        ),
        st.Page(
            "pages/race.py", title="Race", icon=":material/flag:",
            help="The same measurement to look at: who finishes first, and by how much.",
        ),
    ]  # fmt: skip
