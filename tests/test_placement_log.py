from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfcore.placement import WRAPPERS
from tfcore.placement_log import LogReader, read, read_text

GPU, CPU = "/job:localhost/replica:0/task:0/device:GPU:0", "/job:localhost/replica:0/task:0/device:CPU:0"
STAMP = "2024-01-02 03:04:05.678901: I tensorflow/core/common_runtime/"
ABSL = "I0000 00:00:1796139493.388488   16927 "


def nodes(text: str) -> list[tuple[str, str, str]]:
    return [(each.node.name, each.node.kind, each.node.device) for each in read_text(text).nodes]


def calls(text: str) -> dict[tuple[str, str], int]:
    return {(each.node.kind, each.node.device): each.count for each in read_text(text).calls}


@pytest.mark.parametrize(
    "line",
    [
        f"dense/MatMul: (MatMul): {GPU}",
        f"{STAMP}placer.cc:114] dense/MatMul: (MatMul): {GPU}",
        f"{STAMP}placer.cc:874] dense/MatMul: (MatMul){GPU}",
        "I tensorflow/simple_placer.cc:841] dense/MatMul: (MatMul)/job:localhost/replica:0/task:0/gpu:0",
        f"2017-01-02 03:04:05.678: I c:\\tf_jenkins\\home\\simple_placer.cc:841] dense/MatMul: (MatMul){GPU}",
        f"{ABSL}placer.cc:162] dense/MatMul: (MatMul): {GPU}",
        f"    dense/MatMul: (MatMul): {GPU}",
        f"# dense/MatMul: (MatMul): {GPU}",
        f"> dense/MatMul: (MatMul): {GPU}",
        f"(pid=11300) dense/MatMul: (MatMul): {GPU}",
        f"LogRow(line=115, message='dense/MatMul: (MatMul): {GPU}', timestamp='x')",
        f"12/100 [==>...] - loss: 0.5\r\x1b[1mdense/MatMul: (MatMul): {GPU}\x1b[0m",
        f"{STAMP}placer.cc:54] \n  dense/MatMul: (MatMul){GPU}",
        f"dense/MatMul: (MatMul): {GPU[:30]}\n{GPU[30:]}",
        f"  dense/MatMul: (  MatMul): {GPU[:-2]}  :0",
        f"dense/MatMul: (MatMul): {GPU}\r\n",
    ],
)
def test_a_placer_record_is_read_whatever_stands_around_it(line):
    assert nodes(line) == [("dense/MatMul", "MatMul", "GPU:0")]
    assert read_text(line).unreadable == 0


def test_a_record_without_a_kind_is_one_of_tensorflow_0():
    old = "/job:localhost/replica:0/task:0/gpu:2"
    assert nodes(f"a/b: {old}\nI tensorflow/simple_placer.cc:818] a/b: {old}\n") == [("a/b", "", "GPU:2")]


@pytest.mark.parametrize(
    ("device", "name"),
    [
        ("/job:localhost/replica:0/task:0/cpu:0", "CPU:0"),
        ("/job:localhost/replica:0/task:0/spu:0", "SPU:0"),
        ("/job:localhost/replica:0/task:0/device:XLA_GPU:0", "XLA_GPU:0"),
        ("/job:worker/replica:0/task:1/device:GPU:0", "/job:worker/task:1/GPU:0"),
        ("/job:ps/replica:0/task:0/cpu:0", "/job:ps/task:0/CPU:0"),
        ("/job:worker/replica:0/task:0/device:TPU:3", "/job:worker/task:0/TPU:3"),
    ],
)
def test_devices_have_one_name_each(device, name):
    assert nodes(f"x: (Mul): {device}") == [("x", "Mul", name)]
    assert calls(f"Executing op Mul in device {device}") == {("Mul", name): 1}


@pytest.mark.parametrize(
    "line",
    [
        f"Executing op A in device {GPU}Executing op B in device {CPU}",
        f"Executing op A in device {GPU}2021-01-01 00:00:00.000002: I x/execute.cc:1] Executing op B in device {CPU}",
    ],
)
def test_several_records_on_one_line_all_count(line):
    assert calls(line) == {("A", "GPU:0"): 1, ("B", "CPU:0"): 1}


