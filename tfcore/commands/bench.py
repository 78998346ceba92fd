"""python -m tfcore bench: measure a workload on several contenders."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tfcore import results
from tfcore.benchmark import DEFAULT_BUDGET_S, Benchmark, Plan
from tfcore.benchmarking import benchmarking
from tfcore.commands.progress import tell_until_ended
from tfcore.contenders import default_contenders, parse_contender
from tfcore.devices import Inventory
from tfcore.errors import SettingsError, WorkspaceError
from tfcore.runtime.backend import Backend
from tfcore.runtime.job import Job
from tfcore.settings import Settings, check_limit_fits
from tfcore.workloads import WORKLOADS

LIMIT_S = 24 * 3600.0


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser = commands.add_parser("bench", parents=[shared], help="measure a workload on several contenders")
    parser.add_argument("--workload", default="matmul", help=", ".join(WORKLOADS))
    parser.add_argument("--sizes", help="whole numbers such as 256,1024")
    parser.add_argument(
        "--contenders",
        help="such as cpu,cpu:threads=1,gpu:0:float16,gpu:0:xla,gpu:0:tf32=off; the first is the baseline",
    )
    parser.add_argument(
        "--budget", type=float, default=DEFAULT_BUDGET_S, metavar="S", help="seconds for one contender at one size"
    )
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="print the result as JSON, to be opened again")
    formats.add_argument("--csv", action="store_true", help="print one row for each sample")
    formats.add_argument("--html", metavar="FILE", help="write a report that opens anywhere")
    parser.set_defaults(command=run)


def run(backend: Backend, settings: Settings, options: argparse.Namespace) -> None:
    """Measure, with progress on stderr and the result on stdout or in a file."""
    inventory = backend.runtime(settings).result()
    check_limit_fits(settings, inventory.gpu_memory_mb)
    program = benchmarking(settings, inventory, _plan(options, inventory))
    if options.html:
        _write(options.html, "")  # better told before an hour of measuring than after it
    result = follow(backend.start_job(program, limit_s=LIMIT_S))
    _print(result, options)
    if result.partial:
        raise KeyboardInterrupt


def follow(job: Job[Benchmark]) -> Benchmark:
    """Tell stderr how far the job has come. An interrupt ends it and keeps what is measured."""
    try:
        tell_until_ended(job)
    except KeyboardInterrupt:
        job.cancel()
        if partial := job.wait().partial:
            return partial
        print("Ended before anything was measured.", file=sys.stderr)
        raise
    return job.result()


def in_words(result: Benchmark) -> str:
    """Describe a result for a terminal."""
    rows = [WORKLOADS[result.plan.workload].title + (" (partial)" if result.partial else "")]
    for point in result.points:
        simulated = result.is_simulated(point.contender)
        time = "no time stated" if simulated else f"{point.median_s * 1e3:10.4g} ms"
        rows.append(f"{point.size:>8,}  {point.contender.name:<28} {time}  {results.verdict(result, point)}")
        rows += [f"{'':>10}! {warning}" for warning in point.warnings]
    rows += [f"{each.size:>8,}  {each.contender.name:<28} left out: {each.reason}" for each in result.left_out]
    return "\n".join(rows)


def _plan(options: argparse.Namespace, inventory: Inventory) -> Plan:
    if options.contenders:
        contenders = tuple(parse_contender(text) for text in options.contenders.split(","))
    else:
        contenders = default_contenders(inventory.logical, inventory.computer.logical_cores)
    return Plan(options.workload, _sizes(options), contenders, options.budget)


def _sizes(options: argparse.Namespace) -> tuple[int, ...]:
    if options.sizes is None:
        return WORKLOADS[options.workload].sizes if options.workload in WORKLOADS else (1,)
    try:
        return tuple(sorted({int(text) for text in options.sizes.split(",")}))
    except ValueError:
        raise SettingsError("sizes", f"“{options.sizes[:40]}” are not sizes.", todo="Use 256,1024.") from None


def _print(result: Benchmark, options: argparse.Namespace) -> None:
    if options.json:
        print(results.to_json(result).decode())
    elif options.csv:
        print(results.to_csv(result), end="")
    elif options.html:
        _write(options.html, results.to_html(result))
    else:
        print(in_words(result))


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be written: {error.strerror}.") from None
