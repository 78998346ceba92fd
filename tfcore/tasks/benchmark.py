"""Measure one contender at some sizes, in a worker of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tfcore import benchmark
from tfcore.benchmark import Contender, Round, RoundPlan, RoundResult
from tfcore.devices import Unavailable
from tfcore.placement import executed
from tfcore.sampling import Limits, Sampled, sample
from tfcore.tasks import workloads
from tfcore.tasks.workloads import Computation
from tfcore.wire import Reporter

TASK = benchmark.ROUND
DIGEST = 64
SYNCHRONISING = "SyncDevice"  # what TensorFlow runs on every device to wait for it
NO_PEAK = Unavailable("TensorFlow does not track the CPU's memory")


def run(plan: RoundPlan, report: Reporter) -> RoundResult:
    """Apply the contender's options, then measure size by size."""
    _configure(plan.contender)
    rounds = []
    for number, size in enumerate(plan.sizes):
        report.progress(f"{plan.contender.name}: {size:,}", number / len(plan.sizes))
        rounds.append(_measure(plan, size, report))
    return RoundResult(tuple(rounds))


def _configure(contender: Contender) -> None:
    """Set what TensorFlow fixes when its runtime starts."""
    if contender.threads:
        tf.config.threading.set_intra_op_parallelism_threads(contender.threads)
        tf.config.threading.set_inter_op_parallelism_threads(contender.threads)
    tf.config.experimental.enable_tensor_float_32_execution(contender.tf32)


def _measure(plan: RoundPlan, size: int, report: Reporter) -> Round:
    """Make data, copy it in, call for the first time, sample, and copy the result back: in this order."""
    contender, before = plan.contender, len(report.printed())
    computation, data_s = _timed(lambda: _computation(plan, size))
    with tf.device(contender.device):
        inputs, copy_in_s = _timed(lambda: [tf.identity(tf.convert_to_tensor(x)) for x in computation.inputs])
        function = _function(computation, contender)
        result, dispatched_s, first_call_s = _first_call(lambda: function(*inputs))
        operations = tuple(o for o in executed(report.printed()[before:]) if o.op != SYNCHRONISING)
        sampled = _sample(lambda: function(*inputs), plan)
    host, copy_out_s = _timed(lambda: np.asarray(result))
    return _round(size, data_s, copy_in_s, dispatched_s, first_call_s, sampled, copy_out_s, host, operations, contender)


def _computation(plan: RoundPlan, size: int) -> Computation:
    make = getattr(workloads, plan.workload)
    found: Computation = make(size, plan.contender.dtype, np.random.default_rng(0))
    return found


def _function(computation: Computation, contender: Contender) -> Callable[..., Any]:
    if contender.xla:
        return tf.function(computation.function, jit_compile=True)  # type: ignore[no-any-return]
    return computation.function if computation.eager else tf.function(computation.function)


def _sample(call: Callable[[], Any], plan: RoundPlan) -> Sampled:
    limits = Limits(plan.budget_s, plan.fewest, plan.half_width)
    return sample(call, tf.test.experimental.sync_devices, time.perf_counter, limits)


def _timed(act: Callable[[], Any]) -> tuple[Any, float]:
    """Give what the action gives, and its seconds with the devices idle before and after."""
    value, _, seconds = _first_call(act)
    return value, seconds


def _first_call(act: Callable[[], Any]) -> tuple[Any, float, float]:
    """Give what the action gives, its seconds without waiting for the device, and with."""
    tf.test.experimental.sync_devices()
    began = time.perf_counter()
    value = act()
    dispatched_s = time.perf_counter() - began
    tf.test.experimental.sync_devices()
    return value, dispatched_s, time.perf_counter() - began


def _round(
    size: int, data_s: float, copy_in_s: float, dispatched_s: float, first_call_s: float, sampled: Sampled,
    copy_out_s: float, host: Any, operations: Any, contender: Contender,
) -> Round:  # fmt: skip
    return Round(
        size=size,
        data_s=data_s,
        copy_in_s=copy_in_s,
        dispatched_s=dispatched_s,
        first_call_s=first_call_s,
        warm_up_s=sampled.warm_up_s,
        samples_s=sampled.samples_s,
        batch=sampled.batch,
        copy_out_s=copy_out_s,
        digest=digest(host),
        peak_bytes=_peak_bytes(contender.device),
        operations=operations,
    )


def digest(result: Any) -> tuple[float, ...]:
    """Give 64 entries of a result, evenly apart, and the mean of all."""
    flat = np.asarray(result).reshape(-1)
    if np.iscomplexobj(flat):
        flat = np.concatenate([flat.real, flat.imag])
    chosen = flat[np.linspace(0, flat.size - 1, min(DIGEST, flat.size)).astype(int)].astype(np.float64)
    return (*map(float, chosen), float(flat.astype(np.float64).mean()))


def _peak_bytes(device: str) -> int | Unavailable:
    if device.startswith("CPU"):
        return NO_PEAK
    return int(tf.config.experimental.get_memory_info(device)["peak"])
