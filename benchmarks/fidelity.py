"""Whether our numbers are those that a plain loop would find: our median over that of benchmarks/bare_loop.py.

    python benchmarks/fidelity.py [--interpreters 3] [--pairs 8]

A fresh interpreter with the loop and workers of ours take turns, now the one first and now the other, in
pairs close to each other in time; then another fresh interpreter. The ratio is the median over all pairs.
It fails where a claim does not hold: within 3 % for calls of 10 ms and more, within 10 % down to 100 µs.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tfcore.benchmark import ROUND, RoundPlan  # noqa: E402
from tfcore.contenders import Contender  # noqa: E402
from tfcore.runtime.backend import Backend  # noqa: E402
from tfcore.settings import Settings  # noqa: E402

CASES = {"matmul": (128, 1536), "convolution": (16, 128), "article": (100, 1500)}
Pair = tuple[list[float], list[float]]
LONG_S, LONG_CLAIM, SHORT_CLAIM = 0.010, 0.03, 0.10


def main() -> int:
    """Measure all cases in turns and print a ratio for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--interpreters", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--workloads", default=",".join(CASES))
    options = parser.parse_args()
    backend = Backend()
    backend.runtime(Settings()).result()
    failed = 0
    try:
        for workload in options.workloads.split(","):
            sizes = CASES[workload]
            pairs = [
                pair for _ in range(options.interpreters) for pair in measure(backend, workload, sizes, options.pairs)
            ]
            failed |= tell(workload, sizes, pairs)
    finally:
        backend.close()
    return failed


def measure(backend: Backend, workload: str, sizes: tuple[int, ...], count: int) -> list[Pair]:
    """Let one fresh interpreter and our workers take turns. Give our seconds and the loop's, size by size."""
    command = [sys.executable, str(ROOT / "benchmarks" / "bare_loop.py"), workload, *map(str, sizes)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as loop:
        ask(loop)  # it has then imported TensorFlow
        pairs = []
        for number in range(count):
            if number % 2:
                mine = ours(backend, workload, sizes)
                pairs.append((mine, ask(loop)))
            else:
                theirs = ask(loop)
                pairs.append((ours(backend, workload, sizes), theirs))
        loop.stdin.close()
    return pairs


def ask(loop: subprocess.Popen[str]) -> list[float]:
    """Let the loop measure. Give its seconds, size by size."""
    loop.stdin.write("go\n")
    loop.stdin.flush()
    return [float(word) for word in loop.stdout.readline().split()]


def tell(workload: str, sizes: tuple[int, ...], pairs: list[Pair]) -> int:
    """Print the ratios. Give 1 if a claim does not hold."""
    failed = 0
    for position, size in enumerate(sizes):
        ratios = [mine[position] / theirs[position] for mine, theirs in pairs]
        ratio, loop_s = statistics.median(ratios), statistics.median(theirs[position] for _, theirs in pairs)
        low, _, high = statistics.quantiles(ratios, n=4)
        claim = LONG_CLAIM if loop_s >= LONG_S else SHORT_CLAIM
        holds = abs(ratio - 1) <= claim
        failed |= not holds
        print(
            f"{workload:<12}{size:>6}  loop {loop_s * 1e3:8.3f} ms  ours / loop {ratio:.3f}  "
            f"(half of the pairs {low:.2f} to {high:.2f}; claim: within {claim:.0%})"
            f"{'' if holds else '  DOES NOT HOLD'}",
            flush=True,
        )
    return failed


def ours(backend: Backend, workload: str, sizes: tuple[int, ...]) -> list[float]:
    """Measure with one of our workers, for as long as the loop does."""
    plan = RoundPlan(workload, sizes, Contender(), budget_s=1.5, fewest=10, half_width=1e-9)
    result = backend.start_job(lambda steps: steps.run(ROUND, Settings(), plan)).result()
    return [each.call_s for each in result.rounds]


if __name__ == "__main__":
    sys.exit(main())
