from __future__ import annotations

import gzip

import pytest

from tests.pages.conftest import sees, table, until, until_table
from tests.test_placement import HOSTILE
from tests.test_placement_log import CPU, GPU

LOG = f"a: (MatMul): {GPU}\nb: (StringJoin): {CPU}\nc: (Mul): {GPU}\n"


@pytest.fixture
def page(app):
    app.run().switch_page("pages/placement.py").run()
    return until(app, "Ready")


def test_a_run_is_captured_and_shown_with_counts_and_a_table(page):
    page.button(key="place_run").click().run()
    found = until_table(page, "Operations and their devices")
    assert set(found["Device"]) == {"CPU:0"}
    assert sees(page, "7 of 7 calls ran on CPU:0.")


def test_soft_against_strict_says_what_tensorflow_refused(page):
    page.selectbox(key="place_device").set_value("/GPU:0")
    page.segmented_control(key="place_versus").set_value("soft-strict")
    page.button(key="place_run").click().run()
    until(page, "With strict placement TensorFlow refused to run it, so nothing can be compared.")
    assert sees(page, "Could not satisfy device specification")
    assert sees(page, "7 fell back softly")


def test_a_device_of_any_name_may_be_asked_for_and_a_name_that_cannot_be_is_refused(page):
    page.selectbox(key="place_device").set_value("Another device").run()
    page.text_input(key="place_other").set_value("/GPU :0").run()
    assert page.button(key="place_run").disabled
    assert sees(page, "That is not a device.")


def test_a_pasted_log_is_explained_and_can_be_searched(page):
    page.text_area(key="place_text").set_value(LOG).run()
    found = until_table(page, "Operations and their devices")
    assert (
        dict(zip(found["Operation"], found["Why on the CPU"], strict=True))["StringJoin"]
        == "no GPU kernel exists for it"
    )
    page.text_input(key="place_log_search").set_value("string").run()
    assert list(table(page, "Operations and their devices")["Operation"]) == ["StringJoin"]


def test_an_uploaded_log_is_read(page):
    page.file_uploader(key="place_file").upload("a.log", LOG.encode(), "text/plain").run()
    until(page, "2 of 3 operations are placed on GPU:0")


def test_two_logs_are_compared(page):
    page.file_uploader(key="place_file").upload("a.log", LOG.encode(), "text/plain").run()
    until(page, "2 of 3 operations are placed on GPU:0")
    moved = LOG.replace(f"c: (Mul): {GPU}", f"c: (Mul): {CPU}") + f"d: (Add): {CPU}\n"
    page.text_area(key="place_other_log_text").set_value(moved).run()
    until(page, "a.log against The pasted log")
    found = until_table(page, "What moved")
    assert found.to_dict("records") == [{"Node": "c", "Operation": "Mul", "Before": "GPU:0", "After": "CPU:0"}]
    assert list(table(page, "Only in after")["Node"]) == ["d"]


def test_the_log_of_an_upload_can_be_searched_as_it_came(page):
    page.file_uploader(key="place_file").upload("a.log.gz", gzip.compress(LOG.encode()), "application/gzip").run()
    until(page, "2 of 3 operations are placed on GPU:0")
    page.session_state["place_log_log_open"] = True
    page.run()
    page.text_input(key="place_log_log_search").set_value("stringjoin").run()
    assert sees(page, "1 line")
    assert any(code.value == f"b: (StringJoin): {CPU}" for code in page.code)


def test_a_log_that_holds_nothing_says_so(page):
    page.text_area(key="place_text").set_value("hello").run()
    until(page, "No operation is placed or executed in this log.")


def test_what_a_log_holds_is_shown_as_text(page):
    page.text_area(key="place_text").set_value(HOSTILE).run()
    until_table(page, "Operations and their devices")
    assert not [found for found in page.markdown if "<script" in found.value and found.allow_html]
