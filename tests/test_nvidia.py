from __future__ import annotations

import pynvml
import pytest

from tfcore import nvidia
from tfcore.devices import Unavailable


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (pynvml.NVML_ERROR_LIBRARY_NOT_FOUND, "no NVIDIA driver is installed"),
        (pynvml.NVML_ERROR_DRIVER_NOT_LOADED, "not loaded"),
        (pynvml.NVML_ERROR_UNKNOWN, "NVML says"),
    ],
)
def test_a_version_that_cannot_be_had_says_why(monkeypatch, error, said):
    def fail() -> None:
        raise pynvml.NVMLError(error)

    monkeypatch.setattr(pynvml, "nvmlInit", fail)
    found = nvidia.driver_version()
    assert isinstance(found, Unavailable)
    assert said in found.reason
