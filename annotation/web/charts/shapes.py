"""Parts of a picture: shapes, texts, and marks with tooltips and links."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from metrics.extras import need
from metrics.reports.plots.looks import COLOURS, MARKERS

_TICKS, _ENLARGED = 5, 1.25
#: Half the width of a mark, and about the width of a letter, in the units of a picture.
MARK_SIZE, LETTER = 5.5, 7.8
_LINE = 14


@dataclass(frozen=True)
class Shape:
    """A path about x, y; its `kind` is its class in the style sheet."""

    kind: str
    d: str
    x: float = 0
    y: float = 0


@dataclass(frozen=True)
class Text:
    """Text at a place; `full` is the text before shortening.

    A script shows a `moment`, in ISO 8601, in the reader's time zone.
    """

    x: float
    y: float
    text: str
    anchor: str = "start"
    kind: str = "tick"
    full: str = ""
    moment: str = ""


@dataclass(frozen=True)
class Mark:
    """A value: its place, path, tooltip and link."""

    x: float
    y: float
    d: str
    text: str
    address: str = ""
    kind: str = "mark"


@dataclass(frozen=True)
class Group:
    """Shapes, marks and texts that belong together; `kind` chooses their colour."""

    kind: str = ""
    shapes: Sequence[Shape] = ()
    marks: Sequence[Mark] = ()
    texts: Sequence[Text] = ()


@dataclass(frozen=True)
class Chart:
    """One picture; `title` is its name for those who do not see it."""

    title: str
    width: int
    height: int
    groups: Sequence[Group]

    @property
    def shown_size(self) -> tuple[int, int]:
        """Width and height in pixels on a wide screen; on a narrow one both shrink."""
        return round(self.width * _ENLARGED), round(self.height * _ENLARGED)


@dataclass(frozen=True)
class Scale:
    """From numbers to places."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.stop - self.start), 1)

    def ticks(self, *, whole: bool = False) -> list[tuple[float, str]]:
        """Places with their numbers."""
        locator = need("matplotlib.ticker").MaxNLocator(_TICKS, integer=whole)
        values = locator.tick_values(self.low, self.high)
        inside = [float(value) for value in values if self.low <= value <= self.high]
        return [(self(value), number(value)) for value in inside]


def scale_of(
    values: Sequence[float], start: float, stop: float, *, zero: bool = True, room: float = 0.06
) -> Scale:
    """The axis of values with a little room at both ends; it holds 0 unless it need not."""
    extent = [*values, 0.0] if zero or not values else values
    low, high = min(extent), max(extent)
    spare = room * (high - low) or 1.0
    return Scale(
        low if zero and low == 0 else low - spare,
        high if zero and high == 0 and low < 0 else high + spare,
        start,
        stop,
    )


def number(value: float) -> str:
    """A number of an axis, with a true minus."""
    return f"{value:,.10g}".replace("-", "\u2212")


def line(*points: tuple[float, float]) -> str:
    """The path through the points."""
    return "M" + "L".join(f"{x:.5g},{y:.5g}" for x, y in points)


def box(x: float, y: float, width: float, height: float) -> str:
    """The path of a rectangle."""
    return f"M{x:.5g},{y:.5g}h{width:.4g}v{height:.4g}h{-width:.4g}Z"


def _mark_path(name: str) -> str:
    """The mark of print as a path of the same shape, about its centre."""
    style = need("matplotlib.markers").MarkerStyle(name)
    path = style.get_path().transformed(style.get_transform())
    corners = np.asarray(path.to_polygons(closed_only=False)[0]) * (1.0, -1.0)
    sized = np.round(corners * (MARK_SIZE / np.abs(corners).max()), 1)
    return f"{line(*((float(x), float(y)) for x, y in sized))}Z"


@cache
def mark_paths() -> tuple[str, ...]:
    """The marks of print, as paths."""
    return tuple(_mark_path(name) for name in MARKERS)


def look(place: int) -> tuple[str, str]:
    """Class and mark of the system at this place among all, as in print."""
    dashed = " dashed" if place >= len(COLOURS) else ""
    return f"series s{place % len(COLOURS)}{dashed}", mark_paths()[place % len(mark_paths())]


def spread(places: Sequence[float], low: float, high: float, least: float = _LINE) -> list[float]:
    """Move the places apart as little as adjacent labels need, within both ends."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    # Neighbours that are too close stand around their common middle.
    clusters: list[list[float]] = []
    for nth in order:
        clusters.append([1, places[nth]])
        while len(clusters) > 1:
            (n, middle), (m, other) = clusters[-2], clusters[-1]
            if other - middle >= least * (n + m) / 2:
                break
            clusters[-2:] = [[n + m, (n * middle + m * other) / (n + m)]]
    moved = [
        middle + least * (step - (n - 1) / 2) for n, middle in clusters for step in range(int(n))
    ]
    # Labels beyond an end push the others inwards.
    bottom = high
    for place in reversed(range(len(moved))):
        moved[place] = min(moved[place], bottom)
        bottom = moved[place] - least
    top = low
    for place, value in enumerate(moved):
        moved[place] = max(value, top)
        top = moved[place] + least
    return [round(moved[order.index(index)], 1) for index in range(len(places))]
