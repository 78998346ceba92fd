"""What only a real browser can tell."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.server.servers import running

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 400, "height": 850}}


def ready(page: Page) -> Page:
    expect(page.locator(".st-key-runtime_state").get_by_text("Ready")).to_be_attached()
    return page


def fits_its_width(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_try_it_runs_to_its_result(visit, server):
    page = ready(visit(server))
    expect(page.get_by_role("heading", name="TensorFlow sees no GPU on this machine.")).to_be_visible()
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    expect(page.get_by_text("There is nothing to compare it with.")).to_be_visible()
    expect(page.get_by_text("After warm-up, synchronised")).to_be_visible()
    expect(page.locator(".st-key-try_it_chart .bars path").first).to_be_visible()
    page.get_by_text("Where each operation ran").click()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()


def test_charts_wear_the_themes_colours(visit, server):
    page = ready(visit(server, color_scheme="dark"))
    page.get_by_role("button", name="Try it").click()
    bar = page.locator(".st-key-try_it_chart .bars path").first
    expect(bar).to_be_visible()
    assert "rgb(247, 149, 82)" in (bar.get_attribute("style") or "")


def test_a_deep_link_on_a_new_server_shows_the_page_in_its_frame(visit):
    with running() as server:
        page = ready(visit(server, "/devices?cpu_devices=3"))
        expect(page.get_by_role("heading", name="Devices", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name="Overview")).to_be_visible()
        expect(page.get_by_text("set_soft_device_placement")).to_be_visible()
        assert page.url.endswith("/devices?cpu_devices=3")


def test_settings_are_changed_with_the_keyboard_and_follow_from_page_to_page(visit, server):
    page = ready(visit(server))
    field = page.get_by_role("spinbutton", name="Logical CPU devices")
    field.fill("3")
    field.press("Enter")
    expect(page.get_by_text("Logical CPU devices: 3")).to_be_visible()
    expect(page).to_have_url(re.compile(r"cpu_devices=3"))
    page.get_by_role("link", name="Devices").click()
    expect(page.get_by_role("heading", name="Devices", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"/devices\?cpu_devices=3"))
    page.reload()
    ready(page)
    expect(page.get_by_role("spinbutton", name="Logical CPU devices")).to_have_value("3")


def test_two_tabs_have_settings_of_their_own(visit, server):
    first, second = ready(visit(server, "/?cpu_devices=2")), ready(visit(server))
    expect(first.get_by_text("Logical CPU devices: 2")).to_be_visible()
    expect(second.get_by_text("Logical CPU devices: 1")).to_be_visible()


def test_an_absurd_number_is_refused_beside_its_field(visit, server):
    page = ready(visit(server))
    field = page.get_by_role("spinbutton", name="Logical CPU devices")
    field.fill("400")
    field.press("Enter")
    expect(page.get_by_text("400 logical CPU devices cannot be made. Use 1 to 16.")).to_be_visible()
    expect(page.get_by_text("Logical CPU devices: 1")).to_be_visible()


def test_markup_in_the_address_is_shown_as_text(visit, server):
    page = visit(server, "/?%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E=1&memory=%5Bx%5D(javascript:alert(1))")
    ready(page)
    expect(page.get_by_text("is not a setting")).to_be_visible()
    expect(page.get_by_text("[x](javascript:alert(1))")).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("a[href^=javascript]").count() == 0


@pytest.mark.parametrize("path", ["/", "/devices"])
def test_no_page_needs_the_network_or_is_wider_than_a_phone(browser, server, path):
    context = browser.new_context(**PHONE)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.url + path)
    ready(page)
    assert fits_its_width(page)
    assert [
        url for url in asked if not url.startswith((server.url, server.url.replace("http", "ws"), "data:", "blob:"))
    ] == []
    context.close()


def test_gpus_are_chosen_in_the_sidebar(visit, server_with_gpus):
    page = ready(visit(server_with_gpus))
    expect(page.get_by_role("heading", name=re.compile("TensorFlow sees 2 GPUs"))).to_be_visible()
    page.get_by_role("radio", name="Choose").click()
    expect(page.get_by_text("No GPU is chosen yet.")).to_be_visible()
    page.get_by_role("button", name="GPU 1 · Simulated GPU").click()
    expect(page.get_by_role("heading", name=re.compile("leave 1 GPU in force"))).to_be_visible()
    expect(page).to_have_url(re.compile("gpus=1"))
    page.get_by_role("radio", name="All", exact=True).click()
    expect(page.get_by_text("Visible GPUs: all")).to_be_visible()
    assert "gpus" not in page.url
