"""From a choice to a saved result and a race, as a visitor goes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_browser import PHONE, fits_its_width, ready

pytestmark = pytest.mark.browser
LONG_MS = 120_000


def set_budget(page: Page, seconds: str) -> None:
    field = page.get_by_role("spinbutton", name="Seconds for one contender at one size")
    field.fill(seconds)
    field.press("Enter")
    expect(page.get_by_role("button", name="Measure", exact=True)).to_be_enabled()


def saved(page: Page, name: str, folder: Path) -> Path:
    with page.expect_download() as found:
        page.get_by_role("button", name=name, exact=True).click()
    path = folder / found.value.suggested_filename
    found.value.save_as(path)
    return path


def test_measure_see_the_first_point_cancel_measure_again_save_open_and_race(visit, browser, server, tmp_path):
    page = ready(visit(server, "/benchmark"))
    expect(page.get_by_text("Estimate: at most about")).to_be_visible()
    set_budget(page, "60")
    page.get_by_role("button", name="Measure", exact=True).click()
    expect(page.locator(".st-key-measured_times .point").first).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Partial: it was ended before its time.")).to_be_visible()

    set_budget(page, "0.5")
    page.get_by_role("button", name="Measure", exact=True).click()
    expect(page.get_by_text("Partial: it was ended before its time.")).to_be_hidden(timeout=LONG_MS)
    expect(page.get_by_role("heading", name="Keep it")).to_be_visible(timeout=LONG_MS)
    for chart in ("times", "speedup", "throughput", "parts"):
        expect(page.locator(f".st-key-measured_{chart} .main-svg").first).to_be_visible()

    file = saved(page, "JSON", tmp_path)
    assert file.suffix == ".json"
    assert saved(page, "CSV", tmp_path).read_text().startswith("workload,size,device")
    report = saved(page, "Report", tmp_path)

    page.get_by_role("tab", name="Open a saved result").click()
    page.locator(".st-key-bench_open input[type=file]").set_input_files(file)
    expect(page.locator(".st-key-opened_times .main-svg").first).to_be_visible()

    page.get_by_role("link", name="Race").click()
    page.get_by_role("tab", name="Replay a saved result").click()
    page.locator(".st-key-race_open input[type=file]").set_input_files(file)
    expect(page.get_by_text("A replay, not a live race: measured")).to_be_visible()
    expect(page.locator(".race .run").first).to_be_visible()

    asked: list[str] = []
    alone = browser.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(report.as_uri())
    expect(alone.get_by_role("heading", name="Matrix product")).to_be_visible()
    assert asked == [report.as_uri()]
    alone.close()


def test_a_race_is_run_live_and_its_lanes_take_as_long_as_was_measured(visit, server):
    page = ready(visit(server, "/race"))
    page.get_by_role("button", name="Race", exact=True).click()
    expect(page.get_by_text("The job:")).to_be_visible(timeout=LONG_MS)
    lanes = page.locator(".race .run")
    expect(lanes).to_have_count(2)
    shown = [
        float(lane.evaluate("e => getComputedStyle(e).animationDuration").removesuffix("s")) for lane in lanes.all()
    ]
    assert max(shown) == pytest.approx(8.0, rel=0.01)
    expect(page.get_by_role("img", name=re.compile("In the time|A draw"))).to_be_visible()


@pytest.mark.parametrize("path", ["/benchmark", "/race"])
def test_no_page_is_wider_than_a_phone(visit, server, path):
    page = ready(visit(server, path, **PHONE))
    assert fits_its_width(page)


def test_two_visitors_measure_one_after_the_other_and_both_can_still_look_around(visit, server):
    first, second = ready(visit(server, "/benchmark")), ready(visit(server, "/benchmark"))
    for page in (first, second):
        set_budget(page, "60")
        page.get_by_role("button", name="Measure", exact=True).click()
    expect(second.get_by_text("Waiting: 1 measurement is ahead of yours.")).to_be_visible()
    second.get_by_role("link", name="Devices").click()
    expect(second.get_by_role("heading", name="Physical devices")).to_be_visible()
    second.get_by_role("link", name="Benchmark").click()
    expect(second.get_by_text("Waiting: 1 measurement is ahead of yours.")).to_be_visible()
    first.get_by_role("button", name="Cancel").click()
    expect(second.get_by_text("Round 1")).to_be_visible()
    second.get_by_role("button", name="Cancel").click()
    expect(second.get_by_role("button", name="Measure", exact=True)).to_be_enabled()
