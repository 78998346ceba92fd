from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcore.errors import SettingsError
from tfcore.settings import (
    MAX_CPU_DEVICES,
    MAX_GPU_INDEX,
    MAX_LIMIT_MB,
    Settings,
    check_gpus_exist,
    check_limit_fits,
    parse_query,
)

gpu_choices = st.one_of(
    st.sampled_from(["all", "none"]),
    st.sets(st.integers(0, MAX_GPU_INDEX), min_size=1, max_size=8).map(lambda found: tuple(sorted(found))),
)
memory_choices = st.one_of(
    st.sampled_from([("growth", None), ("all", None)]),
    st.integers(1, MAX_LIMIT_MB).map(lambda limit: ("limit", limit)),
)


@given(gpu_choices, memory_choices, st.booleans(), st.integers(1, MAX_CPU_DEVICES))
def test_settings_survive_the_way_through_an_address(gpus, memory, soft, cpus):
    settings = Settings(gpus, *memory, soft, cpus)
    assert parse_query(settings.to_query()) == (settings, ())


def test_defaults_leave_the_address_empty():
    assert Settings().to_query() == {}


def test_the_address_reads_as_people_write_it():
    settings = Settings((0, 2), "limit", 1024, soft_placement=False, cpu_devices=4)
    assert settings.to_query() == {
        "gpus": "0,2",
        "memory": "limit:1024",
        "placement": "strict",
        "cpu_devices": "4",
    }


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("gpus", ""),
        ("gpus", "1,"),
        ("gpus", "-1"),
        ("gpus", "99"),
        ("gpus", "١"),
        ("gpus", "some"),
        ("memory", "limit:-5"),
        ("memory", "limit:x"),
        ("memory", "limit:0"),
        ("memory", "limit:"),
        ("memory", "limit:99999999"),
        ("memory", "half"),
        ("placement", "loose"),
        ("cpu_devices", "0"),
        ("cpu_devices", "-3"),
        ("cpu_devices", "1e9"),
        ("cpu_devices", str(MAX_CPU_DEVICES + 1)),
    ],
)
def test_what_an_address_asks_in_vain_is_named_and_left_at_its_default(key, text):
    settings, problems = parse_query({key: text})
    assert settings == Settings()
    assert [problem.field for problem in problems] == [key]


def test_one_bad_key_leaves_the_others_in_force():
    settings, problems = parse_query({"gpus": "1", "memory": "limit:x", "colour": "red", "cpu_devices": "2"})
    assert settings == Settings((1,), cpu_devices=2)
    assert [problem.field for problem in problems] == ["memory", "colour"]


def test_an_unknown_key_of_any_length_is_named_briefly():
    _, (problem,) = parse_query({"x" * 5000: "y"})
    assert len(str(problem)) < 200


@given(st.dictionaries(st.text(), st.text()))
def test_any_address_at_all_gives_settings(query):
    settings, _ = parse_query(query)
    assert isinstance(settings, Settings)


@pytest.mark.parametrize("gpus", [(), (1, 0), (0, 0), (-1,), (MAX_GPU_INDEX + 1,)])
def test_a_choice_of_gpus_that_cannot_be_meant_is_refused(gpus):
    with pytest.raises(SettingsError) as caught:
        Settings(gpus)
    assert caught.value.field == "gpus"


def test_a_limit_goes_with_its_mode_and_only_with_it():
    with pytest.raises(SettingsError):
        Settings(memory="limit")
    with pytest.raises(SettingsError):
        Settings(memory="growth", memory_limit_mb=100)


def test_a_gpu_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(SettingsError, match=r"GPU 9 is not there: TensorFlow sees GPUs 0 to 1\."):
        check_gpus_exist(Settings((0, 9)), [8192, 8192])
    with pytest.raises(SettingsError, match="sees no GPU"):
        check_gpus_exist(Settings((0,)), [])
    check_gpus_exist(Settings((0, 1)), [8192, None])


def test_a_limit_above_the_smallest_visible_gpu_is_refused_with_the_bound():
    with pytest.raises(SettingsError, match="at most 4096 MB"):
        check_limit_fits(Settings(memory="limit", memory_limit_mb=5000), [8192, 4096])
    check_limit_fits(Settings((0,), "limit", 5000), [8192, 4096])
    check_limit_fits(Settings(memory="limit", memory_limit_mb=5000), [None, 8192])
    check_limit_fits(Settings("none", "limit", 5000), [4096])


def test_settings_are_fitted_to_the_machine_choice_by_choice():
    asked = Settings((0, 5), "limit", 9000, soft_placement=False)
    fitted, problems = asked.fitted_to([8192])
    assert fitted == Settings("all", "growth", None, soft_placement=False)
    assert [problem.field for problem in problems] == ["gpus", "memory"]
    assert fitted.fitted_to([8192]) == (fitted, ())
