"""python -m tfcore placement: where operations run, from a run of its own or from a log."""

from __future__ import annotations

import argparse

from tfcore import placement_files
from tfcore.capture import WORKLOADS, CapturePlan
from tfcore.commands.log_file import pieces_of
from tfcore.placement_reasons import Explained, summary
from tfcore.placing import Capture, capturing, explaining
from tfcore.runtime.backend import Backend
from tfcore.runtime.queue import Lane
from tfcore.settings import Settings, check_limit_fits

LIMIT_S = 3600.0


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser) -> None:
    """Describe the command and its two halves."""
    parser = commands.add_parser("placement", help="where operations run, and why not on the GPU")
    halves = parser.add_subparsers(metavar="capture|parse", required=True)
    capture = halves.add_parser("capture", parents=[shared], help="run a workload and read its placement log")
    capture.add_argument("--workload", default="article", help=", ".join(WORKLOADS))
    capture.add_argument("--device", default="", help="such as /GPU:0; TensorFlow chooses where there is none")
    capture.add_argument("--function", action="store_true", help="run it as one tf.function")
    capture.add_argument("--json", action="store_true", help="print JSON")
    capture.set_defaults(command=run_capture)
    parse = halves.add_parser("parse", parents=[shared], help="read a log, plain or gzip")
    parse.add_argument("file", metavar="FILE", help="the log, or - for stdin")
    formats = parse.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="print JSON")
    formats.add_argument("--csv", action="store_true", help="print one row for each kind of operation on each device")
    parse.set_defaults(command=run_parse)


def run_capture(backend: Backend, settings: Settings, options: argparse.Namespace) -> None:
    """Run the workload in a worker and print where its operations ran."""
    inventory = backend.runtime(settings).result()
    check_limit_fits(settings, inventory.gpu_memory_mb)
    plan = CapturePlan(options.workload, options.device, options.function)
    (found,) = backend.start_job(capturing(settings, inventory, plan, "one")).result()
    if options.json:
        print(placement_files.to_json(found.explained, found.error).decode())
    else:
        _print_capture(found)


def run_parse(backend: Backend, _settings: Settings, options: argparse.Namespace) -> None:
    """Read a log as a stream and print what it tells."""
    found = backend.start_job(explaining(lambda: pieces_of(options.file), 0), Lane.READ, LIMIT_S).result()
    if options.json:
        print(placement_files.to_json(found).decode())
    elif options.csv:
        print(placement_files.to_csv(found), end="")
    else:
        print(in_words(found))


def in_words(found: Explained) -> str:
    """Describe a placement for a terminal."""
    rows = [summary(found)]
    for operation in found.placement.operations:
        counts = f"{operation.placed:>8,} placed {operation.executed:>8,} executed"
        rows.append(f"{operation.device:<12} {operation.kind or '?':<28} {counts}  {found.reason(operation)}".rstrip())
    rows += [f"! {meaning} {todo}" for meaning, todo in found.messages]
    if found.placement.unreadable:
        rows.append(f"{found.placement.unreadable:,} lines should hold a record and cannot be read")
        rows += [f"{line.line:>8}: {line.raw}" for line in found.placement.unreadable_lines[:5]]
    return "\n".join(rows)


def _print_capture(found: Capture) -> None:
    if found.error:
        print(found.error)
    print(in_words(found.explained))
    for one, device, other, elsewhere in found.crossings:
        print(f"copied: {one} ({device}) → {other} ({elsewhere})")
