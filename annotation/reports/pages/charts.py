"""Pictures of a report as plain shapes: the templates only write them down.

They are drawn here and not by a library for charts, because every mark is a link that keys reach,
with its value in words, under a content policy without inline style; docs/decisions/0003 says more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.ticker import MaxNLocator

from metrics.reports.plots.histogram import Histogram
from metrics.reports.plots.plots import LinePlot

WIDTH, HEIGHT = 380, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 26, 40
_TICKS = 5
#: Series are told apart by colour and once more by mark, as in print.
N_COLOURS = 8
_MARKS = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z",
    "M-3.6,-3.6h7.2v7.2h-7.2Z",
    "M0,-4.6L4.4,3.4H-4.4Z",
    "M0,-5L4.4,0L0,5L-4.4,0Z",
    "M0,4.6L4.4,-3.4H-4.4Z",
)


@dataclass(frozen=True)
class Tick:
    """A place on an axis, in pixels, and what stands there."""

    place: float
    text: str


@dataclass(frozen=True)
class Mark:
    """A value that can be pointed at: where it is, what it says, and where it leads."""

    x: float
    y: float
    text: str
    address: str
    width: float = 0
    height: float = 0


@dataclass(frozen=True)
class Line:
    """One series; `number` chooses its colour, `shape` is the path of its marks."""

    name: str
    number: int
    shape: str
    points: str
    marks: Sequence[Mark]


@dataclass(frozen=True)
class Chart:
    """One panel; `zero` is where the line of no bias lies, if it lies within."""

    title: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    zero: float | None
    x_label: str = ""
    y_label: str = ""
    lines: Sequence[Line] = ()
    bars: Sequence[Mark] = ()
    extremes: Sequence[Mark] = ()
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = HEIGHT - _BOTTOM


@dataclass(frozen=True)
class _Scale:
    """From numbers to pixels."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.stop - self.start), 1)

    def ticks(self, *, whole: bool = False) -> list[Tick]:
        values = MaxNLocator(_TICKS, integer=whole).tick_values(self.low, self.high)
        inside = [float(value) for value in values if self.low <= value <= self.high]
        return [Tick(self(value), f"{value:g}".replace("-", "\u2212")) for value in inside]

    def zero_position(self) -> float | None:
        return self(0) if self.low <= 0 <= self.high else None


def _vertical(values: Sequence[float]) -> _Scale:
    """The axis of values: it holds 0, and a little room on each side."""
    low, high = min(0.0, *values), max(0.0, *values)
    room = 0.08 * (high - low) or 1.0
    low = low - room if low < 0 else 0.0
    high = high + room if high > 0 or low == 0 else 0.0
    return _Scale(low, high, HEIGHT - _BOTTOM, _TOP)


def line_charts(
    plot: LinePlot, mark: Callable[[str, str, int, float], tuple[str, str]]
) -> list[Chart]:
    """One chart per panel; `mark(panel, series, x, y)` gives what a point says and leads to."""
    panels = list(dict.fromkeys(line.panel for line in plot.points))
    series = list(dict.fromkeys(line.series for line in plot.points))
    shown = [y for line in plot.points for y in line.y if y is not None]
    up = _vertical(shown or [0.0])
    xs = sorted({int(x) for line in plot.points for x in line.x})
    across = _Scale(min(xs, default=0) - 1, max(xs, default=0) + 1, _LEFT, WIDTH - _RIGHT)

    def drawn(panel: str, name: str, points: Sequence[tuple[int, float]]) -> Line:
        number = series.index(name)
        marks = [Mark(across(x), up(y), *mark(panel, name, x, y)) for x, y in points]
        return Line(
            name=name,
            number=number % N_COLOURS,
            shape=_MARKS[number % len(_MARKS)],
            points=" ".join(f"{one.x},{one.y}" for one in marks),
            marks=marks,
        )

    return [
        Chart(
            title=panel,
            x_ticks=[Tick(across(x), str(x)) for x in xs],
            y_ticks=up.ticks(),
            zero=up.zero_position(),
            x_label="cut-off (rank)",
            y_label=f"{panel}: up is male, down is female",
            lines=[
                drawn(
                    panel,
                    line.series,
                    [(int(x), y) for x, y in zip(line.x, line.y, strict=True) if y is not None],
                )
                for line in plot.points
                if line.panel == panel
            ],
        )
        for panel in panels
    ]


def bar_chart(
    title: str,
    histogram: Histogram,
    bar: Callable[[int, float, float, int], tuple[str, str]],
    extremes: Sequence[tuple[float, str, str]],
) -> Chart:
    """A histogram; `bar(number, low, high, count)` gives what a bar says and leads to.

    `extremes` are single queries, (value, text, address), as dots on the axis.
    """
    edges = histogram.edges or (0.0, 1.0)
    width = 2 * WIDTH
    across = _Scale(edges[0], edges[-1], _LEFT, width - _RIGHT)
    up = _Scale(0, max(histogram.counts, default=1) * 1.08, HEIGHT - _BOTTOM - 8, _TOP)
    bars = [
        Mark(
            across(low),
            up(count),
            *bar(number, low, high, count),
            width=round(across(high) - across(low) - 1, 1),
            height=round(up(0) - up(count), 1),
        )
        for number, ((low, high), count) in enumerate(
            zip(pairwise(edges), histogram.counts, strict=False)
        )
        if count
    ]
    return Chart(
        title=title,
        x_ticks=across.ticks(),
        y_ticks=up.ticks(whole=True),
        zero=across.zero_position(),
        x_label="value of a query",
        y_label="queries",
        bars=bars,
        extremes=[
            Mark(across(value), HEIGHT - _BOTTOM - 3, text, address)
            for value, text, address in extremes
        ],
        width=width,
        right=width - _RIGHT,
    )
