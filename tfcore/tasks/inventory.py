"""List what TensorFlow sees, and what the settings made of it."""

from __future__ import annotations

import platform

import tensorflow as tf

from tfcore import devices
from tfcore.computer import read_computer
from tfcore.devices import (
    CreatedDevice,
    Inventory,
    InventoryPlan,
    LogicalDevice,
    PhysicalDevice,
    Software,
    Unavailable,
)
from tfcore.nvidia import DriverDevice, driver_version, ordinal_devices
from tfcore.wire import Reporter

TASK = devices.INVENTORY


def run(plan: InventoryPlan, report: Reporter) -> Inventory:
    """Start TensorFlow's runtime and describe its devices, the machine and the versions."""
    logical = tf.config.list_logical_devices()
    physical = _physical_devices()
    created = {made.name: made for made in devices.created_devices(report.printed())}
    return Inventory(
        physical=physical,
        logical=tuple(_logical_device(device, created, physical) for device in logical),
        computer=read_computer(),
        software=_software(),
    )


def _physical_devices() -> tuple[PhysicalDevice, ...]:
    visible = {device.name for device in tf.config.get_visible_devices()}
    ordinals = ordinal_devices() if tf.config.list_physical_devices("GPU") else ()
    found = []
    for kind in sorted({device.device_type for device in tf.config.list_physical_devices()}):
        for index, device in enumerate(tf.config.list_physical_devices(kind)):
            driver = ordinals[index] if kind == "GPU" and index < len(ordinals) else None
            found.append(_physical_device(device, index, device.name in visible, driver))
    return tuple(found)


def _physical_device(
    device: tf.config.PhysicalDevice, index: int, visible: bool, driver: DriverDevice | None
) -> PhysicalDevice:
    if device.device_type == "CPU":
        computer = read_computer()
        not_for_cpus = Unavailable("a CPU has none")
        return PhysicalDevice(
            device.name, "CPU", index, visible, computer.cpu_model, not_for_cpus, computer.memory_bytes, not_for_cpus
        )
    details = tf.config.experimental.get_device_details(device)
    capability = details.get("compute_capability")
    no_driver = Unavailable("the CUDA driver does not tell")
    return PhysicalDevice(
        name=device.name,
        type=device.device_type,
        index=index,
        visible=visible,
        model=details.get("device_name") or Unavailable("TensorFlow does not name it"),
        compute_capability=".".join(map(str, capability)) if capability else Unavailable("only NVIDIA's GPUs have one"),
        memory_bytes=driver.memory_bytes if driver else no_driver,
        pci_bus_id=driver.pci_bus_id if driver else no_driver,
    )


def _logical_device(
    device: tf.config.LogicalDevice, created: dict[str, CreatedDevice], physical: tuple[PhysicalDevice, ...]
) -> LogicalDevice:
    if device.device_type == "CPU":
        first = next(found.name for found in physical if found.type == "CPU")
        return LogicalDevice(device.name, "CPU", first, Unavailable("host memory has no limit of its own"))
    made = created.get(devices.short_name(device.name))
    behind = _behind(made, physical)
    unsaid = Unavailable("TensorFlow's log does not say")
    return LogicalDevice(
        name=device.name,
        type=device.device_type,
        physical=behind.name if behind else unsaid,
        memory_limit_mb=made.memory_mb if made else unsaid,
        simulated=behind.simulated if behind else any(found.simulated for found in physical),
    )


def _behind(made: CreatedDevice | None, physical: tuple[PhysicalDevice, ...]) -> PhysicalDevice | None:
    """Find the physical GPU that a logical one was made of."""
    gpus = [device for device in physical if device.type == "GPU"]
    return gpus[made.ordinal] if made and made.ordinal < len(gpus) else None


def _software() -> Software:
    build = tf.sysconfig.get_build_info()
    not_built = Unavailable("this TensorFlow was built without CUDA")
    return Software(
        python=platform.python_version(),
        tensorflow=tf.__version__,
        cuda=build.get("cuda_version") or not_built,
        cudnn=build.get("cudnn_version") or not_built,
        nvidia_driver=driver_version(),
    )
