"""Work is counted as TensorFlow's own profiler counts it, and every function has its row."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tfcore.workloads import WORKLOADS

COUNT = """
import json, sys
import numpy as np, tensorflow as tf
from tensorflow.python.profiler import model_analyzer, option_builder
from tfcore.tasks import workloads
found = {}
for name, size in json.loads(sys.argv[1]).items():
    made = getattr(workloads, name)(size, "float32", np.random.default_rng(0))
    specs = [tf.TensorSpec(x.shape, x.dtype) for x in made.inputs]
    graph = tf.function(made.function).get_concrete_function(*specs).graph
    options = option_builder.ProfileOptionBuilder.float_operation()
    options["output"] = "none"
    found[name] = model_analyzer.profile(graph, options=options).total_float_ops
print("FOUND", json.dumps(found))
"""
SIZES = {"article": 300, "matmul": 300, "convolution": 32, "elementwise": 300, "dense_step": 64, "attention": 256}


def test_every_row_has_its_function_and_every_size_is_counted():
    source = (ROOT / "tfcore" / "tasks" / "workloads.py").read_text()
    for name, row in WORKLOADS.items():
        assert f"\ndef {name}(size: int, dtype: str, generator:" in source
        assert all(row.bytes(size, "float32") > 0 and row.memory_bytes(size, "float32") > 0 for size in row.sizes)
        assert row.sentence.endswith(".")


def test_operations_agree_with_tensorflows_profiler():
    command = [sys.executable, "-c", COUNT, json.dumps(SIZES)]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    counted = json.loads(printed.split("FOUND", 1)[1])
    for name, size in SIZES.items():
        assert WORKLOADS[name].operations(size) == pytest.approx(counted[name], rel=0.03), name


@pytest.mark.parametrize(
    ("name", "size", "operations", "numbers"),
    [
        ("matmul", 10, 2_000, 300),
        ("elementwise", 10, 200, 300),
        ("reduction", 10, 100, 100),
        ("convolution", 1, 2 * 8 * 64 * 9 * 32, 8 * 96 + 9 * 32 * 64),
        ("host_to_device", 10, 0, 100),
        ("fft", 16, 5 * 256 * 8, 4 * 256),
    ],
)
def test_small_cases_agree_with_a_count_by_hand(name, size, operations, numbers):
    assert WORKLOADS[name].operations(size) == operations
    assert WORKLOADS[name].numbers(size) == numbers
