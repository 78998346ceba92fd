"""The settings' fields: from the address to the widgets, and from the widgets to Settings."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.components.words import plain
from tfcore.devices import Inventory
from tfcore.errors import SettingsError
from tfcore.session import Session
from tfcore.settings import MAX_CPU_DEVICES, QUERY_KEYS, Settings, check_limit_fits, parse_query

PROBLEMS = "address_problems"
_ADDRESS_READ = "address_read"
_FITTED = "address_fitted"
_FROM_ADDRESS = "settings_from_address"
_KEPT = "kept_fields"
_FIELDS = ("gpus", "gpu_indices", "memory", "memory_limit_mb", "soft_placement", "cpu_devices")
MEMORY_WORDS: dict[str, str] = {"growth": "Grow on demand", "limit": "Fixed limit", "all": "All at once"}
GPU_WORDS = {"all": "All", "none": "None", "choose": "Choose"}
DEFAULT_LIMIT_MB = 1024


def take_settings(session: Session) -> SettingsError | None:
    """Put what the widgets say into the session and the address. Give the field's error if it cannot be."""
    machine = session.machine().result
    if _ADDRESS_READ not in st.session_state:
        _read_address()
    if machine and _FITTED not in st.session_state:
        _fit_to_machine(machine)
    _restore_widgets()
    refused = None
    try:
        settings = _chosen()
        if machine:
            check_limit_fits(settings, machine.gpu_memory_mb)
        session.settings = settings if machine else _without_indices(settings)
        _forget_problems_of_other(settings)
    except SettingsError as error:
        refused = error
    _write_address(session.settings if machine else None)
    return refused


def draw(session: Session, refused: SettingsError | None) -> None:
    """Draw the fields, each with its error beside it."""
    machine = session.machine().result
    none_there = machine is not None and not machine.gpus
    st.segmented_control(
        "Visible GPUs", list(GPU_WORDS), key="gpus", format_func=GPU_WORDS.__getitem__, required=True,
        disabled=none_there,
        help="Which GPUs TensorFlow may use. The others stay hidden from it.",
    )  # fmt: skip
    if none_there:
        st.caption("TensorFlow sees no GPU on this machine, so there is none to choose.")
    elif st.session_state["gpus"] == "choose":
        _draw_gpus(machine)
    _error(refused, "gpus")
    _draw_memory(none_there, refused)
    st.toggle(
        "Soft placement", key="soft_placement",
        help="When an operation cannot run where it was asked to, TensorFlow moves it instead of failing.",
    )  # fmt: skip
    st.number_input(
        "Logical CPU devices", key="cpu_devices", step=1,
        help=f"Splits the CPU into several devices, to practise with no GPU. 1 to {MAX_CPU_DEVICES}.",
    )  # fmt: skip
    _error(refused, "cpu_devices")
    st.caption("Settings apply at once, and only to you. The address holds them: share it to share them.")
    st.button("Back to defaults", key="reset_settings", icon=":material/undo:", on_click=_reset,
              disabled=session.settings == Settings() and not refused)  # fmt: skip


def _draw_gpus(machine: Inventory | None) -> None:
    if machine is None:
        st.caption("The GPUs to choose from appear once TensorFlow has answered.")
        return
    names = {gpu.index: f"GPU {gpu.index} · {gpu.model}" for gpu in machine.gpus}
    st.pills(
        "GPUs", list(names), key="gpu_indices", format_func=names.__getitem__, selection_mode="multi",
    )  # fmt: skip


def _draw_memory(none_there: bool, refused: SettingsError | None) -> None:
    st.selectbox(
        "GPU memory", list(MEMORY_WORDS), key="memory", format_func=MEMORY_WORDS.__getitem__, disabled=none_there,
        help="Grow on demand takes what is needed. All at once takes almost all, as TensorFlow does by default.",
    )  # fmt: skip
    if st.session_state["memory"] == "limit":
        st.number_input("Limit in MB", key="memory_limit_mb", step=256)
    _error(refused, "memory")


def _error(refused: SettingsError | None, field: str) -> None:
    if refused and refused.field == field:
        st.error(plain(str(refused)), icon=":material/error:")


def _chosen() -> Settings:
    """Read the widgets. Raise SettingsError if they cannot be meant."""
    state = st.session_state
    if state["gpus"] == "choose" and not state["gpu_indices"]:
        raise SettingsError("gpus", "No GPU is chosen yet.", todo="Choose one, or choose “None”.")
    limited = state["memory"] == "limit"
    return Settings(
        gpus=tuple(sorted(state["gpu_indices"])) if state["gpus"] == "choose" else state["gpus"],
        memory=state["memory"],
        memory_limit_mb=int(state["memory_limit_mb"]) if limited else None,
        soft_placement=state["soft_placement"],
        cpu_devices=int(state["cpu_devices"]),
    )


def _read_address() -> None:
    """Take the settings from the address, once in a session's life."""
    settings, problems = parse_query(st.query_params.to_dict())
    problems += tuple(
        SettingsError(key, f"“{key}” stands there more than once; the last one counts.")
        for key in st.query_params
        if len(st.query_params.get_all(key)) > 1 and key in QUERY_KEYS
    )
    st.session_state[_ADDRESS_READ] = True
    st.session_state[PROBLEMS] = problems
    _take_from_address(settings)


def _fit_to_machine(machine: Inventory) -> None:
    """Replace what the address asked of this machine in vain, once it is known."""
    st.session_state[_FITTED] = True
    _restore_widgets()
    try:
        settings, problems = _chosen().fitted_to(machine.gpu_memory_mb)
    except SettingsError:
        return
    if problems:
        st.session_state[PROBLEMS] += problems
        _take_from_address(settings)


def _take_from_address(settings: Settings) -> None:
    st.session_state[_FROM_ADDRESS] = settings
    _fill_widgets(settings)


def _fill_widgets(settings: Settings) -> None:
    chosen = not isinstance(settings.gpus, str)
    st.session_state.update(
        gpus="choose" if chosen else settings.gpus,
        gpu_indices=list(settings.gpus) if chosen else [],
        memory=settings.memory,
        memory_limit_mb=settings.memory_limit_mb or DEFAULT_LIMIT_MB,
        soft_placement=settings.soft_placement,
        cpu_devices=settings.cpu_devices,
    )


def _restore_widgets() -> None:
    """Set every field anew in every run.

    Streamlit forgets the fields that a run did not draw; and where a run is replaced before the browser has
    seen it, the browser would show what the next one does not set as empty, and send that back.
    """
    kept: dict[str, Any] = st.session_state.setdefault(_KEPT, {})
    for key in _FIELDS:
        value = st.session_state.get(key)
        kept[key] = kept.get(key) if value is None else value
        st.session_state[key] = kept[key]


def _without_indices(settings: Settings) -> Settings:
    """Wait with choices that need the machine until it is known."""
    return settings if isinstance(settings.gpus, str) and settings.memory != "limit" else Settings()


def _write_address(settings: Settings | None) -> None:
    if settings is not None and st.query_params.to_dict() != settings.to_query():
        st.query_params.from_dict(settings.to_query())


def _reset() -> None:
    _fill_widgets(Settings())


def _forget_problems_of_other(settings: Settings) -> None:
    """Drop the address's problems once the visitor has chosen something else."""
    if settings != st.session_state[_FROM_ADDRESS]:
        st.session_state[PROBLEMS] = ()
