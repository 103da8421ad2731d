"""Figures from plain numbers, with the same bytes for the same numbers on every machine."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

Format = Literal["svg", "png", "pdf"]
FORMATS: tuple[Format, ...] = ("svg", "png", "pdf")

# What would make two runs of the same program differ, or a figure look different elsewhere:
# random ids, today's date, a person's own settings, fonts that are not installed everywhere.
# Text is drawn as outlines of the font that matplotlib brings along.
_STYLE: Any = {
    **mpl.rcParamsDefault,
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

# Eight colours that stay apart for colour-blind readers (Okabe and Ito), told apart once more by
# marker and dash, so that print in grey and more than eight systems stay readable.
_COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a6d00",
)  # fmt: skip
_MARKERS = "os^DvPX*<>"
_DASHES = ("-", "--", ":", "-.")

_PANEL_WIDTH, _PANEL_HEIGHT = 3.4, 3.0
_DPI = 150
_TICKS = 8
# Sums end in other digits on other processors; nine decimals are alike, and finer than any eye.
_DECIMALS = 9


@dataclass(frozen=True)
class Points:
    """One line of a figure: `panel` and `series` say where it belongs; None is no point."""

    panel: str
    series: str
    x: Sequence[float]
    y: Sequence[float | None]


@dataclass(frozen=True)
class Spread:
    """All values of one series in one panel, drawn as a box with whiskers."""

    panel: str
    series: str
    values: Sequence[float]


def line_figure(
    points: Sequence[Points], *, x_label: str, y_label: str = "", zero: bool = True
) -> Figure:
    """One panel beside another, one line per series; `zero` draws the line of no bias.

    Every x is marked on the axis, unless there are too many to read.
    """
    with mpl.rc_context(_STYLE):
        figure, axes = _panels([line.panel for line in points])
        look = _looks([line.series for line in points])
        for line in points:
            y = [float("nan") if value is None else value for value in line.y]
            axes[line.panel].plot(
                line.x, np.round(y, _DECIMALS), label=line.series, **look[line.series]
            )
        for title, panel in axes.items():
            xs = sorted({x for line in points if line.panel == title for x in line.x})
            panel.set_xlabel(x_label)
            if len(xs) <= _TICKS:
                panel.set_xticks(xs, [f"{x:g}" for x in xs])
            if zero:
                panel.axhline(0, color="#888888", linewidth=0.8, zorder=1)
        _finish(figure, axes, y_label)
    return figure


def box_figure(spreads: Sequence[Spread], *, x_label: str) -> Figure:
    """One panel beside another, one lying box per series: median, quartiles, 1.5 x that range.

    Values beyond the whiskers are drawn as dots. A series without values keeps its empty place.
    """
    with mpl.rc_context(_STYLE):
        figure, axes = _panels([spread.panel for spread in spreads])
        for title, panel in axes.items():
            shown = [spread for spread in spreads if spread.panel == title]
            panel.boxplot(
                [np.round(spread.values, _DECIMALS) for spread in shown],
                orientation="horizontal",
                tick_labels=[_plain(spread.series) for spread in shown],
                flierprops={"markersize": 2.5},
                medianprops={"color": _COLOURS[1], "linewidth": 1.4},
            )
            panel.invert_yaxis()
            panel.set_xlabel(x_label)
            panel.axvline(0, color="#888888", linewidth=0.8, zorder=1)
        _finish(figure, axes, "")
    return figure


def front_figure(
    others: Sequence[tuple[float, float]],
    front: Sequence[tuple[str, float, float]],
    *,
    x_label: str,
    y_label: str,
) -> Figure:
    """Dots x, y, and those of a front, named and joined by a line."""
    with mpl.rc_context(_STYLE):
        figure, axes = _panels([""])
        panel = axes[""]
        panel.plot([x for x, _ in others], [y for _, y in others], "o", color="#888888")
        ends = [(x, y) for _, x, y in front]
        panel.plot([x for x, _ in ends], [y for _, y in ends], "o-", color=_COLOURS[0])
        for name, x, y in front:
            panel.annotate(_plain(name), (x, y), fontsize=7)
        panel.set_xlabel(x_label)
        _finish(figure, axes, y_label)
    return figure


def histogram_figure(
    edges: Sequence[float], counts: Sequence[int], *, title: str, x_label: str
) -> Figure:
    """Bars from edge to edge, one more edge than bars; without bars an empty panel."""
    with mpl.rc_context(_STYLE):
        figure, axes = _panels([title])
        panel = axes[title]
        if counts:
            panel.stairs(counts, np.round(edges, _DECIMALS), fill=True, color=_COLOURS[0])
        panel.set_xlabel(x_label)
        panel.axvline(0, color="#888888", linewidth=0.8, zorder=1)
        _finish(figure, axes, "queries")
    return figure


def render(figure: Figure, kind: Format) -> bytes:
    """The figure as a file. Same figure, same bytes: no date, no random id, no font of the host."""
    buffer = io.BytesIO()
    with mpl.rc_context(_STYLE):
        FigureCanvasAgg(figure)
        figure.savefig(
            buffer, format=kind, dpi=_DPI, bbox_inches="tight", metadata=dict(_NO_DATE[kind])
        )
    return buffer.getvalue()


def _panels(names: Sequence[str]) -> tuple[Figure, dict[str, Axes]]:
    titles = list(dict.fromkeys(names))
    figure = Figure(figsize=(_PANEL_WIDTH * max(len(titles), 1), _PANEL_HEIGHT))
    figure.set_layout_engine("constrained")
    places = figure.subplots(1, max(len(titles), 1), squeeze=False)[0]
    axes = dict(zip(titles, places, strict=False))
    for title, panel in axes.items():
        panel.set_title(_plain(title))
    return figure, axes


def _looks(series: Sequence[str]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "color": _COLOURS[place % len(_COLOURS)],
            "marker": _MARKERS[place % len(_MARKERS)],
            "linestyle": _DASHES[place // len(_COLOURS) % len(_DASHES)],
            "linewidth": 1.4,
            "markersize": 4,
        }
        for place, name in enumerate(dict.fromkeys(series))
    }


def _finish(figure: Figure, axes: Mapping[str, Axes], y_label: str) -> None:
    if not axes:
        return
    first = next(iter(axes.values()))
    first.set_ylabel(y_label)
    handles, labels = first.get_legend_handles_labels()
    if handles:
        columns = min(len(labels), 4 if len(axes) > 1 else 2)
        figure.legend(
            handles, [_plain(label) for label in labels], loc="outside lower center", ncols=columns
        )


def _plain(text: str) -> str:
    """A dollar sign in a name is a dollar sign, not the start of a formula."""
    return text.replace("$", r"\$")
