from __future__ import annotations

import pytest

from tests.pages.conftest import address, sees, table, until


def opened(app):
    until(app.run(), "Ready")
    app.switch_page("pages/devices.py").run()
    return until(app, "Logical devices")


def test_devices_lists_what_there_is_and_what_the_settings_make_of_it(app):
    address(app, {"cpu_devices": "3"})
    opened(app)
    assert list(table(app, "Physical devices")["Device"]) == ["CPU:0"]
    assert list(table(app, "Logical devices")["Device"]) == ["CPU:0", "CPU:1", "CPU:2"]


def test_the_code_and_the_differences_follow_the_settings(app):
    address(app, {"cpu_devices": "3", "placement": "strict"})
    opened(app)
    assert "set_soft_device_placement(False)" in app.code[0].value
    rows = table(app, "Settings beside TensorFlow’s defaults").set_index("Setting")["Changed"]
    assert rows.to_dict() == {
        "Visible GPUs": "no",
        "GPU memory": "yes",
        "Soft placement": "yes",
        "Logical CPU devices": "yes",
    }


def test_what_is_not_available_says_why(app):
    machine = table(opened(app), "This machine and its software").set_index("What")["Value"]
    assert machine["TensorFlow"].startswith("2.21")
    assert machine["NVIDIA driver"].startswith("not available: ") or machine["NVIDIA driver"][0].isdigit()


def test_looking_again_asks_tensorflow_anew(app):
    opened(app)
    app.button(key="look_again").click().run()
    assert not app.exception
    until(app, "Logical devices")


@pytest.mark.simgpu
def test_a_chosen_gpu_is_shown_with_its_limit_and_the_hidden_one_as_hidden(app_with_gpus):
    address(app_with_gpus, {"gpus": "1", "memory": "limit:1024"})
    until(app_with_gpus.run(), "Your settings leave 1 GPU in force")
    app = opened(app_with_gpus)
    physical = table(app, "Physical devices").set_index("Device")
    assert physical.loc["GPU:0", "Visible"] == "no, your settings hide it"
    logical = table(app, "Logical devices").set_index("Device")
    assert tuple(logical.loc["GPU:0", ["Made of", "Memory limit"]]) == ("GPU:1", "1,024 MB")
    assert sees(app, "simulated")
