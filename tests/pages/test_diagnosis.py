from __future__ import annotations

import pytest

from tests.pages.conftest import sees, table, until, until_table
from tests.test_placement import HOSTILE

LOG = "2019-11-01 15:08:57.658577: E tensorflow/stream_executor/cuda_driver.cc:318] failed call to cuInit: UNKNOWN ERROR (303)\n"


@pytest.fixture
def page(app):
    app.run().switch_page("pages/diagnosis.py").run()
    return until(app, "Ready")


def test_this_machine_is_diagnosed_with_its_evidence_and_a_report(page):
    until_table(page, "All evidence")
    assert page.header[0].value
    assert any(code.value.startswith("# ") for code in page.code)


def test_a_pasted_log_is_diagnosed(page):
    page.text_area(key="diagnose_text").set_value(LOG).run()
    until(page, "No NVIDIA driver is visible to TensorFlow")
    assert sees(page, "Likely") or sees(page, "Certain")
    assert "a log does not show it" in set(table(page, "What is not known")["Why"])


def test_an_uploaded_log_is_diagnosed(page):
    page.file_uploader(key="diagnose_file").upload("a.log", LOG.encode(), "text/plain").run()
    until(page, "No NVIDIA driver is visible to TensorFlow")


@pytest.mark.parametrize("text", ["hello", HOSTILE, "\x01\x02"])
def test_what_is_no_log_about_gpus_says_so_and_does_no_harm(page, text):
    page.text_area(key="diagnose_text").set_value(text).run()
    until(page, "What is not known")
    assert not page.exception
    assert not [found for found in page.markdown if "<script" in found.value and found.allow_html]


def test_overview_says_why_there_is_no_gpu(app):
    app.run()
    until(app, "Ready")
    if not sees(app, "TensorFlow sees no GPU"):
        pytest.skip("this machine has a GPU")
    until(app, "TensorFlow computes on the CPU")


def test_devices_shows_how_busy_the_machine_is(app):
    app.run().switch_page("pages/devices.py").run()
    until(app, "Ready")
    until(app, "Your settings as code")
    assert any(metric.label == "Processor" for metric in app.metric)


def test_a_log_is_still_there_after_another_page_was_looked_at(page):
    page.text_area(key="diagnose_text").set_value(LOG).run()
    until(page, "No NVIDIA driver is visible to TensorFlow")
    page.switch_page("pages/devices.py").run()
    page.switch_page("pages/diagnosis.py").run()
    until(page, "Opened: The pasted log")
    assert sees(page, "No NVIDIA driver is visible to TensorFlow")
    page.button(key="diagnose_put_away").click().run()
    assert not sees(page, "Opened:")
