"""Parts of a picture: shapes, texts, and marks with tooltips and links."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from metrics.reports.plots.looks import COLOURS

_MOST_INTERVALS, _ENLARGED = 5, 1.25
#: Distances of the numbers of an axis that people read with ease, between 1 and 10.
_STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
#: Half the width of a mark, and about the width of a letter, in the units of a picture.
MARK_SIZE, LETTER = 5.5, 7.8
_LINE = 14
#: The marks of print (`MARKERS` of `looks.py`) as paths about their centres.
MARK_PATHS = (
    (
        "M0,5.5L2.2,5.2L3.9,3.9L5.2,2.2L5.5,-0L5.2,-2.2L3.9,-3.9L2.2,-5.2L0,-5.5L-2.2,-5.2"
        "L-3.9,-3.9L-5.2,-2.2L-5.5,-0L-5.2,2.2L-3.9,3.9L-2.2,5.2L0,5.5Z"
    ),
    "M-5.5,5.5L5.5,5.5L5.5,-5.5L-5.5,-5.5L-5.5,5.5Z",
    "M0,-5.5L-5.5,5.5L5.5,5.5L0,-5.5Z",
    "M-0,5.5L5.5,-0L0,-5.5L-5.5,-0L-0,5.5Z",
    "M-0,5.5L5.5,-5.5L-5.5,-5.5L-0,5.5Z",
    (
        "M-1.8,5.5L1.8,5.5L1.8,1.8L5.5,1.8L5.5,-1.8L1.8,-1.8L1.8,-5.5L-1.8,-5.5L-1.8,-1.8"
        "L-5.5,-1.8L-5.5,1.8L-1.8,1.8L-1.8,5.5Z"
    ),
    (
        "M-2.8,5.5L0,2.8L2.8,5.5L5.5,2.8L2.8,-0L5.5,-2.8L2.8,-5.5L0,-2.8L-2.8,-5.5L-5.5,-2.8"
        "L-2.8,-0L-5.5,2.8L-2.8,5.5Z"
    ),
    "M0,-5.5L-1.2,-1.7L-5.2,-1.7L-2,0.6L-3.2,4.4L-0,2.1L3.2,4.4L2,0.6L5.2,-1.7L1.2,-1.7L0,-5.5Z",
    "M-5.5,-0L5.5,5.5L5.5,-5.5L-5.5,-0Z",
    "M5.5,0L-5.5,-5.5L-5.5,5.5L5.5,0Z",
    "M0,-5.5L-5.2,-1.7L-3.2,4.4L3.2,4.4L5.2,-1.7L0,-5.5Z",
    "M-0,5.5L3.3,-0L0,-5.5L-3.3,-0L-0,5.5Z",
)


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
        return [
            (self(value), number(value)) for value in _round_numbers(self.low, self.high, whole)
        ]


def _round_numbers(low: float, high: float, whole: bool) -> list[float]:
    """Two to six round numbers between the ends, those of matplotlib's `MaxNLocator`.

    It is written here because a web process would keep matplotlib and its 30 MB.
    """
    least = (high - low) / _MOST_INTERVALS
    power = 10.0 ** floor(log10(least))
    steps = [step * power for step in (*(step / 10 for step in _STEPS[:-1]), *_STEPS)]
    if whole:
        steps = [step for step in steps if step < 1 or abs(step - round(step)) < 0.001]  # noqa: PLR2004 - digits
    large = next(place for place, step in enumerate(steps) if step >= least)
    numbers: list[float] = []
    for step in reversed(steps[: large + 1]):
        apart = max(1.0, step) if whole and floor(high) > ceil(low) else step
        multiples = range(floor(low / apart), ceil(high / apart) + 1)
        numbers = [n * apart for n in multiples if low <= n * apart <= high]
        if len(numbers) > 1:
            break
    return numbers


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


def look(place: int) -> tuple[str, str]:
    """Class and mark of the system at this place among all, as in print."""
    dashed = " dashed" if place >= len(COLOURS) else ""
    return f"series s{place % len(COLOURS)}{dashed}", MARK_PATHS[place % len(MARK_PATHS)]


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
