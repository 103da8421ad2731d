"""Figures from plain numbers, with the same bytes for the same numbers on every machine."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...extras import need
from .looks import COLOURS, look_of, shortened

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Format = Literal["svg", "png", "pdf"]
FORMATS: tuple[Format, ...] = ("svg", "png", "pdf")

# Settings that would make two runs of the program differ, or a figure look different elsewhere:
# random ids, today's date, a person's own settings, fonts that are not installed everywhere. Text
# is drawn as outlines of the font that matplotlib brings along.
_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "svg.hashsalt": "fairpool",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
}
_NO_DATE: Mapping[Format, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "Fairpool"},
    "png": {"Software": "Fairpool"},
    "pdf": {"CreationDate": None, "Creator": "Fairpool", "Producer": "Fairpool"},
}

# In inches: a column of a paper in two, and its text across both.
_PANEL_WIDTH, _TEXT_WIDTH, _PANEL_HEIGHT = 3.4, 6.7, 2.6
_MOST_COLUMNS = 3
# How far lines are shifted against each other, as a share of the least distance of two x.
_DODGE = 0.4
_DPI = 150
_MARGIN = 0.1  # around all that is drawn, in inches
_TICKS = 6
_LONGEST_TICK = 28  # signs of a name beside a panel, which needs room itself
_SIGN = 5.4 / 72  # a sign of a legend, in inches
_LEGEND_ROW, _ROWS_BESIDE = 0.19, 4  # a row of it, and how many rows the panels make room for
# Sums end in other digits on other processors; nine decimals are alike, and finer than any eye.
DECIMALS = 9


#: The ends of an interval around a mean; None where it has none.
Interval = tuple[float, float] | None


@dataclass(frozen=True)
class Points:
    """One line of a figure: `panel` and `series` say where it belongs; None is not a point.

    `intervals` are low and high around each y, or None where there is none; `wider` ones around
    these hold for several series together.
    """

    panel: str
    series: str
    x: Sequence[float]
    y: Sequence[float | None]
    intervals: Sequence[Interval] = ()
    wider: Sequence[Interval] = ()


@dataclass(frozen=True)
class Spread:
    """All values of one series in one panel, drawn as a box with whiskers."""

    panel: str
    series: str
    values: Sequence[float]


def house_style() -> "AbstractContextManager[None]":
    """Within it every figure looks alike, whatever a person has set for their own."""
    mpl = need("matplotlib")
    context: AbstractContextManager[None] = mpl.rc_context({**mpl.rcParamsDefault, **_STYLE})
    return context


def line_figure(
    points: Sequence[Points], *, x_label: str, y_label: str = "", zero: bool = True
) -> "Figure":
    """One panel beside another on one scale, one line per series; `zero` draws that of no bias.

    Every x is marked on the axis, unless there are too many to read. Intervals are bars, and lines
    stand a little beside each other so that these can be told apart; or bands over many x.
    """
    with house_style():
        figure, axes = panels([line.panel for line in points], share_y=True)
        look = _looks([line.series for line in points])
        shifts = _shifts(points)
        for line in points:
            y = [float("nan") if value is None else value for value in line.y]
            x = np.add(line.x, shifts.get(line.series, 0.0))
            panel, how = axes[line.panel], look[line.series]
            panel.plot(x, np.round(y, DECIMALS), label=line.series, **how)
            if line.wider:
                _draw_intervals(panel, x, line.wider, how["color"], 0.5)
            _draw_intervals(panel, x, line.intervals, how["color"], 1.5 if line.wider else 0.8)
        for title, panel in axes.items():
            xs = sorted({x for line in points if line.panel == title for x in line.x})
            panel.set_xlabel(x_label)
            if len(xs) <= _TICKS:
                panel.set_xticks(xs, [f"{x:g}" for x in xs])
            if zero:
                panel.axhline(0, color="#888888", linewidth=0.8, zorder=1)
        finish(figure, axes, y_label)
    return figure


def _shifts(points: Sequence[Points]) -> dict[str, float]:
    """Horizontal shift of each series; empty where there are no bars."""
    xs = sorted({x for line in points for x in line.x})
    if not 1 < len(xs) <= _TICKS or not any(line.intervals for line in points):
        return {}
    series = list(dict.fromkeys(line.series for line in points))
    whole = _DODGE * float(np.diff(xs).min())
    return {name: whole * ((n + 0.5) / len(series) - 0.5) for n, name in enumerate(series)}


def _draw_intervals(
    panel: "Axes",
    x: NDArray[np.float64],
    intervals: Sequence[Interval],
    colour: str,
    weight: float,
) -> None:
    """Bars so wide, in points; bands as strong as these."""
    known = [(at, *ends) for at, ends in zip(x, intervals, strict=False) if ends]
    if not known:
        return
    at, low, high = np.round(np.transpose(known), DECIMALS)
    if len(x) <= _TICKS:
        panel.vlines(at, low, high, colors=colour, linewidth=weight)
    else:
        panel.fill_between(at, low, high, color=colour, alpha=weight / 8, linewidth=0)


def box_figure(spreads: Sequence[Spread], *, x_label: str) -> "Figure":
    """One panel beside another, one lying box per series: median, quartiles, 1.5 x that range.

    Values beyond the whiskers are drawn as dots. A series without values keeps its empty place.
    """
    with house_style():
        figure, axes = panels([spread.panel for spread in spreads])
        named: list[str] = []
        short = shortened([spread.series for spread in spreads], _LONGEST_TICK)
        for title, panel in axes.items():
            boxes = [spread for spread in spreads if spread.panel == title]
            shown_series = [spread.series for spread in boxes]
            panel.boxplot(
                [np.round(spread.values, DECIMALS) for spread in boxes],
                orientation="horizontal",
                tick_labels=[plain(short[spread.series]) for spread in boxes],
                flierprops={"markersize": 2.5},
                medianprops={"color": COLOURS[1], "linewidth": 1.4},
            )
            panel.invert_yaxis()
            panel.set_xlabel(x_label)
            panel.axvline(0, color="#888888", linewidth=0.8, zorder=1)
            place = panel.get_subplotspec()
            panel.tick_params(
                labelleft=shown_series != named or place is None or place.is_first_col()
            )
            named = shown_series
        finish(figure, axes, "")
    return figure


def histogram_figure(
    edges: Sequence[float], counts: Sequence[int], *, title: str, x_label: str
) -> "Figure":
    """Bars from edge to edge, one more edge than bars; without bars an empty panel."""
    with house_style():
        figure, axes = panels([title])
        panel = axes[title]
        if counts:
            panel.stairs(counts, np.round(edges, DECIMALS), fill=True, color=COLOURS[0])
        panel.set_xlabel(x_label)
        panel.axvline(0, color="#888888", linewidth=0.8, zorder=1)
        finish(figure, axes, "queries")
    return figure


def render(figure: "Figure", kind: Format) -> bytes:
    """The figure as a file. Same figure, same bytes: no date, no random id, no font of the host."""
    return render_all(figure, (kind,))[kind]


def render_all(figure: "Figure", kinds: Sequence[Format] = FORMATS) -> dict[Format, bytes]:
    """The figure as a file of each kind; laid out once, which takes as long as it takes to draw."""
    files: dict[Format, bytes] = {}
    with house_style():
        need("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
        figure.draw_without_rendering()
        figure.set_layout_engine(None)
        whole = figure.get_tightbbox().padded(_MARGIN)
        for kind in kinds:
            buffer = io.BytesIO()
            metadata = dict(_NO_DATE[kind])
            figure.savefig(buffer, format=kind, dpi=_DPI, bbox_inches=whole, metadata=metadata)
            files[kind] = buffer.getvalue()
    return files


def panels(names: Sequence[str], *, share_y: bool = False) -> "tuple[Figure, dict[str, Axes]]":
    """The panels in rows that are as wide as a text, or one as wide as a column of it."""
    titles = list(dict.fromkeys(names)) or [""]
    rows = -(-len(titles) // _MOST_COLUMNS)
    columns = -(-len(titles) // rows)
    width = _TEXT_WIDTH if columns > 1 else _PANEL_WIDTH
    figure = need("matplotlib.figure").Figure(figsize=(width, _PANEL_HEIGHT * rows))
    figure.set_layout_engine("constrained")
    places = list(figure.subplots(rows, columns, squeeze=False, sharey=share_y).flat)
    axes = dict(zip(titles, places, strict=False))
    for unused in places[len(titles) :]:
        unused.set_axis_off()
    for title, panel in axes.items():
        panel.set_title(plain(title))
    return figure, axes


def _looks(series: Sequence[str]) -> dict[str, dict[str, Any]]:
    return {name: look_of(place) for place, name in enumerate(dict.fromkeys(series))}


def finish(figure: "Figure", axes: "Mapping[str, Axes]", y_label: str) -> None:
    if not axes:
        return
    first = next(iter(axes.values()))
    first.set_ylabel(y_label)
    handles, labels = first.get_legend_handles_labels()
    if handles:
        longest = _SIGN * (max(map(len, labels)) + 8)
        columns = min(len(labels), max(1, int(figure.get_figwidth() / longest)))
        # Many rows of a legend would leave the panels no room: then the figure grows.
        rows = -(-len(labels) // columns)
        more = _LEGEND_ROW * max(0, rows - _ROWS_BESIDE)
        figure.set_figheight(figure.get_figheight() + more)
        figure.legend(
            handles, [plain(label) for label in labels], loc="outside lower center", ncols=columns
        )


def plain(text: str) -> str:
    """A dollar sign in a name is a dollar sign, not the start of a formula."""
    return text.replace("$", r"\$")
