from __future__ import annotations

import csv
import dataclasses
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.test_benchmark import CPU, GPU, a_point, a_result
from tfcore import results
from tfcore.errors import ResultFileError

RESULT = a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 0.1), a_point(CPU, 200, 3.0), a_point(GPU, 200, 0.2))
SIMULATED = a_result(a_point(CPU, 100, 1.0), a_point(GPU, 100, 0.1), simulated=True)


def test_a_saved_result_opens_again_as_it_was():
    assert results.from_json(results.to_json(RESULT)) == RESULT


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not a result"),
        (b'{"kind": "something else"}', "not a result"),
        (b" " * (results.MOST_BYTES + 1), "larger than 20 MB"),
    ],
)
def test_a_foreign_file_is_refused_with_the_reason(data, said):
    with pytest.raises(ResultFileError) as caught:
        results.from_json(data)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), 99),
        (("plan", "workload"), "<script>"),
        (("plan", "sizes"), [10**12]),
        (("points", 0, "rounds", 0, "samples_s"), []),
        (("points", 0, "rounds", 0, "samples_s"), [-1.0]),
        (("points", 0, "rounds", 0, "batch"), 0),
        (("points", 0, "rounds"), []),
        (("points", 0, "size"), 7),
        (("points", 0, "contender"), "CPU"),
        (("environment",), None),
        (("points",), []),
        (("points", 1), json.loads(results.to_json(RESULT))["points"][0]),
        (("points", 0, "rounds", 0, "copy_in_s"), -5.0),
        (("points", 0, "rounds", 0, "first_call_s"), float("nan")),
        (("points", 0, "rounds", 0, "warm_up_s"), [float("inf")]),
        (("points", 0, "rounds", 0, "samples_s"), [1.0] * 60_000),
    ],
)
def test_a_malformed_result_is_refused(path, value):
    data = json.loads(results.to_json(RESULT))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ResultFileError):
        results.from_json(json.dumps(data).encode())


@given(st.binary())
def test_any_bytes_are_refused_and_never_an_accident(data):
    with pytest.raises(ResultFileError):
        results.from_json(data)


def test_csv_has_one_row_for_each_sample():
    rows = list(csv.DictReader(io.StringIO(results.to_csv(RESULT))))
    assert len(rows) == sum(len(part) for point in RESULT.points for part in point.samples_s)
    assert float(rows[0]["seconds"]) == RESULT.points[0].samples_s[0][0]


def test_no_cell_of_the_csv_is_a_formula():
    environment = dataclasses.replace(RESULT.environment, measured_at="=HYPERLINK(1)")
    text = results.to_csv(dataclasses.replace(RESULT, environment=environment))
    assert not [cell for row in csv.reader(io.StringIO(text)) for cell in row if cell[:1] in "=+-@" and cell]


def test_the_report_needs_nothing_but_itself_and_escapes_what_it_shows():
    environment = dataclasses.replace(RESULT.environment, models=("<script>alert(1)</script>", "b"))
    page = results.to_html(dataclasses.replace(RESULT, environment=environment))
    assert "10 times as fast" in page
    assert not re.findall(r"https?:|//|<script|src=|url\(", page.replace("&lt;script", ""))


def test_csv_and_report_state_nothing_of_a_simulated_gpu_as_meaningful():
    page = results.to_html(SIMULATED)
    assert "not stated" in page
    assert "times as fast" not in page
    marks = {row["device"]: row["simulated"] for row in csv.DictReader(io.StringIO(results.to_csv(SIMULATED)))}
    assert marks == {"CPU:0": "False", "GPU:0": "True"}
