from __future__ import annotations

import pytest

from tfcore.devices import Unavailable
from tfcore.probe import isolated


def test_what_a_command_prints_is_given():
    assert isolated.command("echo", "hello") == "hello"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit('no such device')", "failed: no such device"),
        ("import os; os.abort()", "crashed (SIGABRT)"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "crashed (SIGSEGV)"),
    ],
)
def test_what_fails_or_crashes_is_not_available_and_says_why(code, said):
    found = isolated.python(code)
    assert isinstance(found, Unavailable)
    assert said in found.reason


def test_what_hangs_is_ended_when_its_time_is_up_with_all_that_it_started():
    found = isolated.run(["sh", "-c", "sleep 1000 & wait"], "sh", limit_s=0.2)
    assert found == Unavailable("no answer from sh within 0.2 s")


def test_a_command_that_is_not_there_is_named():
    assert isolated.command("no-such-command") == Unavailable("no command no-such-command")
