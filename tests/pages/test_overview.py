from __future__ import annotations

import json

import pytest

from tests.pages.conftest import address, sees, table, texts, until, until_table


def try_it(app):
    until(app.run(), "Ready")
    app.button(key="try_it").click().run()
    return app


def test_the_first_page_says_whether_tensorflow_sees_a_gpu_and_what_works_without(app):
    until(app.run(), "TensorFlow sees no GPU on this machine.")
    assert sees(app, "Everything here still works on the CPU")


def test_the_page_is_drawn_before_tensorflow_has_answered(app, monkeypatch):
    from tfcore.runtime.job import Snapshot, State
    from tfcore.session import Session

    monkeypatch.setattr(Session, "runtime", lambda self: Snapshot(State.QUEUED))
    app.run()
    assert sees(app, "Asking TensorFlow what it sees")
    assert app.button(key="try_it").disabled


def test_try_it_runs_to_a_result_with_a_sentence_times_a_chart_and_the_placement(app):
    until(try_it(app), "There is nothing to compare it with")
    assert not app.exception
    labels = [metric.label for metric in app.metric]
    assert labels == ["First call, as in the article", "After warm-up, synchronised"]
    chart = app.get("plotly_chart")[0]
    assert [bar["name"] for bar in json.loads(chart.proto.spec)["data"]] == ["First call", "After warm-up"]
    assert "CPU:0: first call" in chart.proto.alt
    placement = table(app, "Operations and the devices they ran on")
    assert [op.removeprefix("_Mkl") for op in placement["Operation"]][-2:] == ["MatMul", "Sum"]
    assert set(placement["Ran on"]) == {"CPU:0"}


def test_a_result_says_so_when_settings_have_changed_since(app):
    until(try_it(app), "There is nothing to compare it with")
    app.toggle(key="soft_placement").set_value(False).run()
    assert sees(app, "Measured with other settings")


def test_a_setting_changed_in_the_moment_of_the_click_counts(app):
    until(app.run(), "Ready")
    app.number_input(key="cpu_devices").set_value(2)
    app.button(key="try_it").click().run()
    until(app, "share the same processor")
    assert set(table(app, "Operations and the devices they ran on")["Asked for"]) == {"CPU:0", "CPU:1"}
    assert not sees(app, "Measured with other settings")


def test_a_cancelled_estimate_can_be_made_again(app):
    until(app.run(), "Ready")
    app.segmented_control(key="try_size").set_value("article").run()
    app.button(key="estimate_cancel").click().run()
    until(app, "Cancelled")
    app.button(key="estimate_again").click().run()
    until_table(app, "Estimate")


def test_a_running_job_can_be_cancelled(app):
    try_it(app)
    app.button(key="try_it_cancel").click().run()
    until(app, "Cancelled. Nothing is left running.")
    assert not app.button(key="try_it").disabled


def test_the_large_size_comes_with_an_estimate_first(app):
    until(app.run(), "Ready")
    app.segmented_control(key="try_size").set_value("article").run()
    assert app.button(key="try_it").disabled
    (row,) = until_table(app, "Estimate").to_dict("records")
    assert row["Size"] == "10,000"
    assert row["Memory it needs"] == "1.6 GB"
    assert row["One call, about"].endswith((" s", " min"))
    app.run()
    assert not app.button(key="try_it").disabled


def test_an_estimate_is_made_anew_when_the_settings_change(app):
    until(app.run(), "Ready")
    app.segmented_control(key="try_size").set_value("article").run()
    until_table(app, "Estimate")
    app.number_input(key="cpu_devices").set_value(2).run()
    assert not any(found.alt == "Estimate" for found in app.dataframe)
    assert list(until_table(app, "Estimate")["Contender"]) == ["CPU:0", "CPU:1"]


@pytest.mark.simgpu
def test_a_simulated_gpu_shows_where_operations_ran_and_no_time(app_with_gpus):
    until(try_it(app_with_gpus), "A simulated GPU computes nothing")
    cards = [text for text in texts(app_with_gpus) if "no time is stated" in text]
    assert len(cards) == 2 + 0, cards
    assert len(app_with_gpus.metric) == 2, "only the CPU has times"
    chart = json.loads(app_with_gpus.get("plotly_chart")[0].proto.spec)
    assert [bar["y"] for bar in chart["data"]] == [["CPU:0"], ["CPU:0"]]
    placement = table(app_with_gpus, "Operations and the devices they ran on")
    ran = placement[placement["Asked for"] == "GPU:1"]
    assert set(ran["Ran on"]) == {"GPU:1"}
    assert len(ran) == 7


@pytest.mark.simgpu
def test_a_size_that_does_not_fit_the_limit_is_not_offered(app_with_gpus):
    app = app_with_gpus
    address(app, {"memory": "limit:1024"})
    until(app.run(), "Ready")
    app.segmented_control(key="try_size").set_value("article").run()
    until(app, "It does not fit: it needs 1.6 GB, and GPU:0 has 1.1 GB")
    assert app.button(key="try_it").disabled
