"""TensorFlow GPU Lab: the frame around every page. Start it with `make run`."""

from __future__ import annotations

import streamlit as st

from pages.components import navigation, sidebar
from pages.components.follow import begin_run, follow
from tfcore.session import open_session

ICON = "pages/components/icon.svg"

st.set_page_config(page_title="TensorFlow GPU Lab", page_icon=ICON, layout="wide")
session = open_session()
begin_run()
page = navigation.frame()
seen = sidebar.draw(session)
page.run()
follow(session, seen)
