"""Words that pages share, and the care that foreign text needs."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """Escape text so that Markdown shows it as it is: nothing from a log or an address is markup."""
    return _MARKUP.sub(r"\\\1", text).replace("\n", "  \n")
