from __future__ import annotations

import socket
import subprocess
import sys

from tests.conftest import ROOT
from tfcore import launch


def launched(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tfcore.launch", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_by_default_only_this_computers_own_names_are_answered():
    allowed = [text for text in launch.arguments("127.0.0.1", 8501) if "allowedHosts" in text]
    assert allowed == [f"--server.allowedHosts={name}" for name in launch.LOOPBACK]


def test_opened_to_others_it_answers_to_the_names_they_reach_it_by():
    allowed = " ".join(launch.arguments("0.0.0.0", 8501))
    assert f"--server.allowedHosts={socket.gethostname()}" in allowed
    assert "--server.address=0.0.0.0" in allowed


def test_a_port_that_is_taken_is_named_with_another_to_try():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = launched("--port", str(port))
    assert result.returncode == 1
    assert f"127.0.0.1:{port} cannot be used: Address already in use" in result.stderr
    assert f"make run PORT={port + 1}" in result.stderr


def test_a_port_that_cannot_be_is_refused():
    result = launched("--port", "99999")
    assert "PORT=99999 is not a port" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_host_that_is_not_this_computers_is_refused():
    result = launched("--host", "203.0.113.7", "--port", "8765")
    assert "cannot be used" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_host_name_that_does_not_resolve_is_refused():
    result = launched("--host", "no.such.host.invalid", "--port", "8765")
    assert "cannot be used" in result.stderr
    assert "Traceback" not in result.stderr
