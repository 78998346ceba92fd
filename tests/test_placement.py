from __future__ import annotations

import csv
import gzip
import io
import json

import pytest

from tests.test_placement_log import CPU, GPU, WRAPPED
from tfcore import placement, placement_files
from tfcore.errors import LogFileError
from tfcore.placement_log import read, read_text
from tfcore.placement_reasons import (
    BY_HAND,
    FELL_BACK,
    HOST_MEMORY,
    NO_DTYPE,
    NO_KERNEL,
    UNKNOWN,
    Asked,
    Explained,
    Kernel,
    Kernels,
    explain_messages,
    summary,
)

REGISTRY = Kernels(
    "2.21.0",
    {
        "MatMul": Kernel(True, ("float32", "float64")),
        "StringJoin": Kernel(False),
        "Shape": Kernel(True, (), host_output=True),
        "Identity": Kernel(True, ("float32", "string"), host_dtypes=("string",)),
    },
)
SEEN = f"Created device {GPU} with 9 MB memory:  -> device: 0, name: X, pci bus id: 0"


def explained(kind: str, asked: Asked | None = None, gpu: bool = True, kernels: Kernels | None = REGISTRY) -> Explained:
    log = f"one: ({kind}): {CPU}\ntwo: (Add): {GPU if gpu else CPU}\n"
    return Explained(read_text(log), kernels, asked or Asked())


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (explained("StringJoin"), NO_KERNEL),
        (explained("Shape"), HOST_MEMORY),
        (explained("MatMul"), UNKNOWN),
        (explained("MatMul", kernels=None), UNKNOWN),
        (explained("NeverHeardOf"), UNKNOWN),
        (explained("_MklMatMul", Asked("GPU:0", {}, ("CPU:0", "GPU:0"))), FELL_BACK),
        (explained("MatMul", Asked("CPU:0", {}, ("CPU:0", "GPU:0"))), BY_HAND),
        (explained("MatMul", Asked("GPU:7", {}, ("CPU:0", "GPU:0"))), FELL_BACK),
        (explained("MatMul", Asked("", {"one": "int32"}, ("CPU:0", "GPU:0"))), NO_DTYPE),
        (explained("Identity", Asked("", {"one": "string"}, ("CPU:0", "GPU:0"))), HOST_MEMORY),
        (explained("MatMul", gpu=False), ""),
    ],
)
def test_each_reason_for_the_cpu_is_given_by_its_cause(case, reason):
    (row,) = [row for row in case.placement.operations if row.names == ("one",)]
    assert case.reason(row) == reason


def test_what_runs_on_the_gpu_needs_no_reason():
    case = explained("StringJoin")
    assert [case.reason(row) for row in case.placement.operations if row.device == "GPU:0"] == [""]


def test_the_summary_says_how_many_ran_where_and_why():
    log = "".join(f"n{i}: (MatMul): {GPU}\n" for i in range(3)) + f"s: (StringJoin): {CPU}\n"
    said = summary(Explained(read_text(log), REGISTRY))
    assert said == "3 of 4 operations are placed on GPU:0; 1 of 4 operations are placed on CPU:0; 1 has no GPU kernel."


def test_calls_and_nodes_are_never_added_up():
    log = f"{WRAPPED}Executing op MatMul in device {GPU}\n" * 2
    assert summary(Explained(read_text(log))) == "2 of 2 calls ran on GPU:0."
    assert read_text(log).by_device() == {"GPU:0": {"placed": 0, "executed": 2}}


def test_an_empty_log_says_so():
    assert summary(Explained(read_text("nothing here"))) == "No operation is placed or executed in this log."


