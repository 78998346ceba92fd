"""The settings in force, in one line."""

from __future__ import annotations

import streamlit as st

from tfcore.settings import Settings
from tfcore.settings_code import differences


def settings_in_force(settings: Settings, key: str = "settings_in_force") -> None:
    """Draw one badge for each setting; those that differ from TensorFlow's default stand out."""
    with st.container(horizontal=True, key=key):
        for row in differences(settings):
            st.badge(f"{row.setting}: {row.chosen}", color="primary" if row.changed else "gray")
