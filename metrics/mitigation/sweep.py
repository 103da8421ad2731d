"""Strengths of a re-ranking and their costs: the effectiveness-bias front."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ..measures import Inputs
from ..measures.base import Qrels
from ..reports.formats.tables import Row
from ..reports.plots.figures import Interval, Points, line_figure
from ..reports.results import ends_of_mean
from ..results.evaluation import Result, evaluate, requests_of
from ..runs import Run
from ..runs.ranked import Ranked, join
from ..statistics.significance import paired_t_test
from ..texts.magnitude_store import Magnitudes
from ..vocabulary import COLLECTION, MAIN_CUTOFF, BalanceMethod
from .rerank import reranked

BIAS_MEASURES = ("RaB", "ARaB", "NFaiRR", "TExFAIR")
EFFECTIVENESS = "nDCG"
STRENGTHS = tuple(step / 10 for step in range(11))


@dataclass(frozen=True)
class Front:
    """One row for each method and strength; `columns` are the names of its values."""

    rows: list[Row]
    columns: tuple[str, ...]

    def figure(self) -> Figure:
        """Effectiveness (y) over the mean absolute bias (x), one line for each method."""
        methods = dict.fromkeys(str(row["method"]) for row in self.rows)
        y = EFFECTIVENESS if EFFECTIVENESS in self.columns else "NFaiRR"
        lines = [
            Points(
                "",
                method,
                [_number(row["abs_ARaB"]) for row in self.rows if row["method"] == method],
                [_number(row[y]) for row in self.rows if row["method"] == method],
                [_ends(row, y) for row in self.rows if row["method"] == method],
            )
            for method in methods
        ]
        return line_figure(lines, x_label="mean |ARaB| (0: no bias)", y_label=y, zero=False)


def _ends(row: Row, name: str) -> Interval:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return None if low is None or high is None else (_number(low), _number(high))


def _number(value: object) -> float:
    return float("nan") if value is None else float(str(value))


def sweep(
    ranked: Ranked,
    magnitudes: Magnitudes,
    methods: Sequence[BalanceMethod],
    strengths: Sequence[float] = STRENGTHS,
    *,
    cutoff: int = MAIN_CUTOFF,
    magnitude: str = "tf",
    qrels: Qrels | None = None,
    progress: Callable[[], object] = lambda: None,
) -> Front:
    """Bias, fairness and effectiveness at `cutoff` of the run re-ranked with each strength.

    `abs_ARaB` is the mean of |ARaB| over queries, which opposite biases do not cancel out.
    The measure that the figure shows has its interval in the columns `_low` and `_high`.
    `t_p` is the paired t-test of nDCG against the run as it was. NFaiRR is normalised by the
    whole collection.
    """
    measures = [*BIAS_MEASURES, *([EFFECTIVENESS] if qrels else [])]
    requests = requests_of(measures, [magnitude], [cutoff], COLLECTION)

    def measured(run: Run) -> dict[str, Result]:
        inputs = Inputs(join(run, magnitudes, cutoff, "zero"), magnitudes, {}, qrels or {})
        return {result.measure.partition("(")[0]: result for result in evaluate(inputs, requests)}

    before = measured(ranked.run)
    rows: list[Row] = []
    for method in methods:
        for strength in strengths:
            after = measured(reranked(ranked, method, strength, ranked.name))
            rows.append(_row(method, strength, before, after))
            progress()
    measure = measures[-1] if qrels else "NFaiRR"
    ends = (f"{measure}_low", f"{measure}_high")
    columns = ("method", "strength", *measures, "abs_ARaB", *ends, *(["t_p"] if qrels else []))
    return Front(rows, columns)


def _row(
    method: BalanceMethod, strength: float, before: dict[str, Result], after: dict[str, Result]
) -> Row:
    row: dict[str, object] = {"method": method, "strength": strength}
    row |= {name: result.value for name, result in after.items()}
    row["abs_ARaB"] = _mean_size(after["ARaB"].per_query.value)
    for name in (EFFECTIVENESS, "NFaiRR"):
        if name in after:
            ends = ends_of_mean(after[name].per_query.value) or (None, None)
            row[f"{name}_low"], row[f"{name}_high"] = ends
    if EFFECTIVENESS in after:
        test = paired_t_test(
            after[EFFECTIVENESS].per_query.value, before[EFFECTIVENESS].per_query.value
        )
        row["t_p"] = None if test is None else test[1]
    return row


def _mean_size(values: NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.abs(known).mean()) if len(known) else None
