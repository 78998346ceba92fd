"""Placement as a visitor meets it: a capture, a comparison, a large log, and one that means harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.parse import write
from tests.browser.test_browser import PHONE, fits_its_width, ready
from tests.test_placement import HOSTILE

pytestmark = pytest.mark.browser


def test_capture_compare_soft_with_strict_and_download(visit, server, tmp_path):
    page = ready(visit(server, "/placement"))
    page.get_by_role("button", name="Capture", exact=True).click()
    expect(page.get_by_role("heading", name="7 of 7 calls ran on CPU:0.")).to_be_visible()
    expect(page.locator(".st-key-place_0_sunburst .slice").first).to_be_visible()
    with page.expect_download() as found:
        page.get_by_role("button", name="JSON", exact=True).click()
    found.value.save_as(tmp_path / "placement.json")
    assert '"executed": 12' in (tmp_path / "placement.json").read_text()
    device = page.locator(".st-key-place_device").get_by_role("combobox")
    device.click()
    device.press_sequentially("/GPU:0")
    device.press("Enter")
    page.get_by_role("radio", name="Soft against strict").click()
    page.get_by_role("button", name="Capture", exact=True).click()
    expect(page.get_by_text("TensorFlow refused to run it, so nothing can be compared.")).to_be_visible()
    expect(page.get_by_text("enable_soft_placement=0").first).to_be_visible()


def test_a_log_of_100_mb_is_uploaded_read_with_progress_and_searched(visit, server, tmp_path):
    path = Path(tmp_path, "large.log")
    write(path, 900_000, distinct=False)
    assert path.stat().st_size > 100e6
    page = ready(visit(server, "/placement"))
    page.get_by_role("tab", name="Open a log").click()
    page.locator(".st-key-place_file input[type=file]").set_input_files(path)
    expect(page.get_by_text("operations are placed on GPU:0")).to_be_visible(timeout=150_000)
    expect(page.get_by_text("225,000").first).to_be_visible()
    search = page.get_by_role("textbox", name="Search", exact=True)
    search.fill("conv2d")
    search.press("Enter")
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()


def test_a_log_that_means_harm_does_none(visit, server):
    page = ready(visit(server, "/placement"))
    page.on("dialog", lambda _: pytest.fail("a script of the log ran"))
    page.get_by_role("tab", name="Open a log").click()
    field = page.get_by_role("textbox", name="Or paste it")
    field.fill(HOSTILE)
    field.press("Control+Enter")
    expect(page.get_by_role("heading", name="operations are placed on GPU:0")).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
    assert page.evaluate("[...document.scripts].every(s => !s.textContent.includes('alert(1)'))")


def test_placement_is_no_wider_than_a_phone(visit, server):
    assert fits_its_width(ready(visit(server, "/placement", **PHONE)))
