"""What the engine costs itself: the wall time of a whole run over the time spent in samples and first calls.

    python benchmarks/overhead.py [--workload matmul] [--sizes 128,256,512,1024]

The run is the one that the Benchmark page offers: the default budget, and the default two contenders.
Probe, workers, TensorFlow's start, data and statistics are the engine's cost. It fails above 1.3.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tfcore.benchmark import Benchmark, Plan  # noqa: E402
from tfcore.benchmarking import benchmarking  # noqa: E402
from tfcore.contenders import default_contenders  # noqa: E402
from tfcore.runtime.backend import Backend  # noqa: E402
from tfcore.settings import Settings  # noqa: E402

CLAIM = 1.3


def main() -> int:
    """Measure once and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workload", default="matmul")
    parser.add_argument("--sizes", default="128,256,512,1024")
    options = parser.parse_args()
    sizes = tuple(int(text) for text in options.sizes.split(","))
    backend = Backend()
    try:
        wall_s, result = run(backend, options.workload, sizes)
    finally:
        backend.close()
    spent_s = sum(r.first_call_s + r.measured_s for point in result.points for r in point.rounds)
    ratio = wall_s / spent_s
    rounds = sum(len(point.rounds) for point in result.points)
    print(f"{options.workload}: {len(result.points)} points in {rounds} rounds")
    print(f"wall {wall_s:.1f} s, in samples and first calls {spent_s:.1f} s: {ratio:.2f} (claim: at most {CLAIM})")
    return 0 if ratio <= CLAIM else 1


def run(backend: Backend, workload: str, sizes: tuple[int, ...]) -> tuple[float, Benchmark]:
    """Run the plan on a host that is ready. Give the wall time and the result."""
    inventory = backend.runtime(Settings()).result()
    contenders = default_contenders(inventory.logical, inventory.computer.logical_cores)
    program = benchmarking(Settings(), inventory, Plan(workload, sizes, contenders))
    began = time.perf_counter()
    result = backend.start_job(program, limit_s=3600).result()
    return time.perf_counter() - began, result


if __name__ == "__main__":
    sys.exit(main())
