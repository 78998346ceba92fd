"""Race: who finishes first, for people who only want to see."""

from __future__ import annotations

import streamlit as st

from pages.components import navigation, open_result, racing
from tfcore.session import current

navigation.guard()
session = current()

st.title("Race")
st.markdown(
    "Several contenders get the same job. Each lane moves, to scale, for as long as its contender was measured to take."
)
live, replay = st.tabs(["Race now", "Replay a saved result"])
with live:
    racing.draw_live(session, session.runtime().result)
with replay:
    saved = open_result.upload("race_open")
    if saved:
        racing.draw_replay(saved)
