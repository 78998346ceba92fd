"""The live part of Devices: load, memory, temperature, power, clocks and processes, over the last minutes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from pages.components.follow import by_timer
from pages.components.words import plain
from tfcore.devices import Inventory, Unavailable
from tfcore.telemetry import GpuReading, Reading, Sampler

GIB = 2**30
NARROWEST = 170


def draw(sampler: Sampler, inventory: Inventory | None) -> None:
    """Draw it now, and again every two seconds while the page is looked at."""
    st.subheader("Live")
    by_timer("live", _draw, slow=True)(sampler, inventory)


def _draw(sampler: Sampler, inventory: Inventory | None) -> None:
    readings = sampler.look()
    if not readings:
        sampler.wait(0.3)
        readings = sampler.look()
    if not readings:
        st.caption("Reading …")
        return
    now = readings[-1]
    with st.grid(min_column_width=NARROWEST, key="live_computer"):
        _metric("Processor", f"{now.cpu_percent:.0f} %", [each.cpu_percent for each in readings])
        used = [each.memory_used_bytes / GIB for each in readings]
        _metric(f"Memory, of {now.memory_total_bytes / GIB:.0f} GiB", f"{used[-1]:.1f} GiB", used)
    if isinstance(now.gpus, Unavailable):
        st.caption(plain(f"GPUs: {now.gpus}."))
        return
    for gpu in now.gpus:
        _gpu(gpu, _history(readings, gpu.index), inventory)
    _identities(now.gpus, inventory)


def _history(readings: Sequence[Reading], index: int) -> list[GpuReading]:
    gpus = [each.gpus for each in readings if not isinstance(each.gpus, Unavailable)]
    return [gpu for each in gpus for gpu in each if gpu.index == index]


def _gpu(gpu: GpuReading, history: list[GpuReading], inventory: Inventory | None) -> None:
    mine = tensorflows_name(gpu, inventory)
    st.markdown(plain(f"{mine + ', ' if mine else ''}{gpu.name} (nvidia-smi {gpu.index})"))
    total = gpu.memory_total_bytes
    of = f", of {total / GIB:.1f} GiB" if isinstance(total, int) else ""
    limit = f", of {gpu.power_limit_mw / 1e3:.0f} W" if isinstance(gpu.power_limit_mw, int) else ""
    with st.grid(min_column_width=NARROWEST, key=f"live_gpu_{gpu.index}"):
        _reading("Load", history, lambda each: each.load_percent, lambda value: f"{value:.0f} %")
        _reading(
            f"GPU memory{of}", history, lambda each: each.memory_used_bytes, lambda value: f"{value / GIB:.1f} GiB"
        )
        _reading("Temperature", history, lambda each: each.temperature_c, lambda value: f"{value:.0f} °C")
        _reading(f"Power{limit}", history, lambda each: each.power_mw, lambda value: f"{value / 1e3:.0f} W")
        _reading("Clock", history, lambda each: each.clock_mhz, lambda value: f"{value:,.0f} MHz")
        _reading("Memory clock", history, lambda each: each.memory_clock_mhz, lambda value: f"{value:,.0f} MHz")
    if isinstance(gpu.throttled, Unavailable):
        st.caption(plain(f"What holds the clocks down: {gpu.throttled}."))
    elif gpu.throttled:
        st.warning(plain(f"Its clocks are held down: {', '.join(gpu.throttled)}."), icon=":material/speed:")
    _processes(gpu)


def _reading(
    label: str,
    history: list[GpuReading],
    value: Callable[[GpuReading], int | Unavailable],
    text: Callable[[int], str],
) -> None:
    now = value(history[-1])
    if isinstance(now, Unavailable):
        with st.container():
            st.metric(label, "–")
            st.caption(plain(str(now)))
    else:
        _metric(label, text(now), [each for reading in history if isinstance(each := value(reading), int)])


def _metric(label: str, text: str, line: Sequence[float]) -> None:
    st.metric(label, text, chart_data=list(line) if len(line) > 1 else None, chart_type="area")


def _processes(gpu: GpuReading) -> None:
    if isinstance(gpu.processes, Unavailable):
        st.caption(plain(f"Processes: {gpu.processes}."))
    elif gpu.processes:
        rows = [
            {
                "Process": each.name,
                "Owner": each.owner,
                "Number": each.pid,
"GPU memory": _megabytes(each.used_bytes),
            }
            for each in gpu.processes
        ]  # fmt: skip
        st.dataframe(rows, hide_index=True, key=f"live_processes_{gpu.index}", alt=f"Processes on GPU {gpu.index}")
    else:
        st.caption("No process uses it.")


def _megabytes(size: int | Unavailable) -> str:
    return f"{size / 2**20:,.0f} MB" if isinstance(size, int) else str(size)


def _identities(gpus: tuple[GpuReading, ...], inventory: Inventory | None) -> None:
    """Draw what each GPU is called where: TensorFlow, nvidia-smi, the bus; MIG slices too."""
    st.markdown("**What each GPU is called**")
    rows = []
    for gpu in gpus:
        name = tensorflows_name(gpu, inventory) or "not seen by TensorFlow"
        rows.append({"TensorFlow": name, "nvidia-smi": str(gpu.index), "PCI id": gpu.pci_bus_id, "UUID": gpu.uuid})
        rows += [
            {
                "TensorFlow": "",
                "nvidia-smi": f"{gpu.index}, MIG {part.index}",
                "PCI id": gpu.pci_bus_id,
                "UUID": part.uuid,
            }
            for part in gpu.slices
        ]
    st.dataframe(rows, hide_index=True, key="live_names", alt="What each GPU is called")


def tensorflows_name(gpu: GpuReading, inventory: Inventory | None) -> str:
    """Give TensorFlow's name of a GPU by its PCI id; empty where TensorFlow does not list it."""
    wanted = _bus(gpu.pci_bus_id)
    listed = inventory.gpus if inventory else ()
    return next((f"GPU:{each.index}" for each in listed if _bus(str(each.pci_bus_id)) == wanted), "")


def _bus(pci_bus_id: str) -> str:
    """Write a PCI id so that two of them compare: NVML's domain has eight digits, CUDA's four."""
    return pci_bus_id.lower().rpartition("0000:")[2] if pci_bus_id.lower().startswith("0000") else pci_bus_id.lower()
