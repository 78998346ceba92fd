from __future__ import annotations

import pytest

from tfcore import words


@pytest.mark.parametrize(
    ("ratio", "said"), [(1600.4, "1,600 times"), (99.6, "100 times"), (47.04, "47 times"), (0.5, "0.5 times")]
)
def test_ratios_read_as_people_say_them(ratio, said):
    assert words.in_times(ratio) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0349, "34.9 ms"),
        (0.9997, "1.0 s"),
        (9.97, "10 s"),
        (0.9994, "999 ms"),
        (2.44, "2.4 s"),
        (47.8, "48 s"),
        (600.0, "10 min"),
        (1e-5, "10 µs"),
        (0.99951e-3, "1 ms"),
    ],
)
def test_durations_read_as_people_say_them(value, said):
    assert words.in_seconds(value) == said


@pytest.mark.parametrize(("value", "said"), [(1.6e9, "1.6 GB"), (5.2e7, "0.1 GB"), (4e6, "4 MB"), (2.5e5, "0.25 MB")])
def test_memory_reads_in_the_unit_that_suits_it(value, said):
    assert words.in_gb(value) == said
