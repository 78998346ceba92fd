"""What only a running server can show: several visitors, dropped connections, and processes that end."""

from __future__ import annotations

import signal
import socket
import threading
from pathlib import Path

import psutil
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.server.servers import Server, running
from tests.server.visitor import Visitor

VISITORS = 30
PATIENCE_S = 400


def mapped(process: psutil.Process) -> str:
    return Path(f"/proc/{process.pid}/maps").read_text()


def start_try_it(visitor: Visitor, server: Server) -> psutil.Process:
    """Press Try it. Give the worker once there is one."""
    visitor.follow(lambda: not server.workers, what="the end of looking at this machine")
    visitor.click("try_it")
    visitor.follow(lambda: bool(server.workers), what="a worker")
    return server.workers[0]


def test_the_server_has_not_loaded_tensorflow_but_its_host_has(server):
    visitor = Visitor(server.url)
    visitor.wait_for("TensorFlow sees")
    host = server.host
    assert host
    assert "libtensorflow" not in mapped(server.process)
    assert "libtensorflow" in mapped(host)
    visitor.close()


@pytest.mark.timeout(PATIENCE_S)
def test_thirty_visitors_at_once_each_get_what_they_asked_for(server):
    failures: list[str] = []

    def visit(number: int) -> None:
        visitor = Visitor(server.url)
        try:
            change_twice_and_estimate(visitor, number)
        except Exception as error:
            failures.append(f"visitor {number}: {error!r}")
        finally:
            visitor.close()

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(VISITORS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert server.workers == []
    assert len(server.below) == 1, "the host alone is left"


def change_twice_and_estimate(visitor: Visitor, number: int) -> None:
    """One visitor: other logical CPUs, strict or soft placement, and an estimate for all devices in force."""
    cpus = 1 + number % 3
    visitor.wait_for("TensorFlow sees", PATIENCE_S)
    visitor.enter("cpu_devices", cpus + 1)
    visitor.wait_for(f"Logical CPU devices: {cpus + 1}")
    visitor.enter("cpu_devices", cpus)
    visitor.switch("soft_placement", number % 2 == 0)
    visitor.wait_for(f"Soft placement: {'on' if number % 2 == 0 else 'off'}")
    visitor.choose("try_size", "The article’s 10,000 rows")
    visitor.wait_for(f"From a short probe of {cpus} contender", PATIENCE_S)
    expected = {"placement=strict"} if number % 2 else set()
    assert set(filter(None, visitor.query.split("&"))) == expected | ({f"cpu_devices={cpus}"} if cpus > 1 else set())


def test_cancel_ends_the_worker_and_the_page_stays_usable(server):
    visitor = Visitor(server.url)
    visitor.wait_for("TensorFlow sees")
    worker = start_try_it(visitor, server)
    visitor.click("try_it_cancel")
    visitor.wait_for("Cancelled")
    worker.wait(10)
    visitor.enter("cpu_devices", 2)
    visitor.wait_for("Logical CPU devices: 2")
    visitor.close()


def test_a_worker_that_is_killed_is_reported_on_the_page(server):
    visitor = Visitor(server.url)
    visitor.wait_for("TensorFlow sees")
    start_try_it(visitor, server).send_signal(signal.SIGKILL)
    visitor.wait_for("ended by signal 9")
    visitor.close()


def test_a_visitor_who_returns_within_the_grace_finds_the_job_running(server):
    visitor = Visitor(server.url)
    visitor.wait_for("TensorFlow sees")
    start_try_it(visitor, server)
    visitor.close()
    returned = Visitor(server.url, session=visitor.session)
    returned.follow(lambda: returned.sees("Cancel") or returned.sees("nothing to compare"), what="the job")
    returned.wait_for("nothing to compare")
    returned.close()


def test_a_new_session_starts_afresh(server):
    first = Visitor(server.url)
    first.wait_for("TensorFlow sees")
    first.enter("cpu_devices", 3)
    first.wait_for("Logical CPU devices: 3")
    second = Visitor(server.url)
    second.wait_for("Logical CPU devices: 1")
    assert not second.sees("Logical CPU devices: 3")
    first.close()
    second.close()


def test_a_killed_server_takes_its_host_and_workers_along():
    with running() as server:
        visitor = Visitor(server.url)
        visitor.wait_for("TensorFlow sees")
        start_try_it(visitor, server)
        below = server.below
        assert len(below) >= 2  # the host, a worker, and a probe while it looks
        server.process.kill()
        _, alive = psutil.wait_procs(below, timeout=10)
        assert alive == []


def test_a_host_dies_with_its_server_even_while_it_imports():
    with running() as server:
        visitor = Visitor(server.url)
        visitor.wait_for("Starting TensorFlow")
        visitor.follow(lambda: bool(server.below), what="the host")
        below = server.below
        server.process.kill()
        _, alive = psutil.wait_procs(below, timeout=10)
        assert alive == []


def test_a_server_that_is_asked_to_end_leaves_nothing_behind():
    with running() as server:
        visitor = Visitor(server.url)
        visitor.wait_for("TensorFlow sees")
        start_try_it(visitor, server)
        below = server.below
        server.process.terminate()
        _, alive = psutil.wait_procs(below, timeout=20)
        assert alive == []


def test_tensorflow_that_cannot_be_imported_leaves_the_server_up_and_the_page_saying_so(tmp_path):
    (tmp_path / "tensorflow.py").write_text("raise ImportError('libgone.so: cannot open shared object file')\n")
    with running(PYTHONPATH=str(tmp_path)) as server:
        visitor = Visitor(server.url, "cpu_devices=2")
        visitor.wait_for("libgone.so")
        assert visitor.number("cpu_devices") == 2
        assert visitor.sees("TensorFlow cannot be imported")
        (tmp_path / "tensorflow.py").unlink()
        visitor.click("try_again")
        visitor.wait_for("TensorFlow sees")
        visitor.wait_for("Logical CPU devices: 2")


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1.evil.example"])
def test_a_page_of_another_name_cannot_reach_the_dashboard(server, name):
    port = int(server.url.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port)) as rebound, pytest.raises(InvalidStatus):
        connect(f"ws://{name}:{port}/_stcore/stream", sock=rebound, origin=f"http://{name}:{port}", legacy=True)
