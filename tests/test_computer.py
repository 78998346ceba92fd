from __future__ import annotations

from tfcore import computer
from tfcore.devices import Unavailable


def test_this_computer_is_described():
    found = computer.read_computer()
    assert found.logical_cores >= 1
    assert 0 < found.available_memory_bytes <= found.memory_bytes


def test_a_containers_limit_counts_and_droppable_cache_does_not(tmp_path):
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("700000\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 300000\nslab 5\n")
    assert computer._container_memory(tmp_path) == (1_000_000, 400_000)


def test_a_version_1_container_is_read_too(tmp_path):
    (tmp_path / "memory").mkdir()
    for name, text in {
        "limit_in_bytes": "5000",
        "usage_in_bytes": "600",
    }.items():
        (tmp_path / "memory" / f"memory.{name}").write_text(text)
    (tmp_path / "memory" / "memory.stat").write_text("cache 3\ntotal_inactive_file 100\n")
    assert computer._container_memory(tmp_path) == (5000, 500)


def test_no_limit_is_no_limit(tmp_path):
    assert computer._container_memory(tmp_path) == (0, 0)
    for name, text in {"memory.max": "max", "memory.current": "5", "memory.stat": ""}.items():
        (tmp_path / name).write_text(text)
    assert computer._container_memory(tmp_path) == (0, 0)


def test_the_processor_is_named_or_it_is_said_why_not(tmp_path):
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\n")
    assert computer._cpu_model(info) == "Some CPU @ 3 GHz"
    missing = computer._cpu_model(tmp_path / "missing")
    assert isinstance(missing, (str, Unavailable))
    assert str(missing)
