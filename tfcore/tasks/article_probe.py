"""Find out how fast a device is at the article's computation, in a fraction of a second."""

from __future__ import annotations

from tfcore import article
from tfcore.article import ProbePlan, Rate
from tfcore.tasks.article import timed_pass
from tfcore.wire import Reporter

TASK = article.PROBE


def run(plan: ProbePlan, report: Reporter) -> Rate:
    """Double the matrix until a pass, after a warm-up, takes long enough to predict larger ones."""
    report.progress(f"Estimating {plan.device}")
    size = 500
    timed_pass(plan.device, size)
    half, took = timed_pass(plan.device, size // 2), timed_pass(plan.device, size)
    while took < plan.long_enough_s and size < plan.largest:
        size *= 2
        half, took = took, timed_pass(plan.device, size)
    return Rate(plan.device, size, took, half)
