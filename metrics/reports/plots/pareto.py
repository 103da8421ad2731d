"""The Pareto front of effectiveness against bias."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from ..formats.tables import to_csv
from ..results import Results, magnitude_title
from .figures import front_figure


@dataclass(frozen=True)
class ParetoPoint:
    """A run: more `effectiveness` is better, less `bias` is."""

    run: str
    effectiveness: float
    bias: float


def pareto_front(points: Sequence[ParetoPoint]) -> list[bool]:
    """Whether no other run is at least as good in both and better in one; equal runs share it.

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

    def figure(self) -> Figure:
        marked = list(zip(self.points, pareto_front(self.points), strict=True))
        best = sorted((p for p, is_best in marked if is_best), key=lambda p: (p.bias, p.run))
        return front_figure(
            [(p.bias, p.effectiveness) for p, is_best in marked if not is_best],
            [(p.run, p.bias, p.effectiveness) for p in best],
            x_label=self.x_label,
            y_label=self.y_label,
        )

    def csv(self) -> str:
        """The numbers that are drawn, `run,effectiveness,bias,front`."""
        rows = [
            {**vars(point), "front": int(is_best)}
            for point, is_best in zip(self.points, pareto_front(self.points), strict=True)
        ]
        return to_csv(rows, ("run", "effectiveness", "bias", "front"))


def report_pareto(
    results: Results, cutoff: int, magnitude: str, notes: Sequence[str]
) -> ParetoPlot | None:
    """NDCG against the mean of |ARaB| over queries, which opposite biases do not cancel out.

    None where fewer than two runs have both.
    """
    points = []
    for run in results.runs:
        effectiveness = results.value(run, "nDCG", cutoff)
        bias = results.per_query(run, "ARaB", cutoff, magnitude)
        if effectiveness is not None and bias is not None and not np.isnan(bias).all():
            points.append(ParetoPoint(run, effectiveness, float(np.nanmean(np.abs(bias)))))
    if len(points) < len(("before", "after")):
        return None
    return ParetoPlot(
        name="pareto",
        title="Effectiveness against bias: no run is better in both than one of the front.",
        points=points,
        x_label=f"mean |ARaB| ({magnitude_title(magnitude)}) at {cutoff}",
        y_label=f"nDCG at {cutoff}",
        notes=notes,
    )
