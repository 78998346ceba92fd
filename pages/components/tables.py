"""The tables of the Devices page."""

from __future__ import annotations

import streamlit as st

from tfcore.computer import read_computer
from tfcore.devices import Inventory, Unavailable
from tfcore.settings import Settings
from tfcore.settings_code import differences as compare


def physical(inventory: Inventory) -> None:
    """Draw the physical devices, one a row."""
    rows = [
        {
            "Device": f"{device.type}:{device.index}",
            "Model": str(device.model),
            "Memory": _megabytes(device.memory_mb, device.memory_bytes),
            "Compute capability": str(device.compute_capability),
            "PCI id": str(device.pci_bus_id),
            "Visible": "yes" if device.visible else "no, your settings hide it",
            "TensorFlow’s name": device.name,
        }
        for device in inventory.physical
    ]
    st.dataframe(rows, hide_index=True, key="physical_devices", alt="Physical devices")


def logical(inventory: Inventory) -> None:
    """Draw the logical devices, one a row."""
    rows = [
        {
            "Device": device.short_name,
            "Made of": str(device.physical).removeprefix("/physical_device:"),
            "Memory limit": _megabytes(device.memory_limit_mb, device.memory_limit_mb),
            "TensorFlow’s name": device.name,
        }
        for device in inventory.logical
    ]
    st.dataframe(rows, hide_index=True, key="logical_devices", alt="Logical devices")


def differences(settings: Settings) -> None:
    """Draw each setting beside TensorFlow's default."""
    rows = [
        {
            "Setting": row.setting,
            "Here": row.chosen,
            "TensorFlow’s default": row.default,
            "Changed": "yes" if row.changed else "no",
        }
        for row in compare(settings)
    ]
    st.dataframe(rows, hide_index=True, key="differences", alt="Settings beside TensorFlow’s defaults")


def machine(inventory: Inventory) -> None:
    """Draw the computer and the versions."""
    computer, software = read_computer(), inventory.software
    cores = f"{computer.logical_cores} logical, {computer.physical_cores} physical"
    facts = {
        "Processor": computer.cpu_model,
        "Cores": cores,
        "Memory": f"{computer.memory_bytes / 2**30:.1f} GiB",
        "Memory free": f"{computer.available_memory_bytes / 2**30:.1f} GiB",
        "System": computer.system,
        "Python": software.python,
        "TensorFlow": software.tensorflow,
        "Built for CUDA": software.cuda,
        "Built for cuDNN": software.cudnn,
        "NVIDIA driver": software.nvidia_driver,
    }
    rows = [{"What": name, "Value": str(value)} for name, value in facts.items()]
    st.dataframe(rows, hide_index=True, key="machine", alt="This machine and its software")


def _megabytes(size: int | Unavailable | None, otherwise: int | Unavailable) -> str:
    return f"{size:,} MB" if isinstance(size, int) else str(otherwise)
