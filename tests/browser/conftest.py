"""Headless Chromium on a running dashboard."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.conftest import need
from tests.server.servers import Server

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
NAMES = ("chromium", "chromium-browser", "google-chrome")

expect.set_options(timeout=60_000)
Open = Callable[..., Page]


def chromium() -> str | None:
    """The browser to drive: CHROMIUM, or the first that is installed."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    need(path, f"no browser: none of {', '.join(NAMES)} is installed and CHROMIUM is not set")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Give a function that opens an address in a new browser profile."""
    contexts = []

    def visit(server: Server, path: str = "/", **options: object) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.goto(server.url + path)
        return page

    yield visit
    for context in contexts:
        context.close()
