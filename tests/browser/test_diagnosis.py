"""Diagnosis as a visitor meets it: the sentence on Overview, this machine, a pasted log, and the report."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.test_browser import PHONE, fits_its_width, ready

pytestmark = pytest.mark.browser

LOG = (
    "ann@lab-7:~$ python train.py\n2019-06-19 11:45:15.627840: I tensorflow/stream_executor/platform/default/dso_loader.cc:53] "
    "Could not dlopen library 'libcudart.so.10.0'; dlerror: libcudart.so.10.0: cannot open shared object file; "
    "LD_LIBRARY_PATH: /home/ann/cuda-10.1/lib64\n"
)


def test_overview_leads_to_the_reason(visit, server):
    page = ready(visit(server))
    expect(page.get_by_text("nothing for it to drive").first).to_be_visible()
    page.get_by_role("link", name="Why, and how to mend it").first.click()
    expect(page.get_by_role("heading", name="No NVIDIA driver is installed")).to_be_visible()
    expect(page.get_by_text("Why we think so").first).to_be_visible()


def test_a_pasted_log_is_diagnosed_and_its_report_names_nobody(visit, server):
    page = ready(visit(server, "/diagnosis"))
    page.get_by_role("tab", name="A log from anywhere").click()
    field = page.get_by_role("textbox", name="Or paste it")
    field.fill(LOG)
    field.press("Control+Enter")
    expect(page.get_by_role("heading", name="TensorFlow needs libcudart.so.10.0")).to_be_visible()
    page.get_by_text("A report to share").last.click()
    shown = page.get_by_text("/home/<user>/cuda-10.1/lib64").last
    expect(shown).to_be_visible()


def test_live_readings_are_drawn_for_simulated_gpus(visit, server_with_gpus):
    page = ready(visit(server_with_gpus, "/devices"))
    expect(page.get_by_text("What each GPU is called")).to_be_visible()
    expect(page.get_by_text("48 °C").first).to_be_visible()


@pytest.mark.parametrize("path", ["/diagnosis", "/devices"])
def test_diagnosis_and_devices_are_no_wider_than_a_phone(visit, server, path):
    assert fits_its_width(ready(visit(server, path, **PHONE)))
