from __future__ import annotations

import pytest

from tests.test_devices import inventory
from tfcore import contenders
from tfcore.contenders import Contender
from tfcore.errors import SettingsError
from tfcore.workloads import WORKLOADS

CPU, GPU = Contender("CPU:0"), Contender("GPU:0")


@pytest.mark.parametrize(
    ("text", "contender"),
    [
        ("cpu", Contender("CPU:0")),
        ("CPU:1", Contender("CPU:1")),
        ("cpu:threads=1", Contender("CPU:0", threads=1)),
        ("gpu:0:float16", Contender("GPU:0", "float16")),
        ("gpu:1:xla:tf32=off", Contender("GPU:1", xla=True, tf32=False)),
        ("gpu:bfloat16", Contender("GPU:0", "bfloat16")),
    ],
)
def test_contenders_are_written_briefly(text, contender):
    assert contenders.parse_contender(text) == contender


@pytest.mark.parametrize("text", ["", "tpu", "cpu:threads=x", "gpu:0:int8", "cpu:threads=-1", "gpu:999", "cpu:0:0"])
def test_what_is_no_contender_is_refused_with_examples(text):
    with pytest.raises(SettingsError, match="cpu:threads=1"):
        contenders.parse_contender(text)


def test_without_a_gpu_one_core_is_set_against_all():
    assert contenders.default_contenders(inventory(0, 0).logical, 4) == (Contender(threads=1), Contender())
    assert contenders.default_contenders(inventory(0, 0).logical, 1) == (Contender(),)
    assert contenders.default_contenders(inventory(1, 1).logical, 4) == (CPU, GPU)


def test_what_can_be_chosen_fits_workload_and_devices():
    found = contenders.possible_contenders(WORKLOADS["article"], inventory(1, 1).logical, 8)
    assert {each.dtype for each in found} == {"float32"}
    assert Contender("GPU:0", tf32=False) in found
    assert Contender(threads=4) in found
    assert len(found) == len(set(found))


def test_a_copy_holds_nothing_to_compile():
    copy = WORKLOADS["device_to_host"]
    assert not any(each.xla for each in contenders.possible_contenders(copy, inventory(1, 1).logical, 8))
    with pytest.raises(SettingsError, match="nothing that XLA could compile"):
        contenders.check_contender(copy, Contender(xla=True))
