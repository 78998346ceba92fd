from __future__ import annotations

import pytest

from tfcore import report
from tfcore.diagnosis import diagnose
from tfcore.evidence import CudaAnswer, Evidence, GpuMemory, Holder, Machine


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/home/ann/x.py", "/home/<user>/x.py"),
        ("/Users/Ann/x", "/Users/<user>/x"),
        ("C:\\Users\\Ann B\\x", "C:\\Users\\<user> B\\x"),
        ("ann@lab-7:~$ nvidia-smi", "<user>@<host>:~$ nvidia-smi"),
        ("mail ann.b@uni.example.org", "mail <mail>"),
        (
            "retrieving CUDA diagnostic information for host: lab-7",
            "retrieving CUDA diagnostic information for host: <host>",
        ),
        ("hostname: lab-7", "hostname: <host>"),
        ("grpc://192.168.1.17:2222", "grpc://<address>:2222"),
        ("fe80::1ff:fe23:4567:890a is up", "<address> is up"),
        ("52:54:00:12:34:56", "<mac>"),
        ("GPU-3f1c0b7e-1111-2222-3333-444455556666", "<uuid>"),
        ("MIG-3f1c0b7e-1111-2222-3333-444455556666", "<uuid>"),
        ("Serial Number: 0321717012345", "Serial Number: <gone>"),
        ("token=abc123", "token=<removed>"),
        ("node3.cluster.uni.edu failed", "<host> failed"),
        ("the machine secretbox of annabel", "the machine <host> of <user>"),
    ],
)
def test_what_names_people_machines_and_devices_is_taken_out(text, clean):
    assert report.redactor("annabel", "secretbox.local")(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "pci bus id: 0000:01:00.0, compute capability: 8.0", "libcuda reported version is: 361.93.2", "cuDNN 8.9.7.29",
        "2020-11-23 15:03:26.928177: W tensorflow/core/common_runtime/gpu/gpu_device.cc:2251] x", "/usr/local/cuda-12.5/lib64",
        "I0000 00:00:1733476848.5606   16 gpu_device.cc:2344]", "tensorflow==2.21.0", "/job:localhost/replica:0/task:0/device:GPU:0",
    ],
)  # fmt: skip
def test_what_tells_of_the_fault_stays(text):
    assert report.redactor("root", "localhost")(text) == text


def test_who_uses_the_gpus_is_left_out():
    held = GpuMemory(0, "T4", 10, 5, (Holder(1, "secret-job", "ann", 5),))
    found = diagnose(Evidence(Machine(memory=(held,), cuda=CudaAnswer(0, "CUDA_SUCCESS"))))
    for text in (report.as_text(found), report.as_json(found)):
        assert "secret-job" not in text
        assert "ann" not in text.replace("annot", "")
