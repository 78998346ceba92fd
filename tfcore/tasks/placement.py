"""Run a workload with placement logging on, and nothing else."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tfcore.capture import CAPTURE, CapturePlan, CaptureResult
from tfcore.tasks import workloads
from tfcore.wire import Reporter

TASK = CAPTURE
ARTICLE_SIZE, STEP_SIZE = 256, 8


def run(plan: CapturePlan, report: Reporter) -> CaptureResult:
    """Run the workload once. TensorFlow's refusal is a result, not a fault."""
    report.progress("Running")
    make, inputs = WORKLOADS[plan.workload]()
    error, function = "", tf.function(make) if plan.function else make
    try:
        with tf.device(plan.device) if plan.device else contextlib.nullcontext():
            function(*[tf.convert_to_tensor(value) for value in inputs])
    except (tf.errors.OpError, ValueError) as refusal:
        error = f"{type(refusal).__name__}: {getattr(refusal, 'message', None) or refusal}"
    dtypes, edges = _graph(function, inputs) if plan.function and not error else ({}, ())
    ctypes.CDLL(None).fflush(None)  # the placer's lines on stdout wait in the C library's buffer
    return CaptureResult(error, dtypes, edges)


def _graph(function: Any, inputs: tuple[Any, ...]) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Give the dtype of each node of the traced function, and its edges."""
    found = function.get_concrete_function(*[tf.convert_to_tensor(value) for value in inputs]).graph.get_operations()
    dtypes = {}
    for operation in found:
        for attribute in ("T", "dtype"):
            with contextlib.suppress(ValueError):
                dtypes[operation.name] = tf.as_dtype(operation.get_attr(attribute)).name
                break
    return dtypes, tuple((tensor.op.name, operation.name) for operation in found for tensor in operation.inputs)


def _article() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    found = workloads.article(ARTICLE_SIZE, "float32", np.random.default_rng(0))
    return found.function, found.inputs


def _dense() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    found = workloads.dense_step(STEP_SIZE, "float32", np.random.default_rng(0))
    return found.function, found.inputs


def _convolution() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    found = workloads.conv_step(STEP_SIZE, "float32", np.random.default_rng(0))
    return found.function, found.inputs


def _mixed() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    def function(a: Any, words: Any) -> Any:
        product = tf.matmul(a, a, transpose_b=True)
        root = tf.linalg.sqrtm(product)
        return tf.strings.join([words, tf.strings.as_string(tf.reduce_sum(root))])

    return function, (np.eye(16, dtype=np.float32), np.array("sum: "))


def _strings() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    def function(words: Any) -> Any:
        return tf.strings.length(tf.strings.upper(tf.strings.join([words, words], separator=" ")))

    return function, (np.array(["a", "few", "words"]),)


WORKLOADS = {
    "article": _article,
    "dense": _dense,
    "convolution": _convolution,
    "mixed": _mixed,
    "strings": _strings,
}
