"""What each TensorFlow was built for. Source: https://www.tensorflow.org/install/source#gpu, table of tested builds."""

from __future__ import annotations

import re

# TensorFlow: (CUDA, cuDNN, Pythons)
TESTED: dict[str, tuple[str, str, str]] = {
    "2.21": ("12.5", "9.3", "3.10 to 3.13"),
    "2.20": ("12.5", "9.3", "3.9 to 3.13"),
    "2.19": ("12.5", "9.3", "3.9 to 3.12"),
    "2.18": ("12.5", "9.3", "3.9 to 3.12"),
    "2.17": ("12.3", "8.9", "3.9 to 3.12"),
    "2.16": ("12.3", "8.9", "3.9 to 3.12"),
    "2.15": ("12.2", "8.9", "3.9 to 3.11"),
    "2.14": ("11.8", "8.7", "3.9 to 3.11"),
    "2.13": ("11.8", "8.6", "3.8 to 3.11"),
    "2.12": ("11.8", "8.6", "3.8 to 3.11"),
    "2.11": ("11.2", "8.1", "3.7 to 3.10"),
    "2.10": ("11.2", "8.1", "3.7 to 3.10"),
    "2.9": ("11.2", "8.1", "3.7 to 3.10"),
    "2.8": ("11.2", "8.1", "3.7 to 3.10"),
    "2.7": ("11.2", "8.1", "3.7 to 3.9"),
    "2.6": ("11.2", "8.1", "3.6 to 3.9"),
    "2.5": ("11.2", "8.1", "3.6 to 3.9"),
    "2.4": ("11.0", "8.0", "3.6 to 3.8"),
    "2.3": ("10.1", "7.6", "3.5 to 3.8"),
    "2.2": ("10.1", "7.6", "3.5 to 3.8"),
    "2.1": ("10.1", "7.6", "2.7 and 3.5 to 3.7"),
    "2.0": ("10.0", "7.4", "2.7 and 3.3 to 3.7"),
    "1.15": ("10.0", "7.4", "2.7 and 3.3 to 3.7"),
    "1.14": ("10.0", "7.4", "2.7 and 3.3 to 3.7"),
    "1.13": ("10.0", "7.4", "2.7 and 3.3 to 3.7"),
    "1.12": ("9.0", "7", "2.7 and 3.3 to 3.6"),
    "1.11": ("9.0", "7", "2.7 and 3.3 to 3.6"),
    "1.10": ("9.0", "7", "2.7 and 3.3 to 3.6"),
    "1.4": ("8.0", "6", "2.7 and 3.3 to 3.6"),
    "1.0": ("8.0", "5.1", "2.7 and 3.3 to 3.6"),
}
PYTHONS = (10, 13)  # of the newest TensorFlow: 3.10 to 3.13

_CUDA_OF_LIBRARY = (
    (re.compile(r"libcudnn\.so\.6\.5|cudnn64_65"), "cuDNN 2"),
    (re.compile(r"libcudart\.so\.11\.0$|cudart64_110\.dll$"), "CUDA 11"),  # the same name in all of CUDA 11
    (re.compile(r"libcu\w+\.(\d+\.\d+)\.dylib"), "CUDA {0}"),
    (re.compile(r"(?:lib)?cudnn\w*?(?:64_|\.so\.)(\d+)", re.IGNORECASE), "cuDNN {0}"),
    (re.compile(r"libcudart\.so\.(\d+\.\d+)$"), "CUDA {0}"),
    (re.compile(r"cudart(?:32|64)_(\d+)(\d)\.dll$", re.IGNORECASE), "CUDA {0}.{1}"),
    (re.compile(r"cu\w+64_(\d+)\.dll$", re.IGNORECASE), "CUDA {0}"),
    (re.compile(r"libcu(?:dart|blas|blasLt|rand|fft|solver|sparse|pti)\.so\.(\d+\.\d+)$"), "CUDA {0}"),
    (re.compile(r"libcu(?:dart|blas|blasLt|sparse|pti|rtc)\.so\.(\d+)$"), "CUDA {0}"),
    (re.compile(r"libnvJitLink\.so\.(\d+)$"), "CUDA {0}"),
    (re.compile(r"libcufft\.so\.11$|libnvrtc\.so\.12"), "CUDA 12"),
    (re.compile(r"libcu(?:solver|fft|rand)\.so"), "CUDA"),
)


def belongs_to(library: str) -> str:
    """Say which CUDA or cuDNN a library's name belongs to: "libcudart.so.10.0" is of "CUDA 10.0"; empty if unknown."""
    for pattern, name in _CUDA_OF_LIBRARY:
        found = pattern.search(library)
        if found:
            return name.format(*found.groups())
    return ""


def built_for(version: str) -> tuple[str, str, str] | None:
    """Give CUDA, cuDNN and Pythons that a TensorFlow was built for, from "2.12" or "2.12.0"; None if unknown."""
    return TESTED.get(".".join(version.split(".")[:2]))


def minor(version: str) -> tuple[int, int]:
    """Read "2.12.0" as (2, 12); (0, 0) where it is no version."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else (0, 0)
