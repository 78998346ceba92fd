"""Benchmark results as files: JSON to be opened again, CSV for a spreadsheet, HTML to be read anywhere.

The JSON is the result itself, field by field as in tfcore/benchmark.py, with `kind` and `schema` to know it by.
"""

from __future__ import annotations

import csv
import html
import io
import json
from datetime import UTC, datetime

import msgspec

from tfcore import benchmark
from tfcore.benchmark import KIND, MOST_ROUNDS, SCHEMA, Benchmark, Point
from tfcore.comparison import Speedup, compare
from tfcore.errors import LabError, ResultFileError
from tfcore.words import harmless
from tfcore.workloads import WORKLOADS

MOST_BYTES = 20 * 2**20
MOST_SECONDS = 1e6
MOST_SAMPLES_KEPT = 1_000
COLUMNS = (
    "workload", "size", "device", "dtype", "threads", "xla", "tf32", "round", "sample", "seconds", "batch",
    "measured_at", "simulated",
)  # fmt: skip
STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2328;background:#fff}
table{border-collapse:collapse;width:100%;margin:1rem 0}td,th{border-bottom:1px solid #d9d6cf;padding:.35rem .6rem;
text-align:left}.bar{background:#b54708;height:.9rem;border-radius:3px;min-width:2px}.note{color:#6a4a00}
@media(prefers-color-scheme:dark){body{color:#eceae6;background:#16181c}.note{color:#e3b341}td,th{border-color:#3a3f47}}
"""


def to_json(result: Benchmark) -> bytes:
    """Give the result as JSON, to be opened again with `from_json`."""
    return msgspec.json.format(msgspec.json.encode(result), indent=1)


def from_json(data: bytes) -> Benchmark:
    """Read a result. Raise ResultFileError with the reason if it cannot be one."""
    if len(data) > MOST_BYTES:
        raise _refused(f"It is larger than {MOST_BYTES // 2**20} MB, and no result is.")
    try:
        head = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise _refused("It is not JSON.") from None
    if not isinstance(head, dict) or head.get("kind") != KIND:
        raise _refused("It is not a result of this dashboard's benchmark.")
    if head.get("schema") != SCHEMA:
        raise _refused(f"It has version {head.get('schema')!r:.20}, and this dashboard reads version {SCHEMA}.")
    try:
        result = msgspec.convert(head, type=Benchmark)
        _check(result)
    except (msgspec.ValidationError, LabError, ValueError) as error:
        raise _refused(f"A value in it cannot be: {str(error)[:200]}") from None
    return result


def to_csv(result: Benchmark) -> str:
    """Give one row for each sample."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for point in result.points:
        of = point.contender
        fixed = (result.plan.workload, point.size, of.device, of.dtype, of.threads or "", of.xla, of.tf32)
        for number, each in enumerate(point.rounds, start=1):
            for position, seconds in enumerate(each.samples_s, start=1):
                last = (each.batch, result.environment.measured_at, result.is_simulated(of))
                writer.writerow([harmless(value) for value in (*fixed, number, position, repr(seconds), *last)])
    return text.getvalue()


def to_html(result: Benchmark) -> str:
    """Give a page that needs nothing but itself: no script, no address, all text escaped."""
    workload = WORKLOADS[result.plan.workload]
    body = [
        f"<h1>{html.escape(workload.title)}</h1><p>{html.escape(workload.sentence)}</p>",
        "<p class=note>Partial: the run was ended before its time.</p>" if result.partial else "",
        _table(("Contender", workload.size_means, "Median", "95 % interval", "", "Against the baseline", "Warnings"),
               [_row(result, point) for point in result.points]),
        "<h2>Left out</h2>" + _table(("Contender", "Size", "Reason"), [
            (html.escape(each.contender.name), f"{each.size:,}", html.escape(each.reason)) for each in result.left_out
        ]) if result.left_out else "",
        "<h2>Measured on</h2>" + _table(("What", "Value"), [
            (html.escape(name), html.escape(value)) for name, value in environment_rows(result)
        ]),
    ]  # fmt: skip
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>TensorFlow GPU Lab: {html.escape(workload.title)}</title><style>{STYLE}</style>"
        f"{''.join(body)}</html>\n"
    )


def environment_rows(result: Benchmark) -> list[tuple[str, str]]:
    """Name all that the numbers depend on."""
    of, software, computer = result.environment, result.environment.software, result.environment.computer
    devices = ", ".join(f"{d.short_name}: {model}" for d, model in zip(of.devices, of.models, strict=False))
    return [
        ("Measured at", of.measured_at),
        ("Devices", devices),
        ("Processor", f"{computer.cpu_model}, {computer.logical_cores} logical cores"),
        ("System", computer.system),
        ("TensorFlow", f"{software.tensorflow}, Python {software.python}"),
        ("CUDA", f"{software.cuda}, cuDNN {software.cudnn}"),
        ("NVIDIA driver", str(software.nvidia_driver)),
        ("Settings", "&".join(f"{key}={value}" for key, value in of.settings.to_query().items()) or "defaults"),
        ("Budget", f"{result.plan.budget_s:g} s for one contender at one size"),
    ]


def when(result: Benchmark) -> str:
    """Say when a result was measured: "2026-12-02 04:19 UTC"."""
    try:
        return f"{datetime.fromisoformat(result.environment.measured_at).astimezone(UTC):%Y-%m-%d %H:%M UTC}"
    except ValueError:
        return result.environment.measured_at[:40]


def verdict(result: Benchmark, point: Point) -> str:
    """Say how a point compares with the baseline, or why nothing is said."""
    if point.contender == result.plan.contenders[0]:
        return "baseline"
    found = compare(result, point.contender, point.size)
    if not isinstance(found, Speedup):
        return found.reason
    interval = f"{found.interval.low:.3g} to {found.interval.high:.3g}"
    if not found.is_sure:
        return f"no sure difference ({interval} times as fast)"
    return f"{found.ratio:.3g} times as fast ({interval})"


def _row(result: Benchmark, point: Point) -> tuple[str, ...]:
    name, size, warned = html.escape(point.contender.name), f"{point.size:,}", html.escape("; ".join(point.warnings))
    if result.is_simulated(point.contender):
        return name, size, "not stated", "", "", html.escape(verdict(result, point)), warned
    slowest = max(p.median_s for p in result.points if p.size == point.size and not result.is_simulated(p.contender))
    interval = point.interval_s
    bar = f"<div class=bar style='width:{100 * point.median_s / slowest:.1f}%'></div>"
    times = f"{point.median_s * 1e3:.4g} ms", f"{interval.low * 1e3:.4g} to {interval.high * 1e3:.4g} ms"
    return name, size, *times, bar, html.escape(verdict(result, point)), f"<span class=note>{warned}</span>"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    titles = "".join(f"<th>{title}</th>" for title in head)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{titles}</tr>{lines}</table>"


def _check(result: Benchmark) -> None:
    benchmark.check(result.plan)
    if not result.points:
        raise ValueError("it holds no measurement")
    if len({(point.contender, point.size) for point in result.points}) < len(result.points):
        raise ValueError("a point stands in it twice")
    for point in result.points:
        for each in point.rounds:
            single = (each.data_s, each.copy_in_s, each.dispatched_s, each.first_call_s, each.copy_out_s)
            if any(not 0 <= seconds < MOST_SECONDS for seconds in (*single, *each.warm_up_s)):
                raise ValueError("a time is negative, or longer than any run")
            if len(each.samples_s) > MOST_SAMPLES_KEPT or len(point.rounds) > MOST_ROUNDS:
                raise ValueError("it holds more samples than a run takes")
        samples = [sample for part in point.samples_s for sample in part]
        if not samples or any(not 0 < sample < MOST_SECONDS for sample in samples):
            raise ValueError("a sample is missing, or is no time")
        if point.contender not in result.plan.contenders or point.size not in result.plan.sizes:
            raise ValueError("a point is not in the plan")
        if any(not each.samples_s or each.batch < 1 for each in point.rounds):
            raise ValueError("a round has no samples")


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _refused(reason: str) -> ResultFileError:
    return ResultFileError(
        "This file cannot be opened.", cause=reason, todo="Choose a JSON file that this dashboard has saved."
    )
