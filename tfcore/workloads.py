"""What can be measured: one row for each workload. Its function of the same name is in tfcore/tasks/workloads.py.

Work is counted by hand: a multiplication and an addition are two operations, as in TensorFlow's profiler.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

ITEM_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
ALL_DTYPES = tuple(ITEM_BYTES)

IMAGES, CHANNELS, FILTERS, KERNEL = 8, 32, 64, 3
DENSE_LAYERS = (784, 512, 512, 10)
STEP_CHANNELS = (3, 16, 32)
STEP_SIDE, STEP_CLASSES = 32, 10
HEADS, HEAD_WIDTH = 8, 64

Count = Callable[[int], float]


@dataclass(frozen=True)
class Workload:
    """One row. Counts take the size; `numbers` counts what is read and written, `held` what is held at once.

    `data_on_host` says whether data is made on the host, `compiles` whether XLA has anything to compile.
    """

    name: str
    title: str
    sentence: str
    size_means: str
    sizes: tuple[int, ...]
    operations: Count
    numbers: Count
    held: Count
    dtypes: tuple[str, ...] = ALL_DTYPES
    rate: str = "GFLOP/s"
    data_on_host: bool = True
    compiles: bool = True

    def work(self, size: int, dtype: str) -> float:
        """What `rate` counts: operations, or bytes."""
        return self.bytes(size, dtype) if self.rate == "GB/s" else self.operations(size)

    def bytes(self, size: int, dtype: str) -> float:
        """Bytes read and written, at least once each."""
        return self.numbers(size) * ITEM_BYTES[dtype]

    def memory_bytes(self, size: int, dtype: str) -> int:
        """Bytes held at the peak."""
        return int(self.held(size) * ITEM_BYTES[dtype])


def _dense_weights() -> int:
    return sum(a * b for a, b in pairwise(DENSE_LAYERS))


def _dense_operations(batch: int) -> float:
    """Forward, gradients of all weights, and of all activations but the data's."""
    first = DENSE_LAYERS[0] * DENSE_LAYERS[1]
    return 2.0 * batch * (3 * _dense_weights() - first)


def _step_layers() -> tuple[float, float, float]:
    """Multiplications of the two convolutions and the last dense layer, for one image."""
    side, (a, b, c) = STEP_SIDE, STEP_CHANNELS
    first = side**2 * 9 * a * b
    second = (side // 2) ** 2 * 9 * b * c
    dense = (side // 4) ** 2 * c * STEP_CLASSES
    return first, second, dense


def _step_operations(batch: int) -> float:
    first, second, dense = _step_layers()
    return 2.0 * batch * (2 * first + 3 * second + 3 * dense)


def _attention_operations(length: int) -> float:
    """Four projections, the scores and their use."""
    width = HEADS * HEAD_WIDTH
    return 2.0 * (4 * length * width**2 + 2 * length**2 * width)


ROWS = (
    Workload(
        "article", "The article’s computation",
        "Multiplies a large square table of random numbers by itself turned on its side, and adds everything up.",
        "rows", (250, 500, 1_000, 2_000, 4_000, 10_000),
        lambda n: 2.0 * n**3 + 3.0 * n**2, lambda n: 8.0 * n**2, lambda n: 4.0 * n**2, ("float32",),
        data_on_host=False,
    ),
    Workload(
        "matmul", "Matrix product",
        "Multiplies two square tables of numbers: the heart of nearly every neural network.",
        "rows", (64, 128, 256, 512, 1_024, 2_048, 4_096),
        lambda n: 2.0 * n**3, lambda n: 3.0 * n**2, lambda n: 3.0 * n**2,
    ),
    Workload(
        "convolution", "Convolution",
        "Slides 64 small filters over 8 pictures: what image recognition does in each layer.",
        "pixels a side", (16, 32, 64, 128, 256),
        lambda n: 2.0 * IMAGES * n**2 * FILTERS * KERNEL**2 * CHANNELS,
        lambda n: IMAGES * n**2 * (CHANNELS + FILTERS) + KERNEL**2 * CHANNELS * FILTERS,
        lambda n: 2.0 * IMAGES * n**2 * (CHANNELS * KERNEL**2 + FILTERS), ("float16", "bfloat16", "float32"),
    ),
    Workload(
        "elementwise", "Number by number",
        "Multiplies and adds two tables entry by entry: little thinking, much carrying.",
        "rows", (256, 512, 1_024, 2_048, 4_096),
        lambda n: 2.0 * n**2, lambda n: 3.0 * n**2, lambda n: 4.0 * n**2, rate="GB/s",
    ),
    Workload(
        "reduction", "Sum of everything",
        "Adds up all entries of a table.",
        "rows", (256, 512, 1_024, 2_048, 4_096),
        lambda n: 1.0 * n**2, lambda n: 1.0 * n**2, lambda n: 2.0 * n**2, rate="GB/s",
    ),
    Workload(
        "fft", "Fourier transform",
        "Finds the waves that a picture is made of.",
        "rows", (64, 128, 256, 512, 1_024, 2_048),
        lambda n: 5.0 * n**2 * math.log2(n**2), lambda n: 4.0 * n**2, lambda n: 6.0 * n**2, ("float32", "float64"),
    ),
    Workload(
        "host_to_device", "Copy to the device",
        "Carries a table from the computer’s memory to the device.",
        "rows", (256, 512, 1_024, 2_048, 4_096),
        lambda n: 0.0, lambda n: 1.0 * n**2, lambda n: 2.0 * n**2, rate="GB/s", compiles=False,
    ),
    Workload(
        "device_to_host", "Copy from the device",
        "Carries a table from the device back to the computer’s memory.",
        "rows", (256, 512, 1_024, 2_048, 4_096),
        lambda n: 0.0, lambda n: 1.0 * n**2, lambda n: 2.0 * n**2, rate="GB/s", compiles=False,
    ),
    Workload(
        "dense_step", "Training step, dense net",
        "One lesson for a small neural network: look at examples, compare, correct 670,000 weights.",
        "examples", (16, 64, 256, 1_024, 4_096),
        _dense_operations, lambda n: 3.0 * _dense_weights() + n * sum(DENSE_LAYERS),
        lambda n: 4.0 * _dense_weights() + 3.0 * n * sum(DENSE_LAYERS),
    ),
    Workload(
        "conv_step", "Training step, convolutional net",
        "One lesson for a small network that looks at pictures.",
        "pictures", (8, 32, 128, 512),
        _step_operations, lambda n: n * STEP_SIDE**2 * sum(STEP_CHANNELS),
        lambda n: 4.0 * n * STEP_SIDE**2 * sum(STEP_CHANNELS) * KERNEL**2, ("float16", "bfloat16", "float32"),
    ),
    Workload(
        "attention", "Attention block",
        "Lets every word of a text look at every other word: the core of a language model.",
        "words", (64, 128, 256, 512, 1_024, 2_048),
        _attention_operations, lambda n: HEADS * (4.0 * n * HEAD_WIDTH + 2.0 * n**2),
        lambda n: HEADS * (6.0 * n * HEAD_WIDTH + 3.0 * n**2) + 4.0 * (HEADS * HEAD_WIDTH) ** 2,
    ),
)  # fmt: skip
WORKLOADS = {row.name: row for row in ROWS}
