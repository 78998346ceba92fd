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

_I = re.IGNORECASE
# what stands where a name stands: the first group stays, the name goes
_NAMES_OF_HOSTS = tuple(
    re.compile(pattern, _I)
    for pattern in (
        r"on this host \((?P<name>[\w.-]+)\)",
        r"(?:hostname|information for host|\bhost|NODENAME|NODELIST)[\"']?\s*[:=]\s*[\"']?(?P<name>[A-Za-z0-9][\w.-]*)",
        r"[\w.-]+@(?P<name>[\w-]+)(?=[:\s~]|$)",
        r"\w+://(?:[^/@\s]+@)?(?P<name>[A-Za-z][\w.-]*):\d",
        r"[\"'](?P<name>[A-Za-z][\w.-]*):\d{4,5}[\"']",
    )
)
_PUBLIC = r"(?:tensorflow|nvidia|github|docker|kernel|python|pypi|apple|microsoft|amd|google|anaconda|kubernetes|ubuntu|debian)"
_HOME = r"(/(?:home\d*|homes|Users|export/home|u)/)[^/\s'\":;,]+"
_SHARED = r"(/(?:scratch\d*|data\d*|work|nfs\d*|lustre\d*|gpfs\d*|storage|projects?|mnt|net|afs|groups?|vol\d*)/)[^/\s'\":;,]+(?:/[^/\s'\":;,]+)?(?=/)"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(://)[^/@\s:]+:[^/@\s]+@"), r"\1<removed>@"),
    (re.compile(r"\b(?:GPU-|MIG-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", _I), "<uuid>"),
    (re.compile(r"\b(?:MIG-)?GPU-[0-9a-f]{6,}[0-9a-f-]*", _I), "<uuid>"),
    (re.compile(r"\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b", _I), "<mac>"),
    (re.compile(r"\bBearer\s+\S+", _I), "Bearer <removed>"),
    (re.compile(r"\b(?:AKIA[0-9A-Z]{12,}|gh[pousr]_\w{16,}|sk-[\w-]{16,}|xox[bp]-[\w-]{10,}|hf_\w{16,})"), "<removed>"),
    (re.compile(r"([\"']?[\w-]*(?:password|passwd|secret|token|api_?-?key|access_?-?key|credential)[\w-]*[\"']?\s*[:=]\s*)"
                r"(?:\"[^\"]*\"|'[^']*'|[^\s\"',}]+)", _I), r"\1<removed>"),
    (re.compile(r"(\b(?:serial(?:[ _]?number)?|s/n)[\"']?\s*[:=]?\s*[\"']?)(?=[\w-]*\d)[\w-]{5,}", _I), r"\1<gone>"),
    (re.compile(r"(\b(?:user(?:name)?|owner|login|account)[\"']?\s*(?:[:=]\s*[\"']?|[\"']))(?!<)[\w.@-]+", _I), r"\1<user>"),
    (re.compile(r"(\b[ug]id=\d+)\([\w.-]+\)"), r"\1(<user>)"),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "<mail>"),
    (re.compile(r"[\w.-]+(?=@<host>)"), "<user>"),
    (re.compile(_HOME, _I), r"\1<user>"),
    (re.compile(_SHARED, _I), r"\1<removed>"),
    (re.compile(r"([a-z]:\\+(?:Users|Documents and Settings)\\+)(?:[^\\\r\n\"':]+(?=\\)|[^\\\s\"']+)", _I), r"\1<user>"),
    (re.compile(r"(?<![\w/~])~[a-z][\w.-]+"), "~<user>"),
    (re.compile(rf"\b(?!(?:[\w-]+\.)*{_PUBLIC}\.)(?:[\w-]+\.)+(?:local|lan|internal|intranet|corp|home|edu|ac\.\w\w)\b", _I), "<host>"),
    (re.compile(rf"\b(?!(?:[\w-]+\.)*{_PUBLIC}\.)(?:[\w-]+\.){{2,}}(?:com|org|net|gov|io|ai|cloud|de|fr|uk|ch|nl|eu|us|jp|cn|in|ca|au)\b", _I),
     "<host>"),
)  # fmt: skip
_IPV4 = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)")
_IPV6 = re.compile(r"(?<![\w.:])(?=[0-9a-f:]*\d)[0-9a-f]*:[0-9a-f:]*:[0-9a-f]*(?:\.\d+){0,3}(?![\w:])", _I)
_BEFORE_A_VERSION = re.compile(
    r"(?:\b(?:lib|nvidia|cu|tensor|nccl|torch|jax|xla)[\w-]*|version|found|release|\bv)(?:\W{0,3}is)?[\s=:@(-]{0,3}$|==$",
    _I,
)
_COMMON = {
    "root",
    "localhost",
    "user",
    "admin",
    "ubuntu",
    "debian",
    "docker",
    "jovyan",
    "tensorflow",
    "nvidia",
    "python",
    "test",
    "linux",
}


