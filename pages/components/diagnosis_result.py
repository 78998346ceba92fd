"""What a diagnosis shows: the root cause, why we think so, the fix, what follows from it, and a report to share."""

from __future__ import annotations

import streamlit as st

from pages.components.words import plain
from tfcore import report
from tfcore.diagnosis import Diagnosis, Finding
from tfcore.evidence import TITLES

SURE = {"certain": ("Certain", "green"), "likely": ("Likely", "orange"), "possible": ("Possible", "gray")}


def draw(found: Diagnosis, place: str) -> None:
    """Draw a diagnosis. `place` keeps the keys of two on one page apart."""
    _root(found.root)
    others = [each for each in found.findings[1:] if not each.consequence_of]
    if others:
        st.subheader("Also found")
        for finding in others:
            with st.expander(plain(finding.cause)):
                _reasons(finding)
                _steps(finding)
    consequences = [each for each in found.findings if each.consequence_of]
    if consequences:
        with st.expander(f"What follows from it ({len(consequences)})"):
            for finding in consequences:
                st.markdown(plain(finding.cause))
                _lines(finding)
    if found.harmless:
        with st.expander("Lines that look alarming and are harmless"):
            st.code("\n".join(seen.text for seen in found.harmless), language=None, wrap_lines=True)
    _evidence(found, place)
    _report(found, place)


def _root(finding: Finding) -> None:
    words, colour = SURE[finding.certainty]
    first, _, rest = finding.cause.partition(". ")
    st.header(plain(first.rstrip(".") + "."))
    if rest:
        st.markdown(plain(rest))
    if finding.rule not in ("nothing_wrong", "cannot_tell", "only_harmless", "gpu_unused"):
        st.badge(words, color=colour, help="How sure the rule is, from the evidence that it needs.")  # type: ignore[arg-type]
    _reasons(finding)
    _steps(finding)


def _reasons(finding: Finding) -> None:
    if finding.evidence:
        st.markdown("**Why we think so**")
        _lines(finding)
    st.caption(f"Read more: {finding.source}")


def _lines(finding: Finding) -> None:
    st.code("\n".join(finding.evidence), language=None, wrap_lines=True)


def _steps(finding: Finding) -> None:
    st.markdown("**What to do**" if finding.usable or finding.nothing_broken else "**To mend it**")
    for number, step in enumerate(finding.fix, 1):
        st.markdown(f"{number}. {plain(step.say)}" if len(finding.fix) > 1 else plain(step.say))
        if step.command:
            st.code(step.command, language="bash", wrap_lines=True)


def _evidence(found: Diagnosis, place: str) -> None:
    """Draw all evidence, what is missing with its reason."""
    with st.expander("All evidence"):
        if not found.evidence.from_log:
            machine = report.in_builtins(found.evidence.machine)
            rows = [{"What": title, "Found": report.in_short(machine[name])} for name, title in TITLES.items()]
            answer = report.in_builtins(found.evidence.tensorflow)
            rows.append({"What": "what TensorFlow itself says", "Found": report.in_short(answer)})
            st.dataframe(rows, hide_index=True, key=f"diagnosis_{place}_evidence", alt="All evidence")
        else:
            st.caption("What is not known, and why")
            rows = [{"What": what, "Why": why} for what, why in found.unknown]
            st.dataframe(rows, hide_index=True, key=f"diagnosis_{place}_unknown", alt="What is not known")


def _report(found: Diagnosis, place: str) -> None:
    """Show the report before it is copied or saved."""
    with st.expander("A report to share"):
        st.caption("Names, hosts, home folders, addresses, serial numbers and UUIDs are taken out. Read it first.")
        st.code(report.as_text(found), language=None, height=320, wrap_lines=True)
        st.download_button("JSON", lambda: report.as_json(found), "diagnosis.json", "application/json",
                           key=f"diagnosis_{place}_json", icon=":material/download:", on_click="ignore")  # fmt: skip
