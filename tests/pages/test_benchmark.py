from __future__ import annotations

import json

import pytest

from tests.pages.conftest import sees, table, texts, until, until_table
from tests.test_benchmark import CPU, GPU, a_point, a_result
from tfcore import results

SAVED = a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 3.0), a_point(CPU, 400, 2.0), a_point(GPU, 400, 1.0))


@pytest.fixture
def page(app):
    app.run().switch_page("pages/benchmark.py").run()
    return until(app, "Ready")


def chosen(page, workload="matmul", sizes=(64,), budget=0.2):
    page.selectbox(key="bench_workload").set_value(workload).run()
    page.multiselect(key=f"bench_sizes_{workload}").set_value(list(sizes)).run()
    page.number_input(key="bench_budget").set_value(budget).run()
    return page


def measured(page):
    page.button(key="bench_run").click().run()
    return until(page, "Keep it")


def charts(app) -> dict[str, str]:
    """The charts on the page: their text alternatives by kind of trace of the first line's name."""
    return [chart.proto.alt for chart in app.get("plotly_chart")]


def test_what_a_run_will_take_is_told_before_it(page):
    until(chosen(page, sizes=(64, 128)), "Measure")
    until_table(page, "Estimate")
    estimate = table(page, "Estimate")
    assert list(estimate["Size"]) == ["64", "128", "64", "128"]
    assert set(estimate["Will be measured"]) == {"yes"}


def test_a_run_ends_in_a_sentence_charts_with_alternatives_a_table_and_files(page):
    measured(chosen(page, sizes=(64, 128)))
    assert len(charts(page)) >= 4
    assert all("CPU:0" in alt or "Copy in" in alt for alt in charts(page)), charts(page)
    numbers = table(page, "Benchmark result")
    assert list(numbers["Size"]) == ["64", "128", "64", "128"]
    assert set(table(page, "Operations and the devices they ran on")["Ran on"]) == {"CPU:0"}
    assert {button.key for button in page.get("download_button")} >= {"measured_json", "measured_csv", "measured_html"}


def test_no_gpu_in_force_is_the_reason_for_one_core_against_all(page):
    assert page.multiselect(key="bench_contenders_matmul_cpu").value == ["CPU:0, 1 thread", "CPU:0"]
    assert sees(page, "No GPU is in force")


def test_nothing_chosen_is_told_and_the_button_waits(page):
    page.multiselect(key="bench_sizes_matmul").set_value([]).run()
    assert page.button(key="bench_run").disabled
    assert sees(page, "Choose at least one size.")
    page.multiselect(key="bench_sizes_matmul").set_value([64]).run()
    page.multiselect(key="bench_contenders_matmul_cpu").set_value([]).run()
    assert sees(page, "Choose at least one contender.")


def test_a_budget_that_cannot_be_is_refused(page):
    page.number_input(key="bench_budget").set_value(-1.0).run()
    assert sees(page, "-1 s cannot be a budget.")
    assert page.button(key="bench_run").disabled


def test_a_cancelled_run_keeps_what_is_measured_and_marks_it_partial(page):
    chosen(page, sizes=(64, 128, 256), budget=60.0)
    page.button(key="bench_run").click().run()
    until_table(page, "Benchmark result")
    page.button(key="bench_cancel").click().run()
    until(page, "Partial: it was ended before its time")
    assert len(table(page, "Benchmark result")) >= 1
    assert not page.button(key="bench_run").disabled


def test_a_saved_result_opens_with_its_origin_and_its_crossover(page):
    page.file_uploader(key="bench_open").upload("saved.json", results.to_json(SAVED), "application/json").run()
    until(page, "Measured 2026-01-01 00:00 UTC")
    assert sees(page, "At 400, GPU:0 is 2 times as fast as CPU:0.")
    assert sees(page, "GPU:0 wins from about 230 on.")


def test_a_file_that_is_no_result_is_refused_with_the_reason(page):
    page.file_uploader(key="bench_open").upload("other.json", b'{"kind": "a cake"}', "application/json").run()
    assert sees(page, "This file cannot be opened.")
    assert sees(page, "It is not a result of this dashboard's benchmark.")


@pytest.mark.simgpu
def test_a_simulated_gpu_yields_neither_time_nor_speedup(app_with_gpus):
    app = app_with_gpus
    app.run().switch_page("pages/benchmark.py").run()
    until(app, "Ready")
    measured(chosen(app, "matmul"))
    assert sees(app, "A simulated GPU computes nothing, so no time and no speedup is stated.")
    numbers = table(app, "Benchmark result").set_index("Contender")
    assert numbers.loc["GPU:0", "Median"] == "not stated"
    assert not [text for text in texts(app) if "times as fast" in text and "GPU:0" in text]
    for chart in app.get("plotly_chart"):
        names = [trace.get("name") for trace in json.loads(chart.proto.spec)["data"] if trace.get("x")]
        assert "GPU:0" not in names
