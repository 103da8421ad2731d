"""Marks and colours of the systems of a figure, alike in print and on pages."""

from collections.abc import Mapping, Sequence
from typing import Any

#: Twelve colours for white paper, at least 3:1 against it, chosen to lie as far apart as they can
#: for readers with normal sight and for those without one kind of cones (Machado et al., 2009).
COLOURS = (
    "#353ec7", "#ea61a2", "#088407", "#601a21", "#759b19", "#cf64ef",
    "#445c10", "#8261be", "#af4680", "#5e2672", "#3402a7", "#84355b",
)  # fmt: skip
#: A mark for each, by the names of matplotlib: colours alone tell nothing in grey print.
MARKERS = "os^DvPX*<>pd"
_DASHES = ("-", "--", ":", "-.")


def look_of(place: int) -> dict[str, Any]:
    """The line of the system at this place for matplotlib; dashed after the twelfth."""
    return {
        "color": COLOURS[place % len(COLOURS)],
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": _DASHES[place // len(COLOURS) % len(_DASHES)],
        "linewidth": 1.4,
        "markersize": 4,
    }


def shortened(names: Sequence[str], length: int = 18) -> Mapping[str, str]:
    """The names with their middles left out, as far as they stay different."""
    while True:
        short = {name: _without_middle(name, length) for name in names}
        if len(set(short.values())) == len(short):
            return short
        length += 2


def _without_middle(name: str, length: int) -> str:
    if len(name) <= length:
        return name
    tail = length // 2
    return f"{name[: length - tail - 1]}…{name[-tail:]}"
