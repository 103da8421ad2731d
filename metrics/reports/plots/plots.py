"""Figures of a report: what is drawn, and the same numbers as a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from ..formats.tables import to_csv
from .figures import Points, Spread, box_figure, line_figure

#: What the intervals of a `LinePlot` are.
INTERVALS_NOTE = (
    "Bars or bands: Student's 95 % interval of the mean over queries. The panels share their axis."
)


@dataclass(frozen=True)
class LinePlot:
    """Lines over a number; `name` is the stem of its files."""

    name: str
    title: str
    points: Sequence[Points]
    x_label: str
    y_label: str = ""
    zero: bool = True
    notes: Sequence[str] = ()

    def figure(self) -> Figure:
        return line_figure(self.points, x_label=self.x_label, y_label=self.y_label, zero=self.zero)

    def csv(self) -> str:
        """The numbers that are drawn, `panel,series,x,y,low,high`, in full precision."""
        rows = []
        for line in self.points:
            ends = line.intervals or [None] * len(line.x)
            for x, y, interval in zip(line.x, line.y, ends, strict=True):
                low, high = interval or (None, None)
                rows.append(
                    {
                        "panel": line.panel,
                        "series": line.series,
                        "x": x,
                        "y": y,
                        "low": low,
                        "high": high,
                    }
                )
        return to_csv(rows, ("panel", "series", "x", "y", "low", "high"))


@dataclass(frozen=True)
class BoxPlot:
    """Distributions of values; `name` is the stem of its files."""

    name: str
    title: str
    spreads: Sequence[Spread]
    x_label: str
    notes: Sequence[str] = ()

    def figure(self) -> Figure:
        return box_figure(self.spreads, x_label=self.x_label)

    def csv(self) -> str:
        """The numbers that are drawn, `panel,series,value`, in full precision."""
        rows = [
            {"panel": spread.panel, "series": spread.series, "value": value}
            for spread in self.spreads
            for value in spread.values
        ]
        return to_csv(rows, ("panel", "series", "value"))


Plot = LinePlot | BoxPlot
