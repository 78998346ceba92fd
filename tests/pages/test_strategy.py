from __future__ import annotations

import pytest

from tests.pages.conftest import sees, table, until, until_table


@pytest.fixture
def page(app):
    app.run().switch_page("pages/strategy.py").run()
    until(app, "Ready")
    app.number_input(key="train_epochs_article").set_value(3).run()
    return app


def test_1_and_2_replicas_are_trained_and_compared(page):
    page.button(key="train_run").click().run()
    until(page, "All copies of every variable stayed equal, and every run began with the same loss.")
    assert list(table(page, "Speed of each number of replicas")["Replicas"]) == ["1", "2"]
    assert set(table(page, "Copies of each variable")["Largest difference"]) == {"0"}
    assert sees(page, "no speedup is to be expected")
    assert "Loss of each step" in page.get("plotly_chart")[0].proto.alt


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("train_batch_article", 65, "does not divide by 2 replicas, and one would starve. Use 66."),
        ("train_epochs_article", 0, "0 epochs cannot be trained"),
    ],
)
def test_what_cannot_be_trained_is_refused_with_what_would_do(page, key, value, said):
    page.number_input(key=key).set_value(value).run()
    assert sees(page, said.split(". ")[0])
    assert page.button(key="train_run").disabled


def test_the_batch_may_be_what_each_replica_gets(page):
    page.selectbox(key="train_batch_of").set_value("each").run()
    page.number_input(key="train_epochs_article").set_value(1).run()
    page.button(key="train_run").click().run()
    until(page, "the batch grows with the replicas")
    assert list(table(page, "What each replica got")["Examples of each batch"]) == [64, 64, 64]


def test_the_log_of_a_run_is_opened_on_placement(page):
    page.number_input(key="train_epochs_article").set_value(1).run()
    page.button(key="train_run").click().run()
    until(page, "Where the operations ran")
    page.button(key="train_log_2").click().run()
    page.switch_page("pages/placement.py").run()  # a browser follows by itself
    until(page, "Opened: The log of the article’s model trained on 2 replicas")
    found = until_table(page, "Operations and their devices")
    assert {"CPU:0", "CPU:1"} <= set(found["Device"])
    page.button(key="place_put_away").click().run()
    assert not sees(page, "Opened:")


def test_nccl_without_gpus_is_refused_with_the_reason(page):
    page.selectbox(key="train_reduction").set_value("nccl").run()
    assert sees(page, "NCCL moves data between GPUs")


def test_no_number_of_replicas_is_told(page):
    page.pills(key="train_replicas_cpu").set_value([]).run()
    assert sees(page, "Choose at least one number of replicas.")


@pytest.mark.simgpu
def test_simulated_gpus_show_where_variables_are_and_no_number(app_with_gpus):
    app = app_with_gpus
    app.run().switch_page("pages/strategy.py").run()
    until(app, "Ready")
    app.number_input(key="train_epochs_article").set_value(1).run()
    app.button(key="train_run").click().run()
    until(app, "What each replica got of a batch")
    assert sees(app, "neither losses nor speeds are shown")
    assert app.get("plotly_chart") == []
    copies = table(app, "Copies of each variable")
    assert set(copies["Copies on"]) == {"GPU:0", "GPU:0, GPU:1"}
    assert set(copies["Largest difference"]) == {"not stated"}
