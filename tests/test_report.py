from __future__ import annotations

import pytest

from tfcore import report
from tfcore.diagnosis import diagnose
from tfcore.evidence import CudaAnswer, Evidence, GpuMemory, Holder, Machine, Package
from tfcore.probe.system import environment, own_environment


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/home/ann/x.py", "/home/<user>/x.py"),
        ("/homes/bob/x and /home1/bob/y", "/homes/<user>/x and /home1/<user>/y"),
        ("/Users/Ann/x", "/Users/<user>/x"),
        ("/scratch/project_1/bob/run", "/scratch/<removed>/run"),
        ("/data/bob/cuda/lib64", "/data/<removed>/lib64"),
        ("C:\\Users\\Ann Smith\\x", "C:\\Users\\<user>\\x"),
        ("cd ~bob/x", "cd ~<user>/x"),
        ("ann@lab-7:~$ nvidia-smi", "<user>@<host>:~$ nvidia-smi"),
        ("root@3f2a1b4c5d6e:/# ls", "<user>@<host>:/# ls"),
        ("mail ann.b@uni.example.org", "mail <mail>"),
        (
            "retrieving CUDA diagnostic information for host: lab-7",
            "retrieving CUDA diagnostic information for host: <host>",
        ),
        (
            "not appear to be running on this host (node17): /proc",
            "not appear to be running on this host (<host>): /proc",
        ),
        ("hostname: lab-7\nlab-7 failed", "hostname: <host>\n<host> failed"),
        ('{"worker": ["node17:2222"]}', '{"worker": ["<host>:2222"]}'),
        ("grpc://worker-3.example.com:2222", "grpc://<host>:2222"),
        ("node17.cluster.example.com is down", "<host> is down"),
        ("grpc://192.168.1.17:2222", "grpc://<address>:2222"),
        ("at 10.1.2.3. Then", "at <address>. Then"),
        ("ipv4:10.1.2.3:2222", "ipv4:<address>:2222"),
        ("addr=10.1.2.3", "addr=<address>"),
        ("fe80::1ff:fe23:4567:890a is up", "<address> is up"),
        ("52:54:00:12:34:56", "<mac>"),
        ("GPU-3f1c0b7e-1111-2222-3333-444455556666", "<uuid>"),
        ("MIG-3f1c0b7e-1111-2222-3333-444455556666", "<uuid>"),
        ("Serial Number: 0321717012345", "Serial Number: <gone>"),
        ('"serial": "0321717012345"', '"serial": "<gone>"'),
        ("token=abc123", "token=<removed>"),
        ('"token": "abc def"', '"token": <removed>'),
        ("AWS_SECRET_ACCESS_KEY=abc", "AWS_SECRET_ACCESS_KEY=<removed>"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer <removed>"),
        ("ghp_0123456789abcdefghij", "<removed>"),
        ("postgres://bob:pw@db/x", "postgres://<removed>@db/x"),
        ("uid=1000(bob)", "uid=1000(<user>)"),
        ("username 'bob'", "username '<user>'"),
        ("node3.cluster.uni.edu failed", "<host> failed"),
        ("the machine secretbox of annabel", "the machine <host> of <user>"),
        ("secretbox-ib0 annabel_env /opt/annabel-ml", "<host>-ib0 <user>_env /opt/<user>-ml"),
    ],
)
def test_what_names_people_machines_and_devices_is_taken_out(text, clean):
    assert report.redactor("annabel", "secretbox.local", seen=text)(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "pci bus id: 0000:01:00.0, compute capability: 8.0", "libcuda reported version is: 361.93.2", "cuDNN 8.9.7.29",
        "2020-11-23 15:03:26.928177: W tensorflow/core/common_runtime/gpu/gpu_device.cc:2251] x", "/usr/local/cuda-12.5/lib64",
        "nvidia-cudnn-cu12 9.3.0.75", "nvidia_cublas_cu12-12.5.3.2", "libnvinfer 8.6.1.6", "found 9.3.0.75", "tensorflow==2.21.0",
        "a::b tsl::abc::def", "Serial Number : N/A", "see https://www.tensorflow.org/install and docs.nvidia.com/cuda",
        "I0000 00:00:1733476848.5606   16 gpu_device.cc:2344]", "/job:localhost/replica:0/task:0/device:GPU:0",
    ],
)  # fmt: skip
def test_what_tells_of_the_fault_stays(text):
    assert report.redactor("root", "localhost", seen=text)(text) == text


def test_who_uses_the_gpus_is_left_out():
    held = GpuMemory(0, "T4", 10, 5, (Holder(1, "secret-job", "ann", 5),))
    found = diagnose(Evidence(Machine(memory=(held,), cuda=CudaAnswer(0, "CUDA_SUCCESS"))))
    for text in (report.as_text(found), report.as_json(found)):
        assert "secret-job" not in text
        assert "ann" not in text.replace("annot", "")


def test_secrets_in_the_environment_never_reach_the_report(monkeypatch):
    monkeypatch.setenv("TF_TOKEN_app_terraform_io", "s3cr3t")
    monkeypatch.setenv("TF_VAR_db_password", "hunter2")
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "2")
    found = environment(own_environment())
    assert found["TF_CPP_MIN_LOG_LEVEL"] == "2"
    assert not {"TF_TOKEN_app_terraform_io", "TF_VAR_db_password"} & set(found)
    shown = report.as_text(diagnose(Evidence(Machine(environment={"CUDA_API_KEY": "s3cr3t"}))))
    assert "s3cr3t" not in shown


def test_versions_stay_in_the_report():
    shown = report.as_json(diagnose(Evidence(Machine(packages=(Package("nvidia-cudnn-cu12", "9.3.0.75"),)))))
    assert "9.3.0.75" in shown
