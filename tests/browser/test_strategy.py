"""A training watched as it goes, cancelled, and compared."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.test_browser import PHONE, fits_its_width, ready

pytestmark = pytest.mark.browser


def test_watch_a_run_live_cancel_it_and_compare_1_with_2_replicas(visit, server):
    page = ready(visit(server, "/strategy"))
    epochs = page.get_by_role("spinbutton", name="Epochs")
    epochs.fill("1000")
    epochs.press("Enter")
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.locator(".st-key-train_losses .main-svg").first).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. Nothing is left running.")).to_be_visible()
    epochs.fill("3")
    epochs.press("Enter")
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_role("heading", name="All copies of every variable stayed equal")).to_be_visible()
    expect(page.locator(".st-key-train_speed .main-svg").first).to_be_visible()


def test_strategy_is_no_wider_than_a_phone(visit, server):
    assert fits_its_width(ready(visit(server, "/strategy", **PHONE)))
