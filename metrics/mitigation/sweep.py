"""Strengths of a re-ranking and their costs: the effectiveness-bias front."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from ..measures import Inputs
from ..measures.base import Qrels
from ..reports.formats.tables import Row
from ..reports.plots.figures import Interval, Points, line_figure
from ..reports.results import ends_of_mean
from ..results.evaluation import Result, evaluate, requests_of
from ..runs import Run
from ..runs.ranked import Ranked, join
from ..statistics.ordering import comparable
from ..statistics.significance import (
    MIN_UNLIKE,
    paired_t_test,
    paired_values,
    permutation_test,
)
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
    """The front of the run re-ranked by each method with each strength, see `measure_front`."""
    ways = (
        (method, strength, reranked(ranked, method, strength, ranked.name))
        for method in methods
        for strength in strengths
    )
    return measure_front(
        ranked.run,
        ways,
        magnitudes,
        cutoff=cutoff,
        magnitude=magnitude,
        qrels=qrels,
        progress=progress,
    )


def measure_front(
    before: Run,
    ways: Iterable[tuple[str, float, Run]],
    magnitudes: Magnitudes,
    *,
    cutoff: int = MAIN_CUTOFF,
    magnitude: str = "tf",
    qrels: Qrels | None = None,
    progress: Callable[[], object] = lambda: None,
) -> Front:
    """Bias, fairness and effectiveness at `cutoff` of runs that are `before` in another order.

    Each of `ways` is a method, its strength, and the run that it made. `abs_ARaB` is the mean of
    |ARaB| over queries, which opposite biases do not cancel out. The measure that the figure shows
    has its interval in the columns `_low` and `_high`. Two tests compare nDCG with that of
    `before`: `permutation_p` flips the signs of the differences of queries, all ways where fewer
    than fifteen differ, else at random; `t_p` is the paired t-test, None where that is withheld.
    NFaiRR is normalised by the whole collection.
    """
    measures = [*BIAS_MEASURES, *([EFFECTIVENESS] if qrels else [])]
    requests = requests_of(measures, [magnitude], [cutoff], COLLECTION)

    def measured(run: Run) -> dict[str, Result]:
        inputs = Inputs(join(run, magnitudes, cutoff, "zero"), magnitudes, {}, qrels or {})
        return {result.measure.partition("(")[0]: result for result in evaluate(inputs, requests)}

    reference = measured(before)
    rows: list[Row] = []
    for method, strength, run in ways:
        rows.append(_row(method, strength, reference, measured(run)))
        progress()
    measure = measures[-1] if qrels else "NFaiRR"
    tests = ("permutation_p", "t_p") if qrels else ()
    ends = (f"{measure}_low", f"{measure}_high")
    # The exact test beside what it tests; the t-test, which is often withheld, at the end.
    columns = ("method", "strength", *measures, *tests[:1], "abs_ARaB", *ends, *tests[1:])
    return Front(rows, columns)


def _row(method: str, strength: float, before: dict[str, Result], after: dict[str, Result]) -> Row:
    row: dict[str, object] = {"method": method, "strength": strength}
    row |= {name: result.value for name, result in after.items()}
    row["abs_ARaB"] = _mean_size(after["ARaB"].per_query.value)
    for name in (EFFECTIVENESS, "NFaiRR"):
        if name in after:
            ends = ends_of_mean(after[name].per_query.value) or (None, None)
            row[f"{name}_low"], row[f"{name}_high"] = ends
    if EFFECTIVENESS in after:
        values = after[EFFECTIVENESS].per_query.value, before[EFFECTIVENESS].per_query.value
        test = paired_t_test(*values)
        row["t_p"] = None if test is None else test[1]
        row["permutation_p"] = exact_permutation_p(*values)
    return row


def exact_permutation_p(first: ArrayLike, second: ArrayLike) -> float | None:
    """Two-sided p of the paired permutation test, exact where fewer than fifteen queries differ.

    Queries without a difference have no sign to flip: without them all flips of few are counted.
    """
    a, b = paired_values(first, second)
    differences = comparable(a - b)
    unlike = differences[differences != 0]
    if not len(a):
        return None
    if not len(unlike):
        return 1.0
    return permutation_test(unlike, np.zeros(len(unlike)), resamples=2 ** (MIN_UNLIKE - 1))


def _mean_size(values: NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.abs(known).mean()) if len(known) else None
