"""Figures of a whole pool from few judgments of people and many of a model.

A model's judgments alone give a wrong figure, however many there are. The model's values of all
queries and people's of a random sample together give a figure whose interval holds, whatever the
model is worth: the mean of the model's over the pool, corrected by its error in the sample. Its
weight is tuned, so that a poor model does not make the interval wider than that of people alone.
Where few large values make most of a mean and nothing bounds those that people did not judge, the
interval is withheld.
`mean` is of any number per query, as nDCG; `share` and `mean_of_subset` are of queries that belong
to a subset or not.

Differences of estimators as in prediction-powered inference (Angelopoulos et al. 2023) and
design-based supervised learning (Egami et al. 2023), here for a finite pool and for ratios.
"""

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..vocabulary import LEVEL
from .differences import FAR, MISTAKEN, UNSEEN, Edges, difference_figure
from .drawing import belief_strata
from .figure import (
    TARGETS,
    Figure,
    Target,
    half_width_with,
    labels_needed,
    too_few_of_each,
    withheld,
    worth,
)
from .samples import Array, Sample
from .shares import can_be_stratified, share_by_strata

#: A mean over the subset is withheld where fewer of the sample belong to it, or do not.
LEAST_OF_EACH = 5

__all__ = [
    "LEAST_OF_EACH",
    "TARGETS",
    "Figure",
    "Sample",
    "Target",
    "half_width_with",
    "labels_needed",
    "mean",
    "mean_of_subset",
    "share",
    "share_by_strata",
    "without_strata",
    "worth",
]


def mean(
    sample: Sample,
    bottom: Sample | None = None,
    *,
    weight: float | None = None,
    target: Target = "population",
    level: float = LEVEL,
    unseen: float = UNSEEN,
    is_bounded: bool = False,
) -> Figure:
    """The mean of a number per query, as nDCG or the difference of two systems'.

    `bottom`: the same units under the same design, where it is a mean over those that have one: the
    mean of the first over that of the second, whose interval is Fieller's, or withheld, where the
    denominator is weak. `weight`: of the model's numbers, on people's scale; the best one by the
    sample where None, which costs a degree of freedom, or 0 where they would make the interval
    wider (`MOST_WIDER`); then `people` is the figure without the model. `target`: all queries that
    the pool can be taken for a sample of, or the pool as it is. Which of two systems is better is
    asked of the first: of a pool that is judged whole every difference is certain. Where a few
    large residuals on one side make most of the variance, as of a model that is nearly always
    right, samples often show too few of them: so it grows with their skewness, or by `FAR` of the
    farthest number that the pool shows where that is more; `unseen` of these count where no
    residual is seen. With 0 the interval is the textbook's. Of a difference pass the differences:
    one figure says more than the intervals of two. Withheld below `MIN_QUERIES` judged ones; where
    all outcomes and beliefs are one number, so that nothing tells how they vary; and where people's
    have a long tail (`LONG_TAIL`) that reaches farther than the model's of the pool, unless numbers
    are `is_bounded`, as those of nDCG.
    """
    edges = _of_numbers(sample, bottom, is_bounded)
    return difference_figure(
        sample, bottom, edges, weight=weight, target=target, level=level, unseen=unseen
    )


def share(
    sample: Sample,
    *,
    method: Literal["strata", "difference", ""] = "",
    weight: float | None = None,
    target: Target = "pool",
    level: float = LEVEL,
    unseen: float = UNSEEN,
) -> Figure:
    """The share of the pool that belongs to the subset.

    `method`: counted in strata of the belief or of the design (`share_by_strata`), which holds its
    level for rare categories and is narrower for good models, or as the mean is, by differences;
    left out, in strata unless queries had chances of their own, a stratum has too few labels, or
    one of the others is given. `weight`: of the belief; the best one by the sample where None.
    `unseen`: residuals that count where the sample shows none; 0 is the textbook's interval, which
    is too narrow where a model is nearly always right.
    """
    sample.check_belonging()
    is_plain = weight is None and unseen == UNSEEN and can_be_stratified(sample)
    if method == "strata" or (not method and is_plain):
        labels = belief_strata(sample.belief) if sample.strata is None else sample.strata
        return share_by_strata(sample, labels, target=target, level=level)
    ones = np.ones(sample.pool)
    edges = _of_belonging((ones, np.zeros(sample.pool)), within=(0.0, 1.0))
    return difference_figure(
        sample, None, edges, weight=weight, target=target, level=level, unseen=unseen
    )


