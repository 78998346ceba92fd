from __future__ import annotations

import pytest

from tests.pages.conftest import address, address_of, sees, until
from tfcore.settings import Settings


def in_force(app) -> Settings:
    return app.session_state["lab_session"][0].session.settings


def test_the_state_goes_from_starting_to_ready(app):
    app.run()
    until(app, "Ready")


def test_a_change_takes_effect_at_once_and_stands_in_the_address(app):
    until(app.run(), "Ready")
    app.number_input(key="cpu_devices").set_value(4)
    app.toggle(key="soft_placement").set_value(False).run()
    until(app, "Logical CPU devices: 4")
    assert in_force(app) == Settings(cpu_devices=4, soft_placement=False)
    assert address_of(app) == {"cpu_devices": "4", "placement": "strict"}


def test_a_link_reproduces_the_settings(app):
    address(app, {"cpu_devices": "3", "memory": "all", "placement": "strict"})
    until(app.run(), "Logical CPU devices: 3")
    assert in_force(app) == Settings(memory="all", cpu_devices=3, soft_placement=False)
    assert app.number_input(key="cpu_devices").value == 3


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"gpus": "9"}, "GPU 9 is not there"),
        ({"memory": "limit:-5"}, "-5 MB cannot be a memory limit"),
        ({"memory": "limit:x"}, "“limit:x” is not a memory mode"),
        ({"colour": "<b>red"}, "“colour” is not a setting"),
        ({"cpu_devices": "99"}, "99 logical CPU devices cannot be made"),
    ],
)
def test_what_the_address_asks_in_vain_is_named_and_the_default_used(app, query, said):
    address(app, query)
    until(app.run(), "Ready")
    until(app, said)
    assert in_force(app) == Settings()
    assert address_of(app) == {}


def test_the_address_is_forgotten_once_a_setting_is_changed(app):
    address(app, {"memory": "limit:x"})
    until(app.run(), "is not a memory mode")
    app.number_input(key="cpu_devices").set_value(2).run()
    assert not sees(app, "is not a memory mode")


@pytest.mark.parametrize("absurd", [-3, 0, 17, 10**9])
def test_an_absurd_number_of_cpus_is_refused_beside_the_field_with_the_bound(app, absurd):
    until(app.run(), "Ready")
    app.number_input(key="cpu_devices").set_value(absurd).run()
    assert sees(app, f"{absurd} logical CPU devices cannot be made. Use 1 to 16.")
    assert in_force(app) == Settings()


def test_back_to_defaults_undoes_every_choice(app):
    address(app, {"cpu_devices": "3", "placement": "strict"})
    until(app.run(), "Ready")
    app.button(key="reset_settings").click().run()
    until(app, "Ready")
    assert in_force(app) == Settings()
    assert app.number_input(key="cpu_devices").value == 1


def test_settings_stay_when_the_page_changes(app):
    address(app, {"cpu_devices": "2"})
    until(app.run(), "Ready")
    app.switch_page("pages/devices.py").run()
    assert in_force(app) == Settings(cpu_devices=2)
    assert address_of(app) == {"cpu_devices": "2"}


def test_a_machine_that_could_not_be_looked_at_is_reported_and_looked_at_again(app, shared_backend, monkeypatch):
    from tfcore.errors import WorkerDied
    from tfcore.runtime.job import Snapshot, State
    from tfcore.session import Session

    app.run()
    with monkeypatch.context() as patch:
        patch.setattr(Session, "machine", lambda self: Snapshot(State.FAILED, error=WorkerDied(-9)))
        app.run()
        assert sees(app, "Failed")
        assert sees(app, "ended by signal 9")
    app.button(key="try_again").click().run()
    until(app, "Ready")


def test_a_setting_that_stands_twice_in_the_address_is_named(app):
    app.query_params["cpu_devices"] = ["2", "3"]
    until(app.run(), "stands there more than once")
    assert in_force(app) == Settings(cpu_devices=3)


@pytest.mark.simgpu
def test_gpus_are_chosen_by_name_and_hidden_from_tensorflow(app_with_gpus):
    app = app_with_gpus
    until(app.run(), "TensorFlow sees 2 GPUs")
    app.segmented_control(key="gpus").set_value("choose").run()
    assert sees(app, "No GPU is chosen yet")
    app.pills(key="gpu_indices").set_value([1]).run()
    until(app, "Your settings leave 1 GPU in force")
    assert address_of(app) == {"gpus": "1"}


@pytest.mark.simgpu
def test_a_limit_above_the_gpu_is_refused_beside_the_field_and_one_below_applies(app_with_gpus):
    app = app_with_gpus
    until(app.run(), "Ready")
    app.selectbox(key="memory").set_value("limit").run()
    app.number_input(key="memory_limit_mb").set_value(9000).run()
    assert sees(app, "above the device's memory: at most 8192 MB")
    assert in_force(app) != Settings(memory="limit", memory_limit_mb=9000)
    app.number_input(key="memory_limit_mb").set_value(512).run()
    until(app, "Ready")
    assert in_force(app) == Settings(memory="limit", memory_limit_mb=512)


@pytest.mark.simgpu
def test_a_link_to_a_gpu_that_is_there_waits_for_tensorflow_and_applies(app_with_gpus):
    app = app_with_gpus
    address(app, {"gpus": "1", "memory": "limit:1024"})
    until(app.run(), "Your settings leave 1 GPU in force")
    assert in_force(app) == Settings((1,), "limit", 1024)
