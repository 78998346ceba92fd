"""python -m tfcore doctor: why TensorFlow does not see a GPU, and what mends it."""

from __future__ import annotations

import argparse
import json

from tfcore import report
from tfcore.commands.log_file import pieces_of
from tfcore.diagnosing import from_log, this_machine
from tfcore.diagnosis import Diagnosis, as_dict
from tfcore.errors import LogFileError, SettingsError
from tfcore.runtime.backend import Backend
from tfcore.runtime.queue import Lane
from tfcore.settings import Settings

LIMIT_S = 3600.0
STATUS = {True: 0, False: 1, None: 2}


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "doctor", parents=[shared], help="why TensorFlow does not see a GPU, and what mends it"
    )
    parser.add_argument("--log", metavar="FILE", help="diagnose from this log, plain or gzip, or - for stdin")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--report", action="store_true", help="print a report without names, addresses and ids, to share"
    )
    parser.set_defaults(command=run)


def run(backend: Backend, _settings: Settings, options: argparse.Namespace) -> int:
    """Print the diagnosis. Give 0 if a GPU is usable, 1 if not, 2 if that cannot be told."""
    named = options.log is not None
    program = from_log(lambda: pieces_of(options.log), 0) if named else this_machine(hurry=True)
    try:
        found = backend.start_job(program, Lane.READ if named else Lane.LOOK, LIMIT_S).result()
    except LogFileError as error:  # 1 would say that no GPU is usable
        raise SettingsError("log", error.what, todo=error.todo) from None
    if options.report:
        print(report.as_json(found) if options.json else report.as_text(found))
    elif options.json:
        print(json.dumps(as_dict(found), indent=2, ensure_ascii=False))
    else:
        print(in_words(found))
    return STATUS[found.usable]


def in_words(found: Diagnosis) -> str:
    """Describe a diagnosis for a terminal."""
    rows = []
    for finding in found.findings:
        follows = f", a consequence of {finding.consequence_of}" if finding.consequence_of else ""
        rows += [finding.cause, f"  ({finding.rule}, {finding.certainty}{follows})"]
        rows += [f"  because: {line}" for line in finding.evidence]
        if not finding.consequence_of:
            rows += [
                "  What to do:" if finding.usable or finding.nothing_broken else "  To mend it:",
                *(f"    {line}" for line in finding.fix_text.splitlines()),
                f"  See {finding.source}",
            ]
        rows.append("")
    rows += [f"Harmless: {seen.text}" for seen in found.harmless]
    rows += [f"Not known: {what}: {why}" for what, why in found.unknown]
    return "\n".join(rows).rstrip()
