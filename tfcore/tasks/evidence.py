"""What TensorFlow says of itself and of the GPUs that it sees. Its log says the rest."""

from __future__ import annotations

import tensorflow as tf

from tfcore.devices import Unavailable, created_devices
from tfcore.evidence import EVIDENCE, EvidencePlan, SeenGpu, TensorFlowAnswer
from tfcore.wire import Reporter

TASK = EVIDENCE


def run(_plan: EvidencePlan, report: Reporter) -> TensorFlowAnswer:
    """Ask for the build, list the GPUs, and make their devices, which logs why it cannot."""
    build = tf.sysconfig.get_build_info()
    gpus = tf.config.list_physical_devices("GPU")
    tf.config.list_logical_devices()
    limits = {made.name: made.memory_mb for made in created_devices(report.printed())}
    return TensorFlowAnswer(
        version=tf.__version__,
        built_with_cuda=tf.test.is_built_with_cuda(),
        built_with_rocm=tf.test.is_built_with_rocm(),
        cuda=str(build.get("cuda_version", "")),
        cudnn=str(build.get("cudnn_version", "")),
        capabilities=tuple(build.get("cuda_compute_capabilities", ())),
        gpus=tuple(_seen(index, gpu, limits) for index, gpu in enumerate(gpus)),
    )


def _seen(index: int, gpu: tf.config.PhysicalDevice, limits: dict[str, int]) -> SeenGpu:
    name = f"GPU:{index}"
    details = tf.config.experimental.get_device_details(gpu)
    capability = ".".join(str(number) for number in details.get("compute_capability", ()))
    limit = limits.get(name, Unavailable("TensorFlow made no device of it"))
    return SeenGpu(name, str(details.get("device_name", "")), capability, limit)
