from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tfcore import __main__ as command_line
from tfcore.training import free_ports


def node(cluster: str, index: int, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tfcore", "worker-node", "--cluster", cluster, "--index", str(index), *more]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_two_nodes_find_each_other_and_train():
    cluster = ",".join(f"127.0.0.1:{port}" for port in free_ports(2))
    nodes = [node(cluster, index, "--epochs", "1") for index in range(2)]
    for index, each in enumerate(nodes):
        printed, told = each.communicate(timeout=150)
        assert each.returncode == 0, told
        assert printed.startswith(f"Trained on {cluster.replace(',', ', ')}: loss 2.36")
        assert f"Worker {index} at" in told
        assert "waits for" in told


def test_a_member_that_never_comes_is_named(capsys):
    here, gone = free_ports(2)
    cluster = f"127.0.0.1:{here},127.0.0.1:{gone}"
    arguments = ["worker-node", "--cluster", cluster, "--index", "0", "--wait", "8"]
    assert command_line.main(arguments) == 2
    assert f"not complete within 8 s: 127.0.0.1:{gone} did not come." in capsys.readouterr().err


def test_a_port_that_is_taken_is_refused(capsys):
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = taken.getsockname()[1]
        arguments = ["worker-node", "--cluster", f"127.0.0.1:{port},127.0.0.1:1", "--index", "0"]
        assert command_line.main(arguments) == 2
    assert f"Port {port} cannot be used: Address already in use" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("cluster", "index", "said"),
    [
        ("nonsense", "0", "no addresses"),
        ("a:1", "0", "no addresses"),
        ("a:1,a:1", "0", "no addresses"),
        ("a:1,b:99999", "0", "no addresses"),
        ("a:1,b:2", "2", "no place in the cluster"),
    ],
)
def test_a_cluster_that_cannot_be_is_refused(capsys, cluster, index, said):
    assert command_line.main(["worker-node", "--cluster", cluster, "--index", index]) == 2
    assert said in capsys.readouterr().err
