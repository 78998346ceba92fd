"""How fast a placement log is read: ours beside a plain regular expression for each line, and `grep -c`.

    python benchmarks/parse.py [--large]

The log is made here: a training script's steps, each placing the same graph again, with both twins of each
record, eager calls and other lines between: a million lines, 100 MB. Another repeats no line. Each reading is
a process of its own, so that its peak memory is its own. It fails where a claim does not hold.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINES = 1_000_000
CLAIMS = {"repeated": 8.0, "distinct": 2.0}
MEMORY_CLAIM_MB = 150.0
DEVICE = "/job:localhost/replica:0/task:0/device:GPU:0"
PLAIN = """
import re, sys
record = re.compile(
    r"(?P<name>[\\w./^-]+): \\((?P<op>\\w+)\\):? ?(?P<device>/job:\\S+)"
    r"|Executing op (?P<call>\\S+) in device (?P<on>/job:\\S+)"
)
found = set()
with open(sys.argv[1], errors="replace") as file:
    for line in file:
        match = record.search(line)
        if match:
            found.add(match.groups())
"""
OURS = """
import sys
sys.path.insert(0, sys.argv[2])
from tfcore.placement_log import read
from tfcore.placement_files import pieces
read(pieces(open(sys.argv[1], "rb")))
"""


def main() -> int:
    """Read the logs in each way and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="read 1 GB too, to see that time grows in proportion")
    large = parser.parse_args().large
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, claim in CLAIMS.items():
            path = Path(folder, name)
            write(path, LINES, distinct=name == "distinct")
            plain, ours, grep = (best(command) for command in commands(path))
            ratio = plain[0] / ours[0]
            failed |= ratio < claim or (name == "repeated" and ours[1] > MEMORY_CLAIM_MB)
            print(
                f"{name}: {path.stat().st_size / 1e6:.0f} MB, expression / ours {ratio:.1f} "
                f"(claim: at least {claim:g}), ours / grep -c {ours[0] / grep[0]:.1f}, our peak memory {ours[1]:.0f} MB"
            )
        if large:
            path = Path(folder, "large")
            write(path, 10 * LINES, distinct=False)
            small = best(commands(Path(folder, "repeated"))[1])
            big = best(commands(path)[1], times=1)
            print(f"10 times the log takes {big[0] / small[0]:.1f} times as long, peak memory {big[1]:.0f} MB")
    return int(failed)


def commands(path: Path) -> list[list[str]]:
    """The three ways to read a log."""
    return [
        [sys.executable, "-c", PLAIN, str(path)],
        [sys.executable, "-c", OURS, str(path), str(ROOT)],
        ["grep", "-c", "device:GPU", str(path)],
    ]


def best(command: list[str], times: int = 3) -> tuple[float, float]:
    """Give the shortest time of a command in seconds, and its peak memory in MB."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE)  # to /dev/null, grep would stop at its first find
        _, status, usage = wait4(process.pid)
        assert status == 0, command
        found.append((time.perf_counter() - began, usage.ru_maxrss / 1024))
    return min(found)


def wait4(pid: int) -> tuple[int, int, resource.struct_rusage]:
    """Wait for a process, and learn what it used."""
    import os

    return os.wait4(pid, 0)


def write(path: Path, lines: int, distinct: bool) -> None:
    """Write a log of so many lines."""
    kinds = ("MatMul", "BiasAdd", "Relu", "Conv2D", "FusedBatchNormV3", "Cast", "Mul", "AddV2", "Identity", "Sum")
    with path.open("w") as file:
        for number in range(lines // 4):
            step = number if distinct else number % 2_000
            kind = kinds[step % len(kinds)]
            name = f"model/layer_{step}/{kind.lower()}_{step % 7}"
            stamp = f"2026-01-01 10:{number // 60_000 % 60:02}:{number // 1000 % 60:02}.{number % 1000:03}000"
            file.write(f"{name}: ({kind}): {DEVICE}\n")
            source = f"{stamp}: I tensorflow/core/common_runtime"
            file.write(f"{source}/placer.cc:114] {name}: ({kind}): {DEVICE}\n")
            call = f"{kind}{step}" if distinct else kind
            file.write(f"{source}/eager/execute.cc:1525] Executing op {call} in device {DEVICE}\n")
            file.write(f"{number + 1}/{lines // 4} [=====>......................] - loss: 0.{number:07}\n")


if __name__ == "__main__":
    sys.exit(main())
