from __future__ import annotations

import pytest

from tfcore.errors import TaskError, WorkerDied, ended_by


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (-9, "ended by signal 9 (SIGKILL)"),
        (-11, "ended by signal 11 (SIGSEGV)"),
        (-63, "ended by signal 63"),
        (3, "ended with exit status 3"),
    ],
)
def test_an_end_is_told_by_its_signal_or_status(status, said):
    assert ended_by(status) == said


def test_a_death_has_a_likely_cause_and_something_to_do():
    error = WorkerDied(-9)
    assert "out of memory" in error.cause
    assert "run it again" in error.todo


@pytest.mark.parametrize(
    ("kind", "message", "cause"),
    [
        ("ResourceExhaustedError", "failed to allocate", "less free memory"),
        ("InternalError", "CUDA_ERROR_OUT_OF_MEMORY: out of memory", "less free memory"),
        ("MemoryError", "", "less free memory"),
        ("InvalidArgumentError", "Could not satisfy device specification '/GPU:0'", "soft placement is off"),
        ("InvalidArgumentError", "Unable to find any devices for spec /device:GPU:0", "soft placement is off"),
    ],
)
def test_tensorflows_common_errors_are_explained(kind, message, cause):
    assert cause in TaskError(kind, message).cause


def test_a_message_of_any_length_is_cut():
    assert len(TaskError("X", "y" * 100_000).what) < 2000
