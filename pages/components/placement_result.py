"""What a placement shows: a sentence, bars, a sunburst, a timeline, a table with reasons, the log, and files."""

from __future__ import annotations

import streamlit as st

from pages.components import placement_charts, raw_log
from pages.components.words import plain
from tfcore import placement, placement_files
from tfcore.placement import Placement
from tfcore.placement_reasons import Explained, summary
from tfcore.placing import Capture

MOST_MOVES_SHOWN = 5_000


def draw_captures(captures: tuple[Capture, ...]) -> None:
    """Draw one capture, or two with what moved between them."""
    if len(captures) == 2:
        _compare(captures[0], captures[1])
    for number, capture in enumerate(captures):
        st.header(plain(capture.label) if len(captures) > 1 else "What TensorFlow did")
        if capture.error:
            _refusal(capture)
        draw(capture.explained, f"place_{number}")
        _crossings(capture, f"place_{number}")
        raw_log.draw(raw_log.of_text(capture.log), str(hash(capture.log)), f"place_{number}")


def draw(explained: Explained, place: str) -> None:
    """Draw a placement. `place` keeps the keys of two on one page apart."""
    found = explained.placement
    for meaning, todo in explained.messages:
        st.warning(plain(todo), title=plain(meaning), icon=":material/lightbulb:")
    st.subheader(plain(summary(explained)))
    _counts(explained)
    if found.operations:
        placement_charts.draw(found, place)
        _table(explained, place)
    _unreadable(explained, place)
    if not found.is_empty:
        with st.container(horizontal=True):
            st.download_button("JSON", placement_files.to_json(explained), "placement.json", "application/json",
                               key=f"{place}_json", icon=":material/download:")  # fmt: skip
            st.download_button("CSV", placement_files.to_csv(explained), "placement.csv", "text/csv",
                               key=f"{place}_csv", icon=":material/download:")  # fmt: skip


def _counts(explained: Explained) -> None:
    found = explained.placement
    with st.container(horizontal=True):
        st.metric("Placed", f"{found.placed:,}", help="Nodes of your graphs, each counted once, as the placer assigned "
                  "them. A node may run many times, or never.")  # fmt: skip
        st.metric("Executed", f"{found.executed:,}", help="Eager calls, each counted every time, constants included.")
        st.metric("Unreadable", f"{found.unreadable:,}", help="Lines that should hold a record and cannot be read.")
    if explained.registry_version:
        st.caption(f"Reasons are from the kernel registry of TensorFlow {explained.registry_version}.")
    if found.not_listed:
        st.caption("The log has more distinct nodes than are listed; those beyond are only counted.")


def _table(explained: Explained, place: str) -> None:
    found = explained.placement
    devices = sorted({row.device for row in found.operations})
    reasons = sorted({reason for row in found.operations if (reason := explained.reason(row))})
    with st.container(horizontal=True):
        words = st.text_input("Search", key=f"{place}_search", placeholder="An operation or a node")
        on = st.multiselect("Device", devices, key=f"{place}_devices", placeholder="All")
        why = st.multiselect("Reason", reasons, key=f"{place}_reasons", placeholder="All", disabled=not reasons)
    rows = [
        {
            "Operation": row.kind or "not told",
            "Device": row.device,
            "Placed": row.placed,
            "Executed": row.executed,
            "Why on the CPU": explained.reason(row),
            "Nodes": ", ".join(row.names),
            "Line": row.line,
            "First line of the log": row.raw,
        }
        for row in found.operations
        if words.lower() in f"{row.kind} {' '.join(row.names)}".lower()
        and (not on or row.device in on)
        and (not why or explained.reason(row) in why)
    ]
    st.dataframe(rows, hide_index=True, key=f"{place}_table", alt="Operations and their devices")
    if not rows:
        st.caption("No operation matches.")


def _refusal(capture: Capture) -> None:
    meaning = next((f"{meaning} {todo}" for meaning, todo in capture.explained.messages), "")
    st.error(plain(capture.error), title="TensorFlow refused to run it", icon=":material/error:")
    if not meaning:
        st.caption("This is TensorFlow’s own message.")


def _compare(one: Capture, other: Capture) -> None:
    if one.error or other.error:
        refused = one if one.error else other
        st.header(plain(f"{one.label} against {other.label.lower()}"))
        st.markdown(plain(f"With {refused.label.lower()} TensorFlow refused to run it, so nothing can be compared."))
    else:
        draw_moved(one.label, one.explained.placement, other.label, other.explained.placement)


def draw_moved(name: str, one: Placement, other_name: str, other: Placement) -> None:
    """Draw what two placements put on different devices, and what only one of them has."""
    found = placement.compare(one, other)
    st.header(plain(f"{name} against {other_name}"))
    if found.moved:
        st.markdown("1 operation moved." if len(found.moved) == 1 else f"{len(found.moved):,} operations moved.")
        _node_table("place_moved", "What moved", [
            {"Node": m.name or "eager call", "Operation": m.kind, "Before": m.before, "After": m.after}
            for m in found.moved[:MOST_MOVES_SHOWN]
        ])  # fmt: skip
        if len(found.moved) > MOST_MOVES_SHOWN:
            st.caption(f"The first {MOST_MOVES_SHOWN:,} are listed.")
    elif one.is_empty or other.is_empty:
        st.markdown("One of them holds no placement, so nothing can be compared.")
    else:
        shared = len(found.only_before) < len(one.nodes) + len(one.calls)
        st.markdown(
            "Nothing moved: what both have ran on the same devices." if shared else "They have no operation in common."
        )
    for key, whose, nodes in (("before", name, found.only_before), ("after", other_name, found.only_after)):
        if nodes:
            with st.expander(plain(f"{len(nodes):,} only in {whose}")):
                _node_table(f"place_only_{key}", f"Only in {key}", [
                    {"Node": node.name or "eager call", "Operation": node.kind, "On": node.device}
                    for node in nodes[:MOST_MOVES_SHOWN]
                ])  # fmt: skip


def _node_table(key: str, alt: str, rows: list[dict[str, str]]) -> None:
    st.dataframe(rows, hide_index=True, key=key, alt=alt)


def _crossings(capture: Capture, place: str) -> None:
    if not capture.crossings:
        return
    st.subheader("Copied between devices")
    st.caption("Edges of the function’s graph that lead from one device to another.")
    rows = [
        {"From": one, "On": device, "To": other, "There on": elsewhere}
        for one, device, other, elsewhere in capture.crossings
    ]
    st.dataframe(rows, hide_index=True, key=f"{place}_crossings", alt="Copied between devices")


def _unreadable(explained: Explained, place: str) -> None:
    if explained.placement.unreadable_lines:
        with st.expander(f"{explained.placement.unreadable:,} unreadable lines"):
            rows = [{"Line": line.line, "Text": line.raw} for line in explained.placement.unreadable_lines]
            st.dataframe(rows, hide_index=True, key=f"{place}_unreadable", alt="Unreadable lines")
