"""How often the first finding is right, and what the doctor costs.

    python benchmarks/doctor.py [FOLDER]

FOLDER holds real logs with their causes, as `index.tsv` and one file each; without it only the costs are measured:
a log of 100 MB beside the placement parser and a plain loop over its lines, and one reading of the sampler.
It fails where a claim does not hold.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.parse import write  # noqa: E402
from tfcore import log_signs, placement_log, telemetry  # noqa: E402
from tfcore.diagnosis import diagnose  # noqa: E402
from tfcore.evidence import Evidence  # noqa: E402

JUDGED = ("maintainer", "community", "log-evident")
RIGHT_CLAIM = 0.95
SAMPLER_CLAIM = 0.01
LINES = 900_000
# the rule that names the recorded cause, by the case's number
EXPECTED = {
    "001": "driver_mismatch", "003": "driver_mismatch", "004": "driver_mismatch", "007": "capability_too_old",
    "009": "driver_absent", "017": "cuda_not_found", "018": "library_dependency_missing", "020": "cut_short",
    "021": "libraries_missing", "023": "library_missing", "024": "library_missing", "025": "library_missing",
    "026": "python_unsupported", "028": "driver_too_old", "029": "library_missing", "031": "library_missing",
    "033": "capability_too_new", "035": "slow_first_call", "036": "ptxas_too_old", "038": "libdevice_missing",
    "039": "libdevice_missing", "041": "memory_held", "043": "cudnn_older", "045": "cudnn_older",
    "046": "stopped_at_device", "047": "unknown_error", "048": "only_harmless", "051": "log_ends_early",
    "053": "built_without_cuda",
}  # fmt: skip


def pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            yield piece


def cases(folder: Path) -> bool:
    right = total = 0
    with (folder / "index.tsv").open() as file:
        rows = [
            row for row in csv.DictReader(file, delimiter="\t") if row["kind"] == "a" and row["cause_status"] in JUDGED
        ]
    for row in rows:
        root = diagnose(Evidence(signs=log_signs.read(pieces(folder / row["input_file"])), from_log=True)).root
        hit = root.rule == EXPECTED.get(row["id"])
        right, total = right + hit, total + 1
        print(f"{'  ' if hit else '! '}{row['id']} {root.rule:<28}{root.certainty:<9} {row['cause'][:90]}")
    print(f"{right} of {total} right, {right / total:.0%} (claim {RIGHT_CLAIM:.0%})")
    return right / total >= RIGHT_CLAIM


def seconds(run: object) -> float:
    start = time.perf_counter()
    run()  # type: ignore[operator]
    return time.perf_counter() - start


def costs() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.log")
        write(path, LINES, distinct=False)
        ours = seconds(lambda: log_signs.read(pieces(path)))
        parser = seconds(lambda: placement_log.read(pieces(path)))
        loop = seconds(lambda: [line for line in path.open(errors="replace") if "cuda" in line.lower()])
        megabytes = path.stat().st_size / 1e6
        print(f"{megabytes:.0f} MB: signs {ours:.1f} s; {ours / parser:.1f} times the placement parser, "
              f"{ours / loop:.1f} times a loop that looks for one word in each line")  # fmt: skip
    start, rounds = time.process_time(), 50
    for _ in range(rounds):
        telemetry.read_all(0.0)
    share = (time.process_time() - start) / rounds / telemetry.PERIOD_S
    print(f"the sampler takes {share:.3%} of a core, for any number of visitors (claim: under {SAMPLER_CLAIM:.0%})")
    return share < SAMPLER_CLAIM


if __name__ == "__main__":
    held = [costs()] + ([cases(Path(sys.argv[1]))] if len(sys.argv) > 1 else [])
    sys.exit(0 if all(held) else 1)