def mean_of_subset(
    sample: Sample,
    values: ArrayLike,
    *,
    weight: float | None = None,
    target: Target = "pool",
    level: float = LEVEL,
    least: int = LEAST_OF_EACH,
    unseen: float = UNSEEN,
) -> Figure:
    """Mean over the subset of a value that is known of every query of the pool, as its bias.

    `values` (M): of the difference of two systems, pass the differences: the queries are the same,
    so it is one figure, and two intervals say less. It is a ratio of two estimates: where its
    denominator, the size of the subset, is weak, the interval is Fieller's, or withheld.
    """
    sample.check_belonging()
    known = np.asarray(values, float)
    total = replace(
        sample, belief=sample.belief * known, outcomes=sample.outcomes * known[sample.rows]
    )
    figure = difference_figure(
        total, sample, _of_belonging((known, np.ones(sample.pool))), weight=weight,
        target=target, level=level, unseen=unseen,
    )  # fmt: skip
    belonging = int(sample.outcomes.sum())
    why = ""
    if min(belonging, sample.n - belonging) < least:
        why = too_few_of_each(belonging, sample.n, least)
    more = (
        f"{belonging:,} of {sample.n:,} labelled queries belong, too few for a finite "
        f"interval: label about {sample.n:,} more."
    )

    def checked(either: Figure) -> Figure:
        return withheld(either, why or more) if why or either.withheld else either

    return replace(checked(figure), people=figure.people and checked(figure.people))


def without_strata(sample: Sample) -> Sample:
    """The sample as people alone have it: by the chances that strata gave, and without these."""
    if sample.strata is None:
        return sample
    drawn = np.bincount(sample.strata[sample.rows], minlength=sample.strata.max() + 1)
    chances = (drawn / np.bincount(sample.strata))[sample.strata]
    return replace(sample, strata=None, chances=chances)


def _of_numbers(top: Sample, bottom: Sample | None, is_bounded: bool) -> Edges:
    """Of any numbers: a residual as far out as the farthest number, people's or the model's."""

    def farthest(ratio: float) -> tuple[float, float]:
        z, f = top.outcomes, top.belief
        if bottom is not None:
            z, f = z - ratio * bottom.outcomes, f - ratio * bottom.belief
        return float(np.abs(z - top.mean(z)).max()), float(np.abs(f - f.mean()).max())

    def far(ratio: float) -> tuple[Array, Array]:
        return np.full(top.pool, max(farthest(ratio))), np.zeros(top.pool)

    def is_open(ratio: float) -> bool:
        of_people, of_model = farthest(ratio)
        return not is_bounded and of_people > of_model

    def counted(weight: float, _sample: Sample) -> float:
        alone, beside = FAR
        return alone + (beside - alone) * weight

    return Edges(
        far, counted, lambda sample: sample, is_fitted=True, has_least=True, is_open=is_open
    )


def _of_belonging(
    far: tuple[Array, Array], within: tuple[float, float] = (-np.inf, np.inf)
) -> Edges:
    """Of what belongs or does not: errors count as the belief does, which hides them.

    Strata hide them as a belief does that counts in full. Without either, residuals show how people
    differ, but chances of their own hide those of queries that are rarely drawn. People alone know
    no strata of a model.
    """

    def counted(weight: float, sample: Sample) -> float:
        are_parted = sample.strata is not None and bool(np.ptp(sample.strata))
        return MISTAKEN * (1.0 if are_parted else max(weight, sample.unevenness))

    return Edges(
        lambda _: far,
        counted,
        without_strata,
        is_fitted=False,
        within=within,
    )
