"""Run the article's computation on one device and time it."""

from __future__ import annotations

import time

import tensorflow as tf

from tfcore import article
from tfcore.article import RawRun, RunPlan
from tfcore.placement import executed
from tfcore.wire import Reporter

TASK = article.RUN


def run(plan: RunPlan, report: Reporter) -> RawRun:
    """Time the first call as the article did, then whole passes with the device synchronised."""
    report.progress(f"First call on {plan.device}")
    start = time.perf_counter()
    total = one_pass(plan.device, plan.size)
    first_call_s = time.perf_counter() - start
    value = float(total)
    operations = executed(report.printed())
    samples = _samples(plan, report, first_call_s)
    return RawRun(first_call_s, tuple(samples), value, operations)


def one_pass(device: str, size: int) -> tf.Tensor:
    """The computation itself: seed 0, uniform in 0..3, a times its transpose, sum of all entries."""
    tf.random.set_seed(0)
    with tf.device(device):
        a = tf.random.uniform((size, size), minval=0.0, maxval=3.0)
        return tf.reduce_sum(tf.matmul(a, tf.transpose(a)))


def timed_pass(device: str, size: int) -> float:
    """Time one pass in seconds, with all devices synchronised before and after."""
    tf.test.experimental.sync_devices()
    start = time.perf_counter()
    one_pass(device, size)
    tf.test.experimental.sync_devices()
    return time.perf_counter() - start


def _samples(plan: RunPlan, report: Reporter, expected_s: float) -> list[float]:
    """Take samples until the next one would not fit the budget; at least one."""
    samples: list[float] = []
    while not samples or (len(samples) < plan.most_samples and sum(samples) + expected_s <= plan.budget_s):
        report.progress(f"Pass {len(samples) + 1} on {plan.device}", _fraction(samples, plan))
        samples.append(timed_pass(plan.device, plan.size))
        expected_s = samples[-1]
    return samples


def _fraction(samples: list[float], plan: RunPlan) -> float:
    return min(1.0, max(len(samples) / plan.most_samples, sum(samples) / plan.budget_s))
