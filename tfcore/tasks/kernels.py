"""Which operations have GPU kernels, by TensorFlow's own registry. No GPU is needed to ask.

The registry is read through a private module of TensorFlow; nothing else here knows it.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow.python.framework import kernels

from tfcore.placement_reasons import KERNELS, Kernel, Kernels, KernelsPlan
from tfcore.wire import Reporter

TASK = KERNELS
GPU_TYPES = ("GPU", "DEFAULT")  # a DEFAULT kernel serves every device
OUTPUTS = {"output", "y"}
DTYPE_ATTRIBUTES = ("T", "dtype", "Tidx", "SrcT", "Tparams")


def run(_plan: KernelsPlan, _report: Reporter) -> Kernels:
    """Sum the registry up, one entry for each operation."""
    found: dict[str, list[Any]] = {}
    for kernel in kernels.get_all_registered_kernels().kernel:
        found.setdefault(kernel.op, []).append(kernel)
    return Kernels(tf.__version__, {op: _summed(kernels) for op, kernels in found.items()})


def _summed(found: list[Any]) -> Kernel:
    gpu = [kernel for kernel in found if kernel.device_type in GPU_TYPES]
    host = [kernel for kernel in gpu if OUTPUTS & set(kernel.host_memory_arg)]
    on_device = set(_dtypes([kernel for kernel in gpu if kernel not in host]))
    host_dtypes = tuple(name for name in _dtypes(host) if name not in on_device)
    return Kernel(bool(gpu), _dtypes(gpu), bool(gpu) and len(host) == len(gpu), host_dtypes)


def _dtypes(found: list[Any]) -> tuple[str, ...]:
    """Give the dtypes that GPU kernels are for; none where some kernel takes any."""
    names: set[str] = set()
    for kernel in found:
        allowed = [c for c in kernel.constraint if c.name in DTYPE_ATTRIBUTES]
        if not allowed:
            return ()
        names.update(tf.as_dtype(number).name for c in allowed for number in c.allowed_values.list.type)
    return tuple(sorted(names))
