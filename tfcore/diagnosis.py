"""Why TensorFlow does not see a GPU: the rules applied to the evidence, the root cause first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tfcore.devices import Unavailable
from tfcore.evidence import TITLES, Evidence
from tfcore.log_signs import Seen
from tfcore.rules import CANNOT_TELL, RULES
from tfcore.rules.base import Case, Certainty, Rule, Step

MOST_LINES = 6


@dataclass(frozen=True)
class Finding:
    """What a rule found. `consequence_of` names the finding that it merely follows from, if one does."""

    rule: str
    cause: str
    certainty: Certainty
    evidence: tuple[str, ...]
    fix: tuple[Step, ...]
    source: str
    usable: bool | None
    consequence_of: str = ""

    @property
    def nothing_broken(self) -> bool:
        """Whether there is no GPU and so nothing to mend."""
        return self.rule == "no_gpu_in_machine"

    @property
    def fix_text(self) -> str:
        """The fix as text, a step a line, its command after it."""
        return "\n".join(f"{step.say}\n    {step.command}".rstrip() if step.command else step.say for step in self.fix)


@dataclass(frozen=True)
class Diagnosis:
    """All findings, the root cause first; what is harmless; what could not be known."""

    findings: tuple[Finding, ...]
    harmless: tuple[Seen, ...]
    unknown: tuple[tuple[str, str], ...]
    evidence: Evidence

    @property
    def root(self) -> Finding:
        """The root cause, or that nothing is wrong, or that it cannot be told."""
        return self.findings[0]

    @property
    def usable(self) -> bool | None:
        """Whether TensorFlow can use a GPU; None where it cannot be told."""
        states = {finding.usable for finding in self.findings if not finding.consequence_of}
        return False if False in states else None if None in states else True

    @property
    def sentence(self) -> str:
        """Say it in one sentence, and what mends it."""
        if self.usable:
            return self.root.cause
        first = next((step for step in self.root.fix), None)
        mends = first and self.usable is False and not self.root.nothing_broken
        return f"{self.root.cause} To mend it: {first.say}" if first and mends else self.root.cause


def diagnose(evidence: Evidence) -> Diagnosis:
    """Apply all rules to the evidence. It never fails: a rule that holds nothing says nothing."""
    case = Case(evidence)
    findings: list[Finding] = []
    explained: dict[str, str] = {}
    for rule in RULES:
        lines = rule.when(case)
        if not lines or (rule.usable is True and any(found.usable is False for found in findings)):
            continue
        findings.append(_finding(rule, case, lines, explained.get(rule.name, "")))
        for name in rule.explains:
            explained.setdefault(name, rule.name)
    if not findings:
        findings.append(_finding(CANNOT_TELL, case, (), ""))
    findings = _without_leftovers(findings)
    return Diagnosis(tuple(findings), evidence.signs.harmless, tuple(_unknown(evidence)), evidence)


def _finding(rule: Rule, case: Case, lines: tuple[str, ...], consequence_of: str) -> Finding:
    cause = rule.cause if isinstance(rule.cause, str) else rule.cause(case)
    certainty = rule.certainty if isinstance(rule.certainty, str) else rule.certainty(case)
    kept = tuple(dict.fromkeys(lines))[:MOST_LINES]
    usable = True if rule.usable is None and case.sees_gpu else rule.usable
    return Finding(rule.name, cause, certainty, kept, rule.fix(case), rule.source, usable, consequence_of)


def _without_leftovers(findings: list[Finding]) -> list[Finding]:
    """Drop what only matters where there is nothing else, and put what something follows from before it."""
    last_resorts = ("only_harmless", "gpu_unused", "log_ends_early", "stopped_at_device", "built_without_cuda")
    real = [found for found in findings if found.rule not in last_resorts]
    kept = real or findings[:1]
    return sorted(kept, key=lambda found: bool(found.consequence_of))


def _unknown(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Name what could not be had, with the reason."""
    if evidence.from_log:
        yield from ((name, "a log does not show it") for name in UNKNOWN_FROM_LOG)
        return
    machine = evidence.machine
    for name, title in TITLES.items():
        value = getattr(machine, name)
        if isinstance(value, Unavailable):
            yield title, value.reason
    if isinstance(evidence.tensorflow, Unavailable):
        yield "what TensorFlow itself says", evidence.tensorflow.reason


UNKNOWN_FROM_LOG = (
    "what is in the machine now",
    "device files and who may open them",
    "installed Python packages",
    "environment variables that the log does not print",
    "free memory now and who holds it",
)


def as_dict(found: Diagnosis) -> dict[str, Any]:
    """Give a diagnosis for JSON."""
    return {
        "usable": found.usable,
        "summary": found.sentence,
        "findings": [
            {
                "rule": each.rule,
                "cause": each.cause,
                "certainty": each.certainty,
                "evidence": list(each.evidence),
                "fix": each.fix_text,
                "commands": [step.command for step in each.fix if step.command],
                "source": each.source,
                "consequence_of": each.consequence_of or None,
            }
            for each in found.findings
        ],
        "harmless": [seen.text for seen in found.harmless],
        "unknown": [{"what": what, "why": why} for what, why in found.unknown],
    }
