from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcore import log_signs

MISSING = (
    "2020-11-23 15:03:26.928177: W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic "
    "library 'libcublas.so.11'; dlerror: libcublas.so.11: cannot open shared object file: No such file or directory"
)


def signs_of(text: str | bytes) -> log_signs.Signs:
    data = text if isinstance(text, bytes) else text.encode()
    return log_signs.read(iter([data[start : start + 97] for start in range(0, len(data), 97)]))


@pytest.mark.parametrize(
    "decoration",
    [
        "{}",
        "    {}",
        "> {}",
        "(pid=11) {}",
        "Epoch 1/5\r{}",
        "\x1b[33m{}\x1b[0m",
        "LogRow(line=1, message='{}')",
        "{}\r",
    ],
)
def test_a_sign_is_found_whatever_stands_around_it(decoration):
    (seen,) = signs_of("before\n" + decoration.format(MISSING) + "\nafter\n").get("missing")
    assert seen.groups["lib"] == "libcublas.so.11"


@pytest.mark.parametrize(
    ("line", "library"),
    [
        ("I tensorflow/stream_executor/dso_loader.cc:102] Couldn't open CUDA library libcudnn.so.5. LD_LIBRARY_PATH: ", "libcudnn.so.5"),
        ("ImportError: libcublas.so.9.0: cannot open shared object file: No such file or directory", "libcublas.so.9.0"),
        ("Could not load dynamic library 'cudart64_101.dll'; dlerror: cudart64_101.dll not found", "cudart64_101.dll"),
        ("Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open", "libcudnn_cnn_infer.so.8"),
        ("ImportError: Could not find 'cudart64_100.dll'. TensorFlow requires that this DLL", "cudart64_100.dll"),
        ("I0000 00:00:1796196161.706245   16427 dso_loader.cc:144] Could not load dynamic library 'libcudnn.so.9'; dlerror: x", "libcudnn.so.9"),
    ],
)  # fmt: skip
def test_a_library_is_named_in_the_words_of_every_version(line, library):
    (seen,) = signs_of(line).get("missing")
    assert library in (seen.groups.get("lib"), seen.groups.get("direct"))


def test_a_line_that_was_wrapped_is_read_all_the_same():
    wrapped = (
        "E cuda_diagnostics.cc:296] kernel version 352.63.0 does not\n   match DSO version 361.93.2 -- cannot find"
    )
    (seen,) = signs_of(wrapped).get("mismatch")
    assert (seen.groups["kernel"], seen.groups["dso"]) == ("352.63.0", "361.93.2")


def test_signs_keep_their_line_and_twins_are_kept_once():
    signs = signs_of("one\n" + MISSING + "\n" + MISSING.replace("928177", "928999") + "\n")
    assert [seen.line for seen in signs.get("missing")] == [2]
    assert signs.lines == 3


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.12.0\n", "2.12.0"), ("TensorFlow version: 2.9.1\n", "2.9.1"), ("TF 2.21.0\n", "2.21.0"),
        ("tensorflow-gpu==1.15.5\n", "1.15.5"), ("Python 3.9.1\nnumpy 1.26\n", ""), ("no version\n", ""),
    ],
)  # fmt: skip
def test_tensorflows_version_is_read_where_the_log_tells_it(text, version):
    assert signs_of(text).version == version


def test_alarming_lines_that_are_harmless_are_known():
    text = "E cuda_dnn.cc:1] Unable to register cuDNN factory: Attempting\nW TF-TRT Warning: Could not find TensorRT\n"
    assert len(signs_of(text).harmless) == 2
    assert signs_of(text).get("missing") == ()


@given(st.binary(max_size=3000))
def test_any_bytes_are_read(data):
    assert signs_of(data).lines >= 0


@given(st.text(max_size=500))
def test_a_sign_survives_any_text_around_it(noise):
    noise = noise.replace("\x00", "")
    found = signs_of(f"{noise}\n{MISSING}\n{noise}".encode(errors="replace"))
    assert found.get("missing")
