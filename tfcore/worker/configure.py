"""Apply a visitor's settings to a TensorFlow whose runtime has not started.

Source: https://www.tensorflow.org/guide/gpu and the tf.config reference.
"""

from __future__ import annotations

import tensorflow as tf

from tfcore.settings import Settings, check_gpus_exist


def apply(settings: Settings) -> None:
    """Set visible devices, memory mode, logical CPUs, soft placement, and placement logging.

    Raise SettingsError if a chosen GPU is not there.
    """
    gpus = tf.config.list_physical_devices("GPU")
    check_gpus_exist(settings, [None] * len(gpus))
    visible = [gpu for index, gpu in enumerate(gpus) if settings.chooses(index)]
    tf.config.set_visible_devices(visible, "GPU")
    for gpu in visible:
        _set_memory(gpu, settings)
    if settings.cpu_devices > 1:
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * settings.cpu_devices)
    tf.config.set_soft_device_placement(settings.soft_placement)
    tf.debugging.set_log_device_placement(True)


def _set_memory(gpu: tf.config.PhysicalDevice, settings: Settings) -> None:
    if settings.memory == "growth":
        tf.config.experimental.set_memory_growth(gpu, True)
    elif settings.memory == "limit":
        tf.config.set_logical_device_configuration(
            gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=settings.memory_limit_mb)]
        )
