"""The Pareto front of effectiveness against bias."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...vocabulary import INTERVAL
from ..formats.tables import to_csv
from ..results import MEANS_NOTE, Results, ends_of_mean, magnitude_title
from .figures import Interval
from .front import Dot, front_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class ParetoPoint:
    """A run: more `effectiveness` is better, less `bias` is; both with the interval of the mean."""

    run: str
    effectiveness: float
    bias: float
    effectiveness_interval: Interval = None
    bias_interval: Interval = None


def pareto_front(points: Sequence[ParetoPoint]) -> list[bool]:
    """Return which runs no other is at least as good as in both and better in one; ties share it.

    >>> pareto_front([ParetoPoint("A", 0.5, 0.1), ParetoPoint("B", 0.4, 0.2)])
    [True, False]
    """
    best: list[bool] = []
    for point in points:
        dominated = any(
            other.effectiveness >= point.effectiveness
            and other.bias <= point.bias
            and (other.effectiveness, other.bias) != (point.effectiveness, point.bias)
            for other in points
        )
        best.append(not dominated)
    return best


@dataclass(frozen=True)
class ParetoPlot:
    """Effectiveness over bias, the front marked; `name` is the stem of its files."""

    name: str
    title: str
    points: Sequence[ParetoPoint]
    x_label: str
    y_label: str
    notes: Sequence[str] = ()

    def figure(self) -> "Figure":
        dots = [
            Dot(
                point.run,
                point.bias,
                point.effectiveness,
                point.bias_interval,
                point.effectiveness_interval,
                is_best,
            )
            for point, is_best in zip(self.points, pareto_front(self.points), strict=True)
        ]
        return front_figure(dots, x_label=self.x_label, y_label=self.y_label)

    def csv(self) -> str:
        """The numbers that are drawn, intervals as `_low` and `_high`; `front` is 1 or 0."""
        rows = []
        for point, is_best in zip(self.points, pareto_front(self.points), strict=True):
            row: dict[str, object] = {"run": point.run}
            for name in ("effectiveness", "bias"):
                row[name] = getattr(point, name)
                ends = getattr(point, f"{name}_interval") or (None, None)
                row[f"{name}_low"], row[f"{name}_high"] = ends
            rows.append({**row, "front": int(is_best)})
        return to_csv(rows, list(rows[0]))


def pareto_point(
    run: str, effectiveness: NDArray[np.float64] | None, bias: NDArray[np.float64] | None
) -> ParetoPoint | None:
    """The point of the values per query, the bias by its size; None where one has no value."""
    if effectiveness is None or bias is None:
        return None
    sizes = np.abs(bias)
    if np.isnan(effectiveness).all() or np.isnan(sizes).all():
        return None
    return ParetoPoint(
        run,
        float(np.nanmean(effectiveness)),
        float(np.nanmean(sizes)),
        ends_of_mean(effectiveness),
        ends_of_mean(sizes),
    )


def report_pareto(
    results: Results, cutoff: int, magnitude: str, notes: Sequence[str], *, least: int = 2
) -> ParetoPlot | None:
    """NDCG against the mean of |ARaB| over queries, which opposite biases do not cancel out.

    None where fewer than `least` runs have both.
    """
    points = [
        point
        for run in results.runs
        if (
            point := pareto_point(
                run,
                results.per_query(run, "nDCG", cutoff),
                results.per_query(run, "ARaB", cutoff, magnitude),
            )
        )
    ]
    if len(points) < least:
        return None
    return ParetoPlot(
        name="pareto",
        title="Effectiveness against bias: no run is better in both than one of the front.",
        points=points,
        x_label=f"mean |ARaB| ({magnitude_title(magnitude)}) at {cutoff}",
        y_label=f"nDCG at {cutoff}",
        notes=[f"Crosses: Student's {INTERVAL} of the mean over queries.", MEANS_NOTE, *notes],
    )