def test_what_is_remembered_of_one_line_is_not_taken_for_another():
    text = "Executing op A in device GPU:0 [1] done\nExecuting op B in device CPU:0 [2] done\nx device [3] done\n"
    assert calls(text) == {("A", "GPU:0"): 1, ("B", "CPU:0"): 1}


def test_short_names_of_devices_are_read():
    assert nodes("a: (Const): /cpu:0\nb: (MatMul): /device:GPU:1") == [
        ("a", "Const", "CPU:0"),
        ("b", "MatMul", "GPU:1"),
    ]


def test_the_placers_own_remarks_are_no_cut_records():
    found = read_text(
        "W tensorflow/simple_placer.cc:669] Ignoring device specification /device:GPU:0 for node 'x' because"
    )
    assert (found.unreadable, found.node_count) == (0, 0)


def test_midnight_and_two_kinds_of_clock_do_not_confuse_the_times():
    head = "2024-01-0{} {}:00.500000: I eager/execute.cc:1] Executing op A in device " + CPU
    absl = "I0000 00:00:1796139493.388488   16927 execute.cc:1775] Executing op A in device " + CPU
    found = read_text("\n".join([head.format(1, "23:59"), head.format(2, "00:01"), absl]))
    assert [event.seconds for event in found.events] == [0.0, 120.0, None]


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\nb", 3)])
def test_lines_are_counted_as_an_editor_would(text, lines):
    assert read_text(text).lines == lines


def test_eager_calls_are_counted_every_time():
    line = f"{STAMP}eager/execute.cc:1525] Executing op MatMul in device {GPU}\n"
    assert calls(line * 3 + f"Executing op __inference_f_11 in device {CPU}") == {
        ("MatMul", "GPU:0"): 3, ("__inference_f_11", "CPU:0"): 1,
    }  # fmt: skip


def test_twins_and_steps_that_place_the_same_graph_again_count_once():
    step = f"x: (Mul): {GPU}\n{STAMP}placer.cc:114] x: (Mul): {GPU}\ny: (Add): {GPU}\n"
    assert read_text(step * 5).placed == 2


WRAPPED = f"a: (_Arg): {GPU}\nMatMul: (MatMul): {GPU}\nproduct_RetVal: (_Retval): {GPU}\n"


def test_the_tiny_graph_around_an_eager_operation_is_not_the_users():
    found = read_text(f"{WRAPPED}Executing op MatMul in device {GPU}\n")
    assert (found.node_count, found.placed, found.executed) == (3, 0, 1)


def test_stdout_alone_holds_wrappers_without_their_calls():
    assert read_text(WRAPPED).placed == 0


def test_a_function_of_the_user_keeps_its_nodes_though_one_is_named_like_a_wrapper():
    function = (
        f"x: (_Arg): {GPU}\nMatMul: (MatMul): {GPU}\nIdentity: (Identity): {GPU}\nidentity_RetVal: (_Retval): {GPU}\n"
    )
    found = read_text(
        f"{WRAPPED}Executing op MatMul in device {GPU}\n{function}Executing op __inference_f_1 in device {GPU}\n"
    )
    assert found.placed == 2


@pytest.mark.parametrize(
    "line",
    [
        f"[{CPU}] (DEBUG INFO) Executor start aborting (this does not indicate an error)",
        f"INFO:tensorflow:Reduce to {CPU} then broadcast to ('{CPU}',).",
        f"{{{{function_node __wrapped__Mul_device_{CPU}}}}} failed",
        f"available devices are [ {CPU}, {GPU} ]",
        f"{GPU} -> device: 0, name: Some GPU, pci bus id: 0000:01:00.0",
        f"Created TensorFlow device ({GPU} with 100 MB memory) -> physical GPU (device: 0, name: Some GPU)",
        f"{STAMP}computation_placer.cc:177] computation placer already registered",
        "Colocations handled automatically by placer.",
        "hello",
        "",
    ],
)
def test_a_line_that_merely_mentions_a_device_is_no_record(line):
    found = read_text(line)
    assert found.is_empty
    assert found.unreadable == 0


def test_devices_that_the_log_shows_to_exist_are_known_with_their_model():
    found = read_text(f"Created device {GPU} with 9 MB memory:  -> device: 0, name: Fast GPU, pci bus id: 0000:01:00.0")
    assert [(each.device, each.model) for each in found.devices] == [("GPU:0", "Fast GPU")]
    assert found.has_gpu()


