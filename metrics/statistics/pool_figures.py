"""The figures of a pool: by people alone, by models alone, and corrected, beside each other."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import eq
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..vocabulary import LEVEL
from .few_labels import (
    LEAST_OF_EACH,
    Figure,
    Sample,
    Target,
    mean_of_subset,
    share,
    share_by_strata,
    too_few_of_each,
    withheld,
    without_strata,
    worth,
)
from .looks import level_at_every_look
from .shares import can_be_stratified

Array = NDArray[np.float64]
Kind = Literal["share", "mean", "difference"]


@dataclass(frozen=True)
class PoolFigure:
    """A share of the pool, or the mean bias of its queries of a category, of a run or between two.

    `people`: from their labels alone; its `naive` is the figure by the models alone. `corrected`:
    from both, its `effective_n` by the widths of both; None where no model labelled anything. `run`
    and `other` are the systems: of a difference it is the bias of `run` minus that of `other`.
    """

    kind: Kind
    category: str
    people: Figure
    corrected: Figure | None
    run: str = ""
    other: str = ""

    @property
    def naive(self) -> float | None:
        """The figure by the models alone; None without models, or where it is undefined."""
        known = self.corrected is not None and np.isfinite(self.people.naive)
        return self.people.naive if known else None

    @property
    def naive_error(self) -> float | None:
        """Error of the models alone, estimated from the labels."""
        if self.naive is None or self.corrected is None:
            return None
        return self.naive - self.corrected.value

    def row(self) -> dict[str, Any]:
        """Its members for a table; what is undefined or withheld is None."""
        both = self.corrected
        return {
            "figure": self.kind,
            "target": self.people.target,
            "category": self.category,
            "run": self.run,
            "baseline": self.other,
            **_columns("people", self.people),
            "models": self.naive,
            **_columns("corrected", both),
            "models_off_by": self.naive_error,
            "n": self.people.n,
            "effective_n": _finite(both.effective_n if both else None),
            "weight": _finite(both.weight if both else None),
            "withheld": (both or self.people).withheld,
        }


def category_samples(
    beliefs: Mapping[str, Mapping[str, float]],
    labels: Mapping[str, str],
    *,
    strata: Mapping[str, int],
    chances: Mapping[str, float],
    holds: Callable[[str, str], bool] = eq,
) -> dict[str, Sample]:
    """Of each category the sample of the queries with `labels`, of the pool that it was drawn from.

    `beliefs`: by category, that in each query of the pool. `labels`: by query, what people say.
    `strata`, `chances`: of each query of the pool, empty where the design has none. `holds`:
    whether a label (the first) is of a category.
    """
    return {
        category: Sample.of(
            list(of_queries.values()),
            [row for row, qid in enumerate(of_queries) if qid in labels],
            [holds(labels[qid], category) for qid in of_queries if qid in labels],
            strata=[strata[qid] for qid in of_queries] if strata else None,
            chances=[chances[qid] for qid in of_queries] if chances else None,
        )
        for category, of_queries in beliefs.items()
    }


def pool_figures(
    samples: Mapping[str, Sample],
    biases: Mapping[str, Array],
    *,
    category: str,
    baseline: str,
    has_models: bool,
    target: Target = "pool",
    level: float = LEVEL,
    every_look: bool = False,
) -> Iterator[PoolFigure]:
    """The share of each category, the mean bias of each run, and differences of runs.

    `samples`: of each category, the same queries with what people and models say of that category.
    `biases` (M): of each run, NaN where undefined; such queries are left out of its means. The
    means are over the queries of `category`; differences are those of each run to the `baseline`.
    Intervals hold for one look, or at `every_look` at ever more labels; then the figures carry the
    level of each by itself. People alone know no strata of a model's belief: their figures are
    those of a sample by the chances that these strata gave.
    """
    if every_look:
        sample = samples[category]
        pool = sample.pool if target == "pool" else math.inf
        level = level_at_every_look(sample.n, pool, level=level)
    for name, sample in samples.items():
        people, corrected = _shares(sample, target, level)
        yield pool_figure("share", name, people, corrected if has_models else None, sample.pool)
    systems: list[tuple[str, str]] = [(run, "") for run in biases]
    differences = [(run, baseline) for run in biases if run != baseline]
    for run, other in [*systems, *differences]:
        values = biases[run] - (biases[other] if other else 0)
        sample, known = _defined(samples[category], values)
        people, both = (
            mean_of_subset(drawn, known, weight=weight, target=target, level=level)
            for drawn, weight in ((without_strata(sample), 0.0), (sample, None))
        )
        kind: Kind = "difference" if other else "mean"
        both_or_none = both if has_models else None
        yield pool_figure(kind, category, people, both_or_none, sample.pool, run, other)


def pool_figure(  # noqa: PLR0917 - all of one row
    kind: Kind,
    category: str,
    people: Figure,
    both: Figure | None,
    pool: int,
    run: str = "",
    other: str = "",
) -> PoolFigure:
    """The figure with what one label is worth by the widths of both."""
    gain = both and worth(people, both, pool)
    if both and gain:
        both = replace(both, effective_n=gain * people.n)
    return PoolFigure(kind, category, people, both, run, other)


def _shares(sample: Sample, target: Target, level: float) -> tuple[Figure, Figure]:
    """By people alone, and corrected; counted in strata, for the rare ones, where that goes.

    A share that is counted as a mean is withheld where few belong, or do not.
    """
    corrected = share(sample, target=target, level=level)
    if sample.chances is None and (sample.strata is None or not np.ptp(sample.strata)):
        alone, whole = replace(sample, strata=None), np.zeros(sample.pool)
        return share_by_strata(alone, whole, target=target, level=level), corrected
    people = share(without_strata(sample), weight=0.0, target=target, level=level)
    belong = int(sample.outcomes.sum())
    if min(belong, sample.n - belong) >= LEAST_OF_EACH:
        return people, corrected
    why = too_few_of_each(belong, sample.n, LEAST_OF_EACH)
    if can_be_stratified(sample):
        return withheld(people, why), corrected
    return withheld(people, why), withheld(corrected, why)


def _defined(sample: Sample, values: Array) -> tuple[Sample, Array]:
    """Leave out the queries whose value is undefined: they belong to no subset."""
    known = ~np.isnan(values)
    outcomes, belief = sample.outcomes * known[sample.rows], sample.belief * known
    return replace(sample, outcomes=outcomes, belief=belief), np.where(known, values, 0.0)


def _columns(name: str, figure: Figure | None) -> dict[str, float | None]:
    values = (figure.value, figure.low, figure.high) if figure else (None, None, None)
    return dict(zip((name, f"{name}_low", f"{name}_high"), map(_finite, values), strict=True))


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
