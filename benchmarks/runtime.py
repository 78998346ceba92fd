"""What it costs to have a TensorFlow of one's own, beside a plain Streamlit app that has one for all.

    python benchmarks/runtime.py [--rounds 3]

Both are started anew in turns, and asked over the WebSocket as a browser would ask. Every figure is a
ratio of two times measured in this run, or a memory size; it fails if a claim of ours does not hold.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.server.visitor import Visitor  # noqa: E402

PLAIN = ["-m", "streamlit", "run", str(ROOT / "benchmarks" / "plain_app.py")]
OURS = ["-m", "streamlit", "run", str(ROOT / "app.py")]
CLAIMS = {"change of settings": 25.0, "first page": 3.0}
MEMORY_CLAIM_MB = 40.0


class Started:
    """A server, and the moment it was started."""

    def __init__(self, arguments: list[str], **environment: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, *arguments, f"--server.port={port}"],
            cwd=ROOT, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def visit(self) -> Visitor:
        """Open the page as soon as the server accepts."""
        while True:
            try:
                return Visitor(self.url)
            except OSError:
                time.sleep(0.01)

    def seconds(self) -> float:
        """How long ago the server was started."""
        return time.perf_counter() - self.began

    def stop(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait(30)


def plain_round(cpus: int) -> tuple[float, float]:
    """Seconds from the start to the first words, and to the devices: the price of a change of settings."""
    server = Started(PLAIN, PLAIN_CPUS=str(cpus))
    visitor = server.visit()
    visitor.wait_for("Devices")
    first = server.seconds()
    visitor.wait_for(f"Logical devices: {cpus}")
    devices = server.seconds()
    visitor.close()
    server.stop()
    return first, devices


def our_round(changes: int) -> tuple[float, list[float]]:
    """Seconds from the start to the first words, and of each change of settings until it shows."""
    server = Started(OURS)
    visitor = server.visit()
    visitor.wait_for("TensorFlow GPU Lab")
    first = server.seconds()
    visitor.wait_for("TensorFlow sees")
    times = []
    for cpus in range(2, 2 + changes):
        began = time.perf_counter()
        visitor.enter("cpu_devices", cpus)
        visitor.follow(lambda n=cpus: visitor.sees(f"Logical CPU devices: {n}") and visitor.sees("Ready"))
        visitor.wait_for("TensorFlow sees")
        times.append(time.perf_counter() - began)
    visitor.close()
    server.stop()
    return first, times


def own_memory_mb() -> float:
    """The private memory of a forked worker that has listed its devices, in MB of 2**20 bytes."""
    script = """
import gc, os, tensorflow
from tfcore.devices import InventoryPlan
from tfcore.settings import Settings
gc.collect(); gc.freeze()
class Reporter:
    def progress(self, text, fraction=None): pass
    def printed(self): return ""
if os.fork():
    os.wait()
else:
    from tfcore.tasks import inventory
    from tfcore.worker import configure
    configure.apply(Settings())
    inventory.run(InventoryPlan(), Reporter())
    rows = dict(line.split()[:2] for line in open("/proc/self/smaps_rollup").read().splitlines()[1:])
    os.write(1, str((int(rows["Private_Dirty:"]) + int(rows["Private_Clean:"])) / 1024).encode())
    os._exit(0)
"""
    printed = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    return float(printed.stdout)


def main() -> int:
    """Measure, print the ratios, and give 1 if one falls short."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    plain, ours = [], []
    for number in range(rounds):
        plain.append(plain_round(cpus=2 + number))
        ours.append(our_round(changes=5))
    restart = statistics.median(devices for _, devices in plain)
    change = statistics.median(seconds for _, times in ours for seconds in times)
    ratios = {
        "change of settings": restart / change,
        "first page": statistics.median(first for first, _ in plain) / statistics.median(first for first, _ in ours),
    }
    for name, ratio in ratios.items():
        print(f"{name}: {ratio:.1f} times sooner than the plain app (claimed: {CLAIMS[name]:g})")
    memory = own_memory_mb()
    print(f"own memory of a worker that has listed its devices: {memory:.0f} MB (claimed: at most {MEMORY_CLAIM_MB:g})")
    return int(any(ratios[name] < claim for name, claim in CLAIMS.items()) or memory > MEMORY_CLAIM_MB)


if __name__ == "__main__":
    sys.exit(main())