@pytest.mark.parametrize(
    "line", ["Executing op MatMul in dev", f"{STAMP}placer.cc:114] dense/MatMul: (MatMul): /job:local"]
)
def test_what_should_be_a_record_and_cannot_be_read_is_counted_and_kept(line):
    found = read_text(f"first\n{line}\nlast")
    assert found.unreadable == 1
    assert (found.unreadable_lines[0].line, found.unreadable_lines[0].raw) == (2, line)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_any_encoding_is_read(encoding):
    data = f"x: (Mul): {GPU}\ngröße: 1\nExecuting op Mul in device {GPU}\n".encode(encoding)
    for size in (1, 7, len(data)):
        found = read(data[at : at + size] for at in range(0, len(data), size))
        assert (found.node_count, found.executed) == (1, 1)


def test_times_become_seconds_since_the_first_call():
    head = "2024-01-02 03:04:0{}.500000: I tensorflow/core/common_runtime/eager/execute.cc:1] Executing op A in device "
    found = read_text(head.format(5) + CPU + "\n" + head.format(7) + CPU + f"\nExecuting op A in device {CPU}")
    assert [event.seconds for event in found.events] == [0.0, 2.0, None]


DEVICES = st.sampled_from([
    "/job:localhost/replica:0/task:0/device:GPU:0", "/job:localhost/replica:0/task:0/device:CPU:0",
    "/job:localhost/replica:0/task:0/cpu:0", "/job:worker/replica:0/task:3/device:GPU:1",
    "/job:localhost/replica:0/task:0/device:XLA_CPU:0", "/job:ps/replica:0/task:0/gpu:0",
])  # fmt: skip
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_/.-]{0,20}[A-Za-z0-9]", fullmatch=True)
KINDS = st.from_regex(r"[A-Z][A-Za-z0-9]{1,12}", fullmatch=True).filter(lambda kind: kind not in WRAPPERS)
DECORATIONS = st.sampled_from(["", "    ", "\t", "# ", "> ", "(pid=12) ", ">>> ", "\x1b[1m", "7/9 [=>.] - loss: 0.1\r"])
PREFIXES = st.sampled_from([
    "", "I tensorflow/core/common_runtime/simple_placer.cc:818] ", STAMP + "placer.cc:114] ", ABSL + "placer.cc:162] ",
])  # fmt: skip
NOISE = st.sampled_from(
    ["", "loss: 0.5", f"[{CPU}] (DEBUG INFO) aborting", "WARNING: All log messages", f"{GPU} -> device: 0, name: X"]
)
COLONS = st.sampled_from([": ", ""])


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(NAMES, KINDS, DEVICES, DECORATIONS, PREFIXES, COLONS, NOISE, st.booleans()), min_size=2, max_size=20
    )
)
def test_a_log_written_from_records_reads_back_to_the_same_records(written):
    from tfcore.placement import in_canonical_form

    lines, expected, counted = [], {}, {}
    for name, kind, device, decoration, prefix, colon, noise, eager in written:
        if eager:
            lines += [noise, f"{decoration}{prefix}Executing op {kind} in device {device}"]
            key = (kind, in_canonical_form(device))
            counted[key] = counted.get(key, 0) + 1
        else:
            lines += [noise, f"{decoration}{prefix}n_{name}: ({kind}){colon}{device}"]
            expected[f"n_{name}", kind, in_canonical_form(device)] = None
    text = "\n".join(lines)
    assert sorted(nodes(text)) == sorted(expected)
    assert calls(text) == counted
    assert read_text(text).placed == len(expected)


@settings(max_examples=300)
@given(
    st.lists(
        st.binary(max_size=60)
        | st.sampled_from([GPU.encode(), b"Executing op ", b" in device ", b"] ", b"x: (Y): ", b"\n"])
    )
)
def test_any_bytes_are_read_without_an_error(parts):
    reader = LogReader()
    for part in parts:
        reader.feed(part)
    assert reader.finish().lines >= 0


@given(st.integers(1, 50))
def test_the_size_of_the_pieces_makes_no_difference(size):
    data = (WRAPPED + f"Executing op MatMul in device {GPU}\nx: (Mul): {CPU}\r\ny: (Add): {CPU}\n").encode()
    assert read(data[at : at + size] for at in range(0, len(data), size)) == read(iter([data]))
