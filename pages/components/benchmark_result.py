"""A benchmark's result: what may be said, charts with the tables behind them, and files to keep."""

from __future__ import annotations

import streamlit as st

from pages.components import benchmark_charts
from pages.components.words import plain
from tfcore import comparison, results, statistics
from tfcore.benchmark import Benchmark, Point
from tfcore.comparison import Withheld, compare
from tfcore.contenders import Contender
from tfcore.words import in_gb, in_seconds, in_times
from tfcore.workloads import WORKLOADS

DIFFERENT = 0.05


def draw(result: Benchmark, place: str, running: bool = False) -> None:
    """Draw a result; while it is still being measured, no more than its times. `place` keeps keys apart."""
    workload = WORKLOADS[result.plan.workload]
    st.header(workload.title)
    of = result.environment
    st.caption(
        plain(f"Measured {results.when(result)} on {of.computer.cpu_model}; TensorFlow {of.software.tensorflow}.")
    )
    measured = [point for point in result.points if not result.is_simulated(point.contender)]
    if running:
        if measured:
            benchmark_charts.times(result, measured, place)
        _table(result, place)
        return
    if result.partial:
        st.info("Partial: it was ended before its time. This is what had been measured.", icon=":material/timelapse:")
    for contender in result.plan.contenders[1:]:
        _headline(result, contender)
    _warnings(result)
    if measured:
        benchmark_charts.draw(result, measured, place)
    _table(result, place)
    _placement(result, place)
    _environment(result, place)
    _downloads(result, place)


def _headline(result: Benchmark, contender: Contender) -> None:
    """Say how a contender compares at the largest size that allows it, and from where on it wins."""
    found = comparison.speedups(result, contender)
    if not found:
        said = compare(result, contender, max(result.plan.sizes))
        reason = said.reason if isinstance(said, Withheld) else ""
        st.markdown(plain(f"{contender.name}: {reason}"))
        return
    last, baseline = found[-1], result.plan.contenders[0].name
    st.subheader(plain(_sentence(last, contender, baseline)))
    if last.is_sure:
        _metrics(last)
    st.markdown(plain(_where_it_wins(result, contender)))


def _metrics(last: comparison.Speedup) -> None:
    """Show the speedup, and beside it the one door to door where that differs."""
    carried = abs(last.door_to_door / last.ratio - 1) > DIFFERENT
    interval = f"95 % interval: {last.interval.low:.3g} to {last.interval.high:.3g}"
    with st.container(horizontal=True):
        st.metric("Data already there" if carried else "Times as fast", in_times(last.ratio), help=interval)
        if carried:
            st.metric("Door to door", in_times(last.door_to_door), help="With the data carried in and the result out.")


def _sentence(last: comparison.Speedup, contender: Contender, baseline: str) -> str:
    if not last.is_sure:
        return f"At {last.size:,}, {contender.name} and {baseline} do not surely differ."
    if last.ratio < 1:
        return f"At {last.size:,}, {baseline} is {in_times(1 / last.ratio)} as fast as {contender.name}."
    return f"At {last.size:,}, {contender.name} is {in_times(last.ratio)} as fast as {baseline}."


def _where_it_wins(result: Benchmark, contender: Contender) -> str:
    wins, crossover = comparison.winning(result, contender), comparison.crossover(result, contender)
    if not wins:
        return f"No winner here: {contender.name} is not surely faster at the largest size."
    if crossover is None:
        return f"{contender.name} wins at every size measured."
    return f"{contender.name} wins from about {float(f'{crossover:.2g}'):,.0f} on."


def _warnings(result: Benchmark) -> None:
    """Gather what a reader has to know before trusting the numbers: each warning with the points it belongs to."""
    found: dict[str, list[str]] = {}
    for point in result.points:
        for warning in point.warnings:
            found.setdefault(warning, []).append(f"{point.contender.name} at {point.size:,}")
    if found:
        rows = [f"- {plain(warning)} ({plain(_where(points, result))})" for warning, points in found.items()]
        st.warning("\n".join(rows), title="Before you trust these numbers", icon=":material/warning:")


def _where(points: list[str], result: Benchmark) -> str:
    if len(points) == len(result.points) > 1:
        return "everywhere"
    return "; ".join(points[:4]) + (f"; and {len(points) - 4} more" if len(points) > 4 else "")


def _table(result: Benchmark, place: str) -> None:
    st.subheader("All numbers")
    rows = [_row(result, point) for point in result.points]
    st.dataframe(rows, hide_index=True, key=f"{place}_table", alt="Benchmark result")
    for each in result.left_out:
        st.caption(plain(f"{each.size:,} on {each.contender.name} was left out: {each.reason}."))


def _row(result: Benchmark, point: Point) -> dict[str, object]:
    simulated, interval = result.is_simulated(point.contender), point.interval_s
    peak = point.rounds[-1].peak_bytes
    return {
        "Contender": point.contender.name,
        "Size": f"{point.size:,}",
        "Median": "not stated" if simulated else in_seconds(point.median_s),
        "95 % interval": "" if simulated else f"{in_seconds(interval.low)} to {in_seconds(interval.high)}",
        "Against the baseline": results.verdict(result, point),
        "Spread": "" if simulated else f"{statistics.spread(point.samples_s) * 100:.1f} %",
        "Samples": sum(map(len, point.samples_s)),
        "First call": "" if simulated else in_seconds(point.rounds[0].first_call_s),
        "Warnings": "; ".join(point.warnings),
        "Peak memory": in_gb(peak) if isinstance(peak, int) else str(peak),
    }


def _placement(result: Benchmark, place: str) -> None:
    with st.expander("Where each operation ran"):
        st.caption("From TensorFlow’s own placement log of one call in the probe.")
        rows = [
            {"Contender": each.contender.name, "Size": each.size, "Operation": record.op, "Ran on": record.device}
            for each in result.placed
            for record in each.operations
        ]
        st.dataframe(rows, hide_index=True, key=f"{place}_placement", alt="Operations and the devices they ran on")


def _environment(result: Benchmark, place: str) -> None:
    with st.expander("Measured on"):
        rows = [{"What": name, "Value": value} for name, value in results.environment_rows(result)]
        st.dataframe(rows, hide_index=True, key=f"{place}_environment", alt="What the numbers depend on")


def _downloads(result: Benchmark, place: str) -> None:
    name = f"{result.plan.workload}-{result.environment.measured_at[:19].replace(':', '')}"
    st.subheader("Keep it")
    with st.container(horizontal=True):
        st.download_button("JSON", results.to_json(result), f"{name}.json", "application/json", key=f"{place}_json",
                           help="Can be opened again here, on any machine.", icon=":material/download:")  # fmt: skip
        st.download_button("CSV", results.to_csv(result), f"{name}.csv", "text/csv", key=f"{place}_csv",
                           help="One row for each sample.", icon=":material/download:")  # fmt: skip
        st.download_button("Report", results.to_html(result), f"{name}.html", "text/html", key=f"{place}_html",
                           help="A page that opens anywhere, offline.", icon=":material/download:")  # fmt: skip
