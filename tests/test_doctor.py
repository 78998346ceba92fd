from __future__ import annotations

import gzip
import json

import pytest

from tfcore.__main__ import main

ABSENT = "failed call to cuInit: UNKNOWN ERROR (303)\n"
MADE = "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 6400 MB memory:  -> device: 0, name: T4\n"


@pytest.mark.parametrize(
    ("text", "status", "usable"), [(ABSENT, 1, False), (MADE, 0, True), ("hello\n", 2, None), ("", 2, None)]
)
def test_the_exit_status_and_the_json_say_whether_a_gpu_is_usable(tmp_path, capsys, text, status, usable):
    (tmp_path / "a.log").write_text(text)
    assert main(["doctor", "--log", str(tmp_path / "a.log"), "--json"]) == status
    assert json.loads(capsys.readouterr().out)["usable"] is usable


def test_a_compressed_log_is_read(tmp_path, capsys):
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(ABSENT.encode()))
    assert main(["doctor", "--log", str(tmp_path / "a.log.gz")]) == 1
    assert "To mend it:" in capsys.readouterr().out


@pytest.mark.parametrize("path", ["/no/such/file", "/", ""])
def test_a_log_that_cannot_be_read_is_told_and_says_nothing_of_the_gpu(capsys, path):
    assert main(["doctor", "--log", path]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_the_report_has_no_names_in_it(tmp_path, capsys):
    log = (
        ABSENT + "Could not load dynamic library 'libcublas.so.11'; dlerror: x; LD_LIBRARY_PATH: /home/ann/cuda/lib64\n"
    )
    (tmp_path / "a.log").write_text(log)
    main(["doctor", "--log", str(tmp_path / "a.log"), "--report", "--json"])
    printed = capsys.readouterr().out
    assert json.loads(printed)["findings"]
    assert "ann" not in printed.replace("annot", "")
    assert "/home/<user>/cuda/lib64" in printed


def test_this_machine_is_diagnosed_in_words(capsys):
    assert main(["doctor"]) in (0, 1, 2)
    assert capsys.readouterr().out.strip()


def test_a_log_that_is_cut_short_says_what_to_do(tmp_path, capsys):
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(ABSENT.encode() * 100, mtime=0)[:-12])
    assert main(["doctor", "--log", str(tmp_path / "a.log.gz")]) == 2
    assert "gzip -dc" in capsys.readouterr().err
