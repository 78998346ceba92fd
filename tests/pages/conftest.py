"""AppTest on the whole dashboard, one server's worth of state for each test."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT
from tfcore import session
from tfcore.runtime.backend import Backend

PATIENCE_S = 40


def until(app: AppTest, words: str) -> AppTest:
    """Run the app again and again, as a browser's timer would, until these words stand on the page."""
    deadline = time.monotonic() + PATIENCE_S
    assert not app.exception, app.exception
    while not sees(app, words):
        assert time.monotonic() < deadline, f"{words!r} did not come; the page shows {texts(app)}"
        app.run()
        assert not app.exception, app.exception
    return app


def until_table(app: AppTest, alt: str) -> pd.DataFrame:
    """Run the app again and again until there is a table with this text alternative. Give it."""
    deadline = time.monotonic() + PATIENCE_S
    while not any(found.alt == alt for found in app.dataframe):
        assert time.monotonic() < deadline, f"the table {alt!r} did not come; the page shows {texts(app)}"
        app.run()
        assert not app.exception, app.exception
    return table(app, alt)


def address(app: AppTest, query: dict[str, str]) -> None:
    """Open the app at this address."""
    app.query_params.update(query)


def address_of(app: AppTest) -> dict[str, str]:
    """The settings in the app's address."""
    return {key: value if isinstance(value, str) else value[0] for key, value in app.query_params.items()}


def texts(app: AppTest) -> list[str]:
    """All words on the page."""
    kinds = (
        app.title,
        app.header,
        app.subheader,
        app.markdown,
        app.caption,
        app.error,
        app.warning,
        app.info,
        app.code,
    )
    titled = [str(getattr(element.proto, "title", "")) for element in (*app.error, *app.warning)]
    return [str(element.value) for kind in kinds for element in kind] + titled


def table(app: AppTest, alt: str) -> pd.DataFrame:
    """The table with this text alternative."""
    return next(found.value for found in app.dataframe if found.alt == alt)


def sees(app: AppTest, words: str) -> bool:
    """Whether these words stand somewhere on the page, escaped or not."""
    assert not app.exception, app.exception
    return any(words in text.replace("\\", "") for text in texts(app))


@pytest.fixture
def app(shared_backend: Backend) -> AppTest:
    """The dashboard, opened at its first page."""
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)


@pytest.fixture
def app_with_gpus(two_gpus: Backend, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    """The dashboard on two simulated GPUs."""
    monkeypatch.setattr(session, "backend", lambda: two_gpus)
    yield AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    st.cache_resource.clear()
