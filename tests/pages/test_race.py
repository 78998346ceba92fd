from __future__ import annotations

import pytest

from tests.pages.conftest import sees, until
from tests.test_benchmark import CPU, GPU, a_point, a_result
from tfcore import results


def at_the_race(app):
    app.run().switch_page("pages/race.py").run()
    return until(app, "Ready")


def lanes(app) -> list[str]:
    return [found.value for found in app.get("html") if "class='race'" in found.value]


def test_a_race_is_measured_and_then_shown_with_a_sentence_and_what_would_differ(app):
    at_the_race(app)
    app.selectbox(key="race_job").set_value("Multiply two tiny tables").run()
    app.button(key="race_start").click().run()
    until(app, "The job:")
    assert sees(app, "finished 1, ") or sees(app, "A draw")
    assert len(lanes(app)) == 1
    assert "One core of the CPU" in lanes(app)[0]
    assert sees(app, "With large tables it may be the other way round")


def test_it_can_be_watched_again(app):
    at_the_race(app)
    app.selectbox(key="race_job").set_value("Multiply two tiny tables").run()
    app.button(key="race_start").click().run()
    until(app, "The job:")
    (before,) = lanes(app)
    app.button(key="race_again").click().run()
    (after,) = lanes(app)
    assert before != after, "another name of the animation starts it anew"


def test_a_saved_result_is_replayed_and_labelled_as_a_replay(app):
    at_the_race(app)
    saved = results.to_json(a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 0.02)))
    app.file_uploader(key="race_open").upload("saved.json", saved, "application/json").run()
    until(app, "A replay, not a live race: measured 2026-01-01 00:00 UTC")
    assert sees(app, "In the time the CPU finished 1, the GPU finished 50.")


@pytest.mark.simgpu
def test_simulated_gpus_do_not_race(app_with_gpus):
    at_the_race(app_with_gpus)
    app_with_gpus.selectbox(key="race_job").set_value("Multiply two tiny tables").run()
    app_with_gpus.button(key="race_start").click().run()
    until(app_with_gpus, "A simulated GPU computes nothing")
    assert lanes(app_with_gpus) == []
