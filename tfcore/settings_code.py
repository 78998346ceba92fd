"""The TensorFlow code that does what the settings do, and how they differ from TensorFlow's defaults."""

from __future__ import annotations

from dataclasses import dataclass

from tfcore.settings import Settings


@dataclass(frozen=True)
class Difference:
    """One choice beside what TensorFlow does when nobody chooses."""

    setting: str
    chosen: str
    default: str
    changed: bool


def as_code(settings: Settings) -> str:
    """Give a TensorFlow 2.21 script that applies the settings; it must run before any operation."""
    parts = [
        "import tensorflow as tf",
        _gpus_code(settings),
        _memory_code(settings),
        _cpu_code(settings),
        f"tf.config.set_soft_device_placement({settings.soft_placement})",
        "print(tf.config.list_logical_devices())",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def differences(settings: Settings) -> tuple[Difference, ...]:
    """Set each choice beside TensorFlow's default (https://www.tensorflow.org/guide/gpu)."""
    memory = {
        "growth": "grows on demand",
        "all": "almost all at once",
        "limit": f"a fixed limit of {settings.memory_limit_mb} MB",
    }[settings.memory]
    rows = (
        ("Visible GPUs", gpus_in_words(settings), "all"),
        ("GPU memory", memory, "almost all at once"),
        ("Soft placement", "on" if settings.soft_placement else "off", "on"),
        ("Logical CPU devices", str(settings.cpu_devices), "1"),
    )
    return tuple(Difference(name, chosen, default, chosen != default) for name, chosen, default in rows)


def gpus_in_words(settings: Settings) -> str:
    """Name the visible GPUs: "all", "none" or "GPU 0 and GPU 2"."""
    if isinstance(settings.gpus, str):
        return settings.gpus
    return " and ".join(f"GPU {index}" for index in settings.gpus)


def _gpus_code(settings: Settings) -> str:
    listed = 'gpus = tf.config.list_physical_devices("GPU")'
    if settings.gpus == "all":
        return listed if settings.memory != "all" else ""
    if settings.gpus == "none":
        return 'tf.config.set_visible_devices([], "GPU")'
    chosen = ", ".join(f"gpus[{index}]" for index in settings.gpus)
    return f'{listed}\ngpus = [{chosen}]\ntf.config.set_visible_devices(gpus, "GPU")'


def _memory_code(settings: Settings) -> str:
    if settings.gpus == "none" or settings.memory == "all":
        return ""
    if settings.memory == "growth":
        return "for gpu in gpus:\n    tf.config.experimental.set_memory_growth(gpu, True)"
    return (
        "for gpu in gpus:\n    tf.config.set_logical_device_configuration(\n"
        f"        gpu, [tf.config.LogicalDeviceConfiguration(memory_limit={settings.memory_limit_mb})]\n    )"
    )


def _cpu_code(settings: Settings) -> str:
    if settings.cpu_devices == 1:
        return ""
    return (
        'cpu = tf.config.list_physical_devices("CPU")[0]\n'
        "tf.config.set_logical_device_configuration(\n"
        f"    cpu, [tf.config.LogicalDeviceConfiguration()] * {settings.cpu_devices}\n)"
    )
