"""Numbers as people say them, and text that is safe in a spreadsheet."""

from __future__ import annotations


def in_seconds(value: float) -> str:
    """Write a duration: "48 s", "2.4 s", "35 ms", "120 µs"."""
    if value >= 120:
        return f"{value / 60:,.0f} min"
    if value >= 0.9995:
        return f"{value:.0f} s" if value >= 9.95 else f"{value:.1f} s"
    return f"{value * 1e3:.3g} ms" if value >= 0.9995e-3 else f"{value * 1e6:.3g} µs"


def in_times(ratio: float) -> str:
    """Write a ratio: "1,600 times", "4.5 times"."""
    return f"{ratio:,.0f} times" if ratio >= 99.5 else f"{ratio:.3g} times"


def in_gb(size: float) -> str:
    """Write a number of bytes in GB of 10**9 bytes, or in MB of 10**6 where it is little."""
    return f"{size / 1e9:.1f} GB" if size >= 0.05e9 else f"{size / 1e6:.2g} MB"


def harmless(value: object) -> object:
    """Keep a spreadsheet from taking text for a formula."""
    return (
        f"'{value}" if isinstance(value, str) and value.lstrip()[:1] in tuple("=+-@\t\r") and value.strip() else value
    )