def _without_address(found: re.Match[str]) -> str:
    """Take an address out; a version of four numbers, a time, or C++ stays."""
    try:
        ipaddress.ip_address(found[0])
    except ValueError:
        return found[0]
    before = found.string[max(0, found.start() - 40) : found.start()]
    return found[0] if ":" not in found[0] and _BEFORE_A_VERSION.search(before) else "<address>"


def redactor(user: str = "", host: str = "", seen: str = "") -> Callable[[str], str]:
    """Give a function that takes out of a text what names people, machines and devices.

    `user` and `host` are this machine's own; names that `seen` shows to be hosts go wherever they stand.
    """
    hosts = {found["name"] for pattern in _NAMES_OF_HOSTS for found in pattern.finditer(seen)}
    hosts |= {host, host.partition(".")[0]}
    named = [(name, "<host>") for name in sorted(hosts, key=len, reverse=True)] + [(user, "<user>")]
    own = [
        (re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", _I), mark)
        for name, mark in named
        if len(name) > 2 and name.lower() not in _COMMON and not re.fullmatch(r"[\d.]+", name)
        and not re.fullmatch(rf"(?:[\w-]+\.)*{_PUBLIC}\.\w+", name)
    ]  # fmt: skip

    def redact(text: str) -> str:
        text = _IPV6.sub(_without_address, _IPV4.sub(_without_address, text))
        for pattern, mark in (*own, *_RULES):
            text = pattern.sub(mark, text)
        return text

    return redact


def own_redactor(seen: str) -> Callable[[str], str]:
    """Give a redactor that knows this machine's name and this user's, and the hosts that `seen` names."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = ""
    return redactor(user, socket.gethostname(), seen)


def as_dict_to_share(found: Diagnosis) -> dict[str, Any]:
    """Give the diagnosis and its evidence, redacted. Who holds a GPU's memory is left out altogether."""
    evidence = in_builtins(found.evidence.machine)
    for gpu in evidence["memory"] if isinstance(evidence["memory"], list) else ():
        gpu["holders"] = len(gpu["holders"])
    shared = as_dict(found)
    if not found.evidence.from_log:
        shared["machine"] = {TITLES[name]: value for name, value in evidence.items()}
        shared["tensorflow"] = in_builtins(found.evidence.tensorflow)
    seen = "\n".join(
        (json.dumps(shared), *(line.text for lines in found.evidence.signs.seen.values() for line in lines))
    )
    clean: dict[str, Any] = _redacted(shared, own_redactor(seen))
    return clean


def as_json(found: Diagnosis) -> str:
    """Write the report as JSON."""
    return json.dumps(as_dict_to_share(found), indent=2, ensure_ascii=False)


def as_text(found: Diagnosis) -> str:
    """Write the report as text."""
    shared = as_dict_to_share(found)
    rows = ["# Why TensorFlow does not see a GPU" if found.usable is False else "# TensorFlow and its GPUs", ""]
    for finding in shared["findings"]:
        follows = f", follows from {finding['consequence_of']}" if finding["consequence_of"] else ""
        rows += [f"## {finding['rule']} ({finding['certainty']}{follows})", finding["cause"]]
        rows += [f"- {line}" for line in finding["evidence"]]
        if not finding["consequence_of"]:
            rows += ["", "To do:", finding["fix"], f"See {finding['source']}"]
        rows.append("")
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


_SECRET = re.compile(r"password|passwd|secret|token|api_?key|access_?key|credential", _I)
_VERSIONS = ("version", "module_version", "module_on_disk", "cuda", "cudnn", TITLES["module_version"], TITLES["nvml"])


def _redacted(value: Any, redact: Callable[[str], str], name: str = "") -> Any:
    """Redact all text in a value; by its name, a secret goes and a version stays."""
    if isinstance(value, str):
        if _SECRET.search(name):
            return "<removed>"
        return value if name in _VERSIONS and re.fullmatch(r"[\d.]+", value) else redact(value)
    if isinstance(value, dict):
        return {redact(str(key)): _redacted(each, redact, str(key)) for key, each in value.items()}
    return [_redacted(each, redact, name) for each in value] if isinstance(value, list) else value
