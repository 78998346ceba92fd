from __future__ import annotations

import subprocess
import sys

import pytest

from tfcore.settings import Settings
from tfcore.settings_code import as_code, differences

CHOICES = [
    Settings(),
    Settings("none"),
    Settings("all", "all"),
    Settings("all", "limit", 512),
    Settings((1,), "growth"),
    Settings((0, 1), "limit", 256, soft_placement=False, cpu_devices=3),
]


@pytest.mark.parametrize("settings", CHOICES)
def test_the_code_is_python_and_prefers_stable_names(settings):
    code = as_code(settings)
    compile(code, "settings", "exec")
    experimental = [line for line in code.splitlines() if "experimental" in line]
    assert all("set_memory_growth" in line for line in experimental)


@pytest.mark.simgpu
def test_the_code_gives_the_same_devices_as_the_settings(simulated_gpus):
    backend = simulated_gpus(2)
    for settings in (CHOICES[0], CHOICES[4], CHOICES[5]):
        ours = [device.name for device in backend.runtime(settings).result().logical]
        script = as_code(settings) + 'print("FOUND", *[d.name for d in tf.config.list_logical_devices()])\n'
        printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        assert printed.splitlines()[-1].split()[1:] == ours


def test_differences_mark_what_tensorflow_would_do_otherwise():
    changed = {row.setting for row in differences(Settings("none", "all", soft_placement=False)) if row.changed}
    assert changed == {"Visible GPUs", "Soft placement"}
    assert not any(row.changed for row in differences(Settings(memory="all")))