def test_two_placements_tell_what_moved_and_what_only_one_has():
    one = read_text(f"a: (X): {GPU}\nb: (Y): {GPU}\nc: (Z): {GPU}")
    other = read_text(f"a: (X): {CPU}\nb: (Y): {GPU}\nd: (Z): {GPU}")
    found = placement.compare(one, other)
    assert [(m.name, m.before, m.after) for m in found.moved] == [("a", "GPU:0", "CPU:0")]
    assert [node.name for node in found.only_before] == ["c"]
    assert [node.name for node in found.only_after] == ["d"]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Could not satisfy device specification '/GPU:0'. enable_soft_placement=0.", "soft placement is off"),
        ("Could not satisfy explicit device specification '/device:GPU:1'", "soft placement is off"),
        ("Unable to find any devices for spec /device:GPU:0", "soft placement is off"),
        ("Operation was explicitly assigned to /device:GPU:1 but available devices are [ /cpu:0 ]", "does not have"),
        ("Unknown attribute 'FOO' is encountered while parsing the device spec", "cannot be read"),
        ("ValueError: Unrecognized device: [PhysicalDevice(", "no physical device"),
        ("Invalid device ordinal value (1). Valid range is [0, 0].", "by a number"),
        ("RuntimeError: Visible devices cannot be modified after being initialized", "runtime had started"),
        ("RuntimeError: Intra op parallelism cannot be modified after initialization.", "number of threads"),
        ("ValueError: Memory growth cannot differ between GPU devices", "for some of the visible GPUs"),
        ("Cannot set memory growth on device when virtual devices configured", "exclude each other"),
        ("NCCL is not supported when using virtual GPUs, fallback to reduction to one device", "which it cannot"),
        ("because no supported kernel for GPU devices is available.", "has no kernel"),
    ],
)  # fmt: skip
def test_tensorflows_words_about_devices_are_explained(message, said):
    ((meaning, todo),) = explain_messages(f"Traceback\n{message}\n")
    assert said in meaning
    assert todo


HOSTILE = (
    f"=HYPERLINK(1): (MatMul): {GPU}\n<script>alert(1)</script>: (MatMul): {GPU}\n"
    f"x: (MatMul): {GPU} <img src=x onerror=alert(1)>\n@SUM(A1) y: (Mul): {GPU}\n"
)


def test_no_cell_of_the_csv_is_a_formula():
    text = placement_files.to_csv(Explained(read_text(HOSTILE)))
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert any("HYPERLINK" in cell or "@SUM" in cell for cell in cells)
    assert not [cell for cell in cells if cell.lstrip()[:1] in ("=", "+", "-", "@")]


def test_json_has_the_counts_that_another_reader_would_find():
    log = (
        f"{WRAPPED}Executing op MatMul in device {GPU}\n{SEEN}\nx: (Add): {CPU}\ny: (Mul): {CPU}\nExecuting op Z in de"
    )
    found = json.loads(placement_files.to_json(Explained(read_text(log), REGISTRY)))
    assert (found["nodes"], found["placed"], found["executed"], found["unreadable"]) == (5, 2, 1, 1)
    assert found["by_device"] == {"GPU:0": {"placed": 0, "executed": 1}, "CPU:0": {"placed": 2, "executed": 0}}
    assert found["devices"] == {"GPU:0": "X", "CPU:0": ""}
    assert found["registry"] == "2.21.0"


def test_a_compressed_log_is_unpacked_as_it_is_read():
    data = gzip.compress(f"x: (Mul): {GPU}\n".encode() * 100_000)
    assert read(placement_files.pieces(io.BytesIO(data))).lines == 100_000


@pytest.mark.parametrize("data", [gzip.compress(b"x" * 1000, mtime=0)[:-9], b"\x1f\x8bnot gzip at all"])
def test_a_damaged_archive_is_refused_with_the_reason(data):
    with pytest.raises(LogFileError, match="cannot be read to its end"):
        list(placement_files.pieces(io.BytesIO(data)))


def test_a_log_that_unpacks_to_too_much_is_refused():
    bomb = gzip.compress(b"\0" * (3 << 20))
    with pytest.raises(LogFileError, match="larger than"):
        list(placement_files.pieces(io.BytesIO(bomb), most=1 << 20))
