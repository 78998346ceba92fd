"""One sentence on why there is no GPU, for pages that only mention it."""

from __future__ import annotations

import streamlit as st

from pages.components.words import plain
from tfcore.session import Session


def mention(session: Session) -> None:
    """Say in one line that there is no GPU, and where the reason stands."""
    snapshot = session.diagnosis()
    found = snapshot.result.root.cause if snapshot.result and not snapshot.result.usable else ""
    st.markdown(plain(f"TensorFlow sees no GPU on this machine. {found}".strip()))
    st.page_link("pages/diagnosis.py", label="Why, and how to mend it", icon=":material/troubleshoot:")


def draw(session: Session) -> None:
    """Say why TensorFlow sees no GPU and what mends it, as soon as that is known."""
    snapshot = session.diagnosis()
    if snapshot.result and not snapshot.result.usable:
        root = snapshot.result.root
        st.header("TensorFlow sees no GPU on this machine.")
        st.markdown(plain(root.cause))
        if root.fix and not root.nothing_broken:
            st.markdown(f"**To mend it:** {plain(root.fix[0].say)}")
            if root.fix[0].command:
                st.code(root.fix[0].command, language="bash", wrap_lines=True)
    else:
        st.header("TensorFlow sees no GPU on this machine.")
        if not snapshot.ended:
            st.caption("Finding out why …")
    st.page_link("pages/diagnosis.py", label="Why, and how to mend it", icon=":material/troubleshoot:")
