from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT


def run(script: str, folder) -> subprocess.CompletedProcess[str]:
    prelude = f"from tfcore.worker import capture\ncapture.redirect({str(folder / 'out')!r}, {str(folder / 'err')!r})\n"
    return subprocess.run(
        [sys.executable, "-c", prelude + script], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_both_streams_go_to_files_native_codes_too(tmp_path):
    run("import os\nprint('python', flush=True)\nos.write(2, b'native')", tmp_path)
    assert (tmp_path / "out").read_text() == "python\n"
    assert (tmp_path / "err").read_text() == "native"


def test_what_was_printed_can_be_read_back_and_checking_leaves_no_trace(tmp_path):
    run(
        "import os\nos.write(2, b'said')\ncapture.check_complete()\nos.write(1, capture.captured(2).encode())", tmp_path
    )
    assert (tmp_path / "out").read_text() == "said"
    assert (tmp_path / "err").read_text() == "said"


def test_a_log_is_bounded_and_the_worker_learns_that_it_was_cut(tmp_path):
    script = """
import os
capture.LIMIT_BYTES = 1000
capture.redirect(OUT, ERR)
try:
    while True:
        os.write(2, b'x' * 100)
except OSError:
    pass
try:
    capture.check_complete()
except OSError:
    os.write(1, b'cut')
""".replace("OUT", repr(str(tmp_path / "out"))).replace("ERR", repr(str(tmp_path / "err")))
    run(script, tmp_path)
    assert (tmp_path / "err").stat().st_size == 1000
    assert (tmp_path / "out").read_text() == "cut"
