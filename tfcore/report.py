"""A report to share: what was found, with names, hosts, home folders, addresses, serials and UUIDs taken out."""

from __future__ import annotations

import getpass
import ipaddress
import json
import re
import socket
from collections.abc import Callable
from typing import Any

import msgspec

from tfcore.diagnosis import Diagnosis, as_dict
from tfcore.evidence import TITLES

_UUID = re.compile(r"\b(?:GPU-|MIG-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (_UUID, "<uuid>"),
    (re.compile(r"\b(?:MIG-)?GPU-[0-9a-f]{6,}[0-9a-f-]*", re.IGNORECASE), "<uuid>"),
    (re.compile(r"\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b", re.IGNORECASE), "<mac>"),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "<mail>"),
    (re.compile(r"(?<=@)[A-Za-z][\w-]*(?=[:\s~])"), "<host>"),
    (re.compile(r"\b[\w.-]+(?=@<host>)"), "<user>"),
    (re.compile(r"(?i)((?:host(?:name)?|information for host)\s*[:=]\s*)(?!<)[\w.-]+"), r"\1<host>"),
    (re.compile(r"(?i)((?:serial(?: number)?|s/n|user(?:name)?|login|account)\s*[:=]\s*)(?!<)[\w.@-]+"), r"\1<gone>"),
    (re.compile(r"(?i)((?:password|passwd|secret|token|api[_-]?key)\s*[:=]\s*)\S+"), r"\1<removed>"),
    (re.compile(r"(?i)(/(?:home|Users|export/home|data/home|lustre/\w+|scratch|gpfs/\w+)/)[^/\s'\":]+"), r"\1<user>"),
    (re.compile(r"(?i)([a-z]:\\+(?:Users|Documents and Settings)\\+)[^\\\s'\"]+"), r"\1<user>"),
    (re.compile(r"\b(?:[\w-]+\.)+(?:local|lan|internal|intranet|corp|home|edu|ac\.\w\w)\b"), "<host>"),
)  # fmt: skip


_ADDRESS = re.compile(
    r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:]*)(?![\w.])(?!:\w+:)", re.IGNORECASE
)
_BEFORE_A_VERSION = re.compile(
    r"(?:cudnn|version|driver|cuda|libcuda|nccl|tensorrt)\W{0,3}(?:is)?\W{0,3}$|[=v]$", re.IGNORECASE
)


def _without_address(found: re.Match[str]) -> str:
    """Take an address out; a version of four numbers, or a time, stays."""
    try:
        ipaddress.ip_address(found[0].rstrip(":"))
    except ValueError:
        return found[0]
    before = found.string[max(0, found.start() - 24) : found.start()]
    if ":" not in found[0] and _BEFORE_A_VERSION.search(before):
        return found[0]
    return "<address>" + (":" if found[0].endswith(":") and not found[0].endswith("::") else "")


def redactor(user: str = "", host: str = "") -> Callable[[str], str]:
    """Give a function that takes out of a text what names people, machines and devices."""
    own = [
        (re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE), mark)
        for name, mark in ((host, "<host>"), (host.partition(".")[0], "<host>"), (user, "<user>"))
        if len(name) > 2 and name not in ("root", "localhost")
    ]

    def redact(text: str) -> str:
        text = _ADDRESS.sub(_without_address, text)
        for pattern, mark in (*own, *_RULES):
            text = pattern.sub(mark, text)
        return text

    return redact


def own_redactor() -> Callable[[str], str]:
    """Give a redactor that knows this machine's name and this user's."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = ""
    return redactor(user, socket.gethostname())


def as_dict_to_share(found: Diagnosis, redact: Callable[[str], str]) -> dict[str, Any]:
    """Give the diagnosis and its evidence, redacted. Who holds a GPU's memory is left out altogether."""
    evidence = in_builtins(found.evidence.machine)
    for gpu in evidence["memory"] if isinstance(evidence["memory"], list) else ():
        gpu["holders"] = len(gpu["holders"])
    shared = as_dict(found)
    if not found.evidence.from_log:
        shared["machine"] = {TITLES[name]: value for name, value in evidence.items()}
        shared["tensorflow"] = in_builtins(found.evidence.tensorflow)
    clean: dict[str, Any] = _redacted(shared, redact)
    return clean


def as_json(found: Diagnosis) -> str:
    """Write the report as JSON."""
    return json.dumps(as_dict_to_share(found, own_redactor()), indent=2, ensure_ascii=False)


def as_text(found: Diagnosis) -> str:
    """Write the report as text."""
    shared = as_dict_to_share(found, own_redactor())
    rows = ["# Why TensorFlow does not see a GPU" if not found.usable else "# TensorFlow and its GPUs", ""]
    for finding in shared["findings"]:
        follows = f", follows from {finding['consequence_of']}" if finding["consequence_of"] else ""
        rows += [f"## {finding['rule']} ({finding['certainty']}{follows})", finding["cause"]]
        rows += [f"- {line}" for line in finding["evidence"]] + [""]
    for title, value in {**shared.get("machine", {}), "TensorFlow": shared.get("tensorflow")}.items():
        if value is not None:
            rows.append(f"{title}: {in_short(value)}")
    rows += ["", *(f"Harmless: {line}" for line in shared["harmless"])]
    rows += [f"Not known: {each['what']}: {each['why']}" for each in shared["unknown"]]
    return "\n".join(rows).strip()


def in_builtins(value: Any) -> Any:
    """Give a dataclass as JSON would: lists, not tuples."""
    return msgspec.json.decode(msgspec.json.encode(value))


def in_short(value: Any) -> str:
    """Write a piece of evidence on one line."""
    if isinstance(value, dict) and set(value) == {"reason"}:
        return f"not available ({value['reason']})"
    if isinstance(value, dict):
        return ", ".join(f"{name} {in_short(each)}" for name, each in value.items() if each not in ("", 0, [], False))
    if isinstance(value, list):
        return "; ".join(in_short(each) for each in value) or "none"
    return str(value)


def _redacted(value: Any, redact: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {redact(str(name)): _redacted(each, redact) for name, each in value.items()}
    return [_redacted(each, redact) for each in value] if isinstance(value, list) else value
