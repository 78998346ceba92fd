"""Measure one contender at some sizes, in a worker of its own."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tfcore import benchmark
from tfcore.benchmark import Round, RoundPlan, RoundResult
from tfcore.contenders import Contender
from tfcore.devices import GpuState, Unavailable
from tfcore.nvidia import gpu_state
from tfcore.placement import Executed, calls_in_order
from tfcore.placement_log import read_text
from tfcore.sampling import Limits, Sampled, sample
from tfcore.tasks import workloads
from tfcore.tasks.workloads import Computation
from tfcore.wire import Reporter

TASK = benchmark.ROUND
DIGEST = 64
LEAST_S = 0.3
SYNCHRONISING = "SyncDevice"  # what TensorFlow runs on every device to wait for it
NO_GPU = Unavailable("not a GPU")
NO_PEAK = Unavailable("TensorFlow does not track the CPU's memory")


def run(plan: RoundPlan, report: Reporter) -> RoundResult:
    """Apply the contender's options, then measure size by size, and send each ahead."""
    _configure(plan)
    rounds: list[Round] = []
    for size in plan.sizes:
        report.progress(f"{plan.contender.name} at {size:,}")
        rounds.append(_measure(plan, size, report))
        report.part(rounds[-1])
        if plan.enough_s and rounds[-1].call_s >= plan.enough_s:
            break
    return RoundResult(tuple(rounds))


def _configure(plan: RoundPlan) -> None:
    """Set what TensorFlow fixes when its runtime starts."""
    tf.debugging.set_log_device_placement(plan.probe)
    threads = plan.contender.threads
    if threads:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
    tf.config.experimental.enable_tensor_float_32_execution(plan.contender.tf32)


def _measure(plan: RoundPlan, size: int, report: Reporter) -> Round:
    """Make data, copy it in, call for the first time, sample, and copy the result back: in this order."""
    contender, before = plan.contender, len(report.printed()) if plan.probe else 0
    computation, data_s = _timed(lambda: _computation(plan, size))
    states = [_gpu_state(plan)]
    with tf.device(contender.device):
        inputs, copy_in_s = _timed(lambda: [tf.identity(tf.convert_to_tensor(x)) for x in computation.inputs])
        function = _function(computation, contender)
        result, dispatched_s, first_call_s = _first_call(lambda: function(*inputs))
        operations = _operations(report.printed()[before:]) if plan.probe else ()
        sampled = _sample(lambda: function(*inputs), plan)
    states.append(_gpu_state(plan))
    host, copy_out_s = _timed(lambda: np.asarray(result))
    return Round(
        size, data_s, copy_in_s, dispatched_s, first_call_s, sampled.warm_up_s, sampled.samples_s, sampled.batch,
        copy_out_s, digest(host), _peak_bytes(contender.device), operations,
        tuple(state for state in states if isinstance(state, GpuState)),
    )  # fmt: skip


def _operations(log: str) -> tuple[Executed, ...]:
    """Give what ran: eager calls in order, or the nodes of the function that was called."""
    found = read_text(log)
    calls = [call for call in calls_in_order(found) if call.op != SYNCHRONISING and not call.op.startswith("__")]
    nodes = [Executed(record.node.kind, record.node.device) for record in found.nodes if record.users]
    return tuple(calls or nodes)


def _gpu_state(plan: RoundPlan) -> GpuState | Unavailable:
    return gpu_state(plan.pci_bus_id) if plan.pci_bus_id and not plan.probe else NO_GPU


def _computation(plan: RoundPlan, size: int) -> Computation:
    make = getattr(workloads, plan.workload)
    found: Computation = make(size, plan.contender.dtype, np.random.default_rng(0))
    return found


def _function(computation: Computation, contender: Contender) -> Callable[..., Any]:
    if contender.xla:
        return tf.function(computation.function, jit_compile=True)  # type: ignore[no-any-return]
    return computation.function if computation.eager else tf.function(computation.function)


def _sample(call: Callable[[], Any], plan: RoundPlan) -> Sampled:
    limits = Limits(plan.budget_s, plan.fewest, plan.half_width, min(LEAST_S, plan.budget_s / 2))
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


def digest(result: Any) -> tuple[float | None, ...]:
    """Give 64 entries of a result, evenly apart, and the mean of all; None where one is not finite."""
    flat = np.asarray(result).reshape(-1)
    if np.iscomplexobj(flat):
        flat = np.concatenate([flat.real, flat.imag])
    chosen = flat[np.linspace(0, flat.size - 1, min(DIGEST, flat.size)).astype(int)].astype(np.float64)
    values = (*map(float, chosen), float(flat.astype(np.float64).mean()))
    return tuple(value if math.isfinite(value) else None for value in values)


def _peak_bytes(device: str) -> int | Unavailable:
    if device.startswith("CPU"):
        return NO_PEAK
    try:
        return int(tf.config.experimental.get_memory_info(device)["peak"])
    except ValueError as error:  # soft placement moved the work of a device that is not there
        return Unavailable(str(error))
