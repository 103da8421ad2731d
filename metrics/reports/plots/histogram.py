"""Histogram of a run's values over the queries, with a bar of its own for exactly 0."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..formats.tables import to_csv
from .figures import histogram_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BINS = 30


@dataclass(frozen=True)
class Histogram:
    """`counts[i]` values lie from `edges[i]` up to `edges[i + 1]`, the last edge included.

    `n_zero` values are exactly 0 and in no bin: most queries have no bias at all, and their bar
    would leave nothing of the others to be seen.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    n_zero: int
    n_undefined: int

    def __len__(self) -> int:
        return len(self.counts)


def histogram_of(values: NDArray[np.float64]) -> Histogram:
    """Bins of equal width; where there are both signs, as many on each side of 0."""
    known = values[~np.isnan(values)]
    others = known[known != 0]
    n_zero, n_undefined = len(known) - len(others), len(values) - len(known)
    if not len(others):
        return Histogram((), (), n_zero, n_undefined)
    low, high = float(others.min()), float(others.max())
    if low < 0:
        high = max(high, -low)
        low = -high
    if low == high:
        low, high = low - abs(low) / 2, high + abs(high) / 2
    counts, edges = np.histogram(others, bins=_BINS, range=(low, high))
    return Histogram(tuple(edges.tolist()), tuple(counts.tolist()), n_zero, n_undefined)


def places_in_bin(values: NDArray[np.float64], histogram: Histogram, number: int) -> list[int]:
    """Where the values of one bin stand among `values`, as `numpy.histogram` counts them."""
    edges = np.array(histogram.edges)
    inside = (values >= edges[number]) & (values != 0)
    last = number == len(histogram) - 1
    inside &= values <= edges[number + 1] if last else values < edges[number + 1]
    places: list[int] = np.flatnonzero(inside).tolist()
    return places


@dataclass(frozen=True)
class HistogramPlot:
    """A histogram to print; `name` is the stem of its files."""

    name: str
    title: str
    histogram: Histogram
    x_label: str
    notes: Sequence[str] = field(default_factory=tuple)

    def figure(self) -> "Figure":
        return histogram_figure(
            self.histogram.edges, self.histogram.counts, title=self.title, x_label=self.x_label
        )

    def csv(self) -> str:
        """The numbers that are drawn, `low,high,queries`; exactly 0 is a row of its own."""
        edges = self.histogram.edges
        rows = [
            {"low": low, "high": high, "queries": count}
            for low, high, count in zip(edges[:-1], edges[1:], self.histogram.counts, strict=True)
        ]
        zero = {"low": 0.0, "high": 0.0, "queries": self.histogram.n_zero}
        return to_csv([*rows, zero], ("low", "high", "queries"))
