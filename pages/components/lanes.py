"""The lanes of the race, drawn with style sheets alone: each moves for as long as it was measured, to scale."""

from __future__ import annotations

import html

import streamlit as st

from pages.components.words import plain
from tfcore.race import Lane, Race
from tfcore.words import in_seconds

COLOURS = ("#b54708", "#2a7f9e", "#5b8a2c", "#7a5195")
STYLE = """
<style>
.race{font-size:clamp(1rem,1.7vw,2.2rem);display:grid;gap:1.1em;margin:.5em 0}
.race .name{font-weight:600;display:flex;justify-content:space-between;gap:1em;flex-wrap:wrap}
.race .took{font-weight:400;opacity:0;animation:race-show .2s linear forwards}
.race .track{height:1.7em;border-radius:.85em;overflow:hidden;background:rgba(128,128,128,.22)}
.race .run{height:100%;border-radius:.85em;min-width:1.7em;width:100%;transform-origin:left;
animation-timing-function:linear;animation-fill-mode:both}
@keyframes race-show{to{opacity:1}}
@media (prefers-reduced-motion:reduce){.race .run{animation:none!important;width:var(--still)}
.race .took{animation:none;opacity:1}}
</style>
"""


def draw(race: Race, turn: int) -> None:
    """Draw the race from its start. Another `turn` starts it anew."""
    quickest = min(lane.measured_s for lane in race.lanes)
    rows = "".join(_lane(lane, COLOURS[n % len(COLOURS)], turn, quickest) for n, lane in enumerate(race.lanes))
    frames = f"<style>@keyframes race-run-{turn}{{from{{width:1.7em}}to{{width:100%}}}}</style>"
    label = html.escape(race.sentence, quote=True)
    st.html(f"{STYLE}{frames}<div class='race' role='img' aria-label='{label}'>{rows}</div>")
    st.caption(plain(race.scale))


def _lane(lane: Lane, colour: str, turn: int, quickest: float) -> str:
    still = f"--still:{100 * quickest / lane.measured_s:.2f}%"
    took = f"{in_seconds(lane.measured_s)} for one job"
    return (
        f"<div><div class='name'><span>{html.escape(lane.name)}</span>"
        f"<span class='took' style='animation-delay:{lane.shown_s:.3f}s'>{took}</span></div>"
        f"<div class='track'><div class='run' style='background:{colour};{still};"
        f"animation-name:race-run-{turn};animation-duration:{lane.shown_s:.3f}s'></div></div></div>"
    )
