"""The figures of a report, and their numbers as tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...vocabulary import INTERVAL
from ..formats.tables import to_csv
from .figures import Points, Spread, box_figure, line_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Description of the intervals of a `LinePlot`.
INTERVALS_NOTE = (
    f"Bars or bands: Student's {INTERVAL} of each mean over queries by itself, corrected for no "
    "other; sentences correct over the models. The panels share their axis."
)
#: Description of its wider intervals, if drawn.
WIDER_NOTE = (
    f"The thin bars or pale bands around them: {INTERVAL} of all models of a panel together at one "
    "cut-off (Bonferroni). Where one excludes 0, the sentence says that the model leans."
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

    def figure(self) -> "Figure":
        return line_figure(self.points, x_label=self.x_label, y_label=self.y_label, zero=self.zero)

    def csv(self) -> str:
        """The numbers that are drawn, in full precision.

        Columns: `panel,series,x,y,low,high,wider_low,wider_high`.
        """
        rows = []
        for line in self.points:
            nothing = [None] * len(line.x)
            around = (line.intervals or nothing, line.wider or nothing)
            for x, y, *both in zip(line.x, line.y, *around, strict=True):
                row = {"panel": line.panel, "series": line.series, "x": x, "y": y}
                for name, interval in zip(("", "wider_"), both, strict=True):
                    row[f"{name}low"], row[f"{name}high"] = interval or (None, None)
                rows.append(row)
        ends = ("low", "high", "wider_low", "wider_high")
        return to_csv(rows, ("panel", "series", "x", "y", *ends))


@dataclass(frozen=True)
class BoxPlot:
    """Distributions of values; `name` is the stem of its files."""

    name: str
    title: str
    spreads: Sequence[Spread]
    x_label: str
    notes: Sequence[str] = ()

    def figure(self) -> "Figure":
        return box_figure(self.spreads, x_label=self.x_label)

    def csv(self) -> str:
        """The numbers that are drawn, `panel,series,value`, in full precision."""
        rows = [
            {"panel": spread.panel, "series": spread.series, "value": value}
            for spread in self.spreads
            for value in spread.values
        ]
        return to_csv(rows, ("panel", "series", "value"))


@dataclass(frozen=True)
class DrawnPlot:
    """A figure that `draw` makes of rows; `name` is the stem of its files."""

    name: str
    title: str
    draw: "Callable[[], Figure]"
    rows: Sequence[Mapping[str, object]]
    columns: Sequence[str]
    notes: Sequence[str] = ()

    def figure(self) -> "Figure":
        return self.draw()

    def csv(self) -> str:
        """The rows in full precision."""
        return to_csv(self.rows, self.columns)


Plot = LinePlot | BoxPlot | DrawnPlot
