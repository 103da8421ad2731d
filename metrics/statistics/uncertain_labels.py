"""The mean over the queries of a category, with the uncertainty of the labels carried through."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..extras import need
from ..vocabulary import LEVEL, RESAMPLES
from .significance import MIN_QUERIES, Array, is_enough

#: Below so many workers nothing is known of how workers differ: there is no interval.
MIN_WORKERS = 5
#: The code of a query that has no label: no vote, or no category ahead of all others.
UNDECIDED = -1

#: What stands beside every such mean: votes that agree on an error tell nothing of it.
SHARED_ERRORS = (
    "Errors that everybody makes are not in these intervals: queries that most people put into the "
    "wrong category stay there however many vote. Have a random sample adjudicated by somebody who "
    "knows, and take a corrected figure of it."
)

# Numbers held at once by one resample after another.
_AT_ONCE = 1_000_000

Codes = NDArray[np.int64]
Integers = NDArray[np.integer[Any]]
#: Labels (R, Q) as codes of categories, or `UNDECIDED`, where workers (R, W) and queries (R, Q) are
#: drawn so often.
Labeller = Callable[[Array, Array], Codes]


@dataclass(frozen=True)
class LabelledMean:
    """The mean over the queries that the votes put into a category; None where there is none.

    `error_queries` is the standard error where the labels stand and queries are drawn anew,
    `error` where workers are drawn anew, too. `label_share` is the share of the variance that is
    there because labels are uncertain.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    n_queries: int
    n_workers: int
    error_queries: float | None = None
    error: float | None = None
    label_share: float | None = None


def labelled_mean(
    values: ArrayLike,
    votes: ArrayLike,
    *,
    category: int,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> LabelledMean:
    """The mean of `values` over the queries whose label by majority is `category`.

    `values` (Q,): of every query that was labelled, whatever its label; NaN where undefined. Errors
    that everybody makes are in no vote and so not in the interval (`SHARED_ERRORS`).
    `votes` (V, 3), whole numbers: query 0 to Q - 1, worker, category, each from 0. A label is the
    category with strictly more votes than every other; a tie is none. See `labelled_means`.
    """
    known = np.asarray(values, dtype=np.float64)
    coded = _checked(votes, len(known))
    names, workers = np.unique(coded[:, 1], return_inverse=True)
    shape = len(known), len(names)
    label = majority_labels(coded[:, 0], workers, coded[:, 2], shape=shape)
    labels = label(np.ones((1, len(names))), np.ones((1, len(known))))[0]
    return labelled_means(
        *(known[:, None], labels, label, len(names)),
        category=category,
        level=level,
        resamples=resamples,
        seed=seed,
    )[0]


def labelled_means(
    values: Array,
    labels: Codes,
    label: Labeller,
    n_workers: int,
    *,
    category: int,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[LabelledMean]:
    """The mean of each column of `values` (Q, S) over the queries of a category, by any method.

    `labels` (Q,) are those of the votes as they are; `label` decides them again for each draw.
    Queries and workers are drawn anew with replacement, independently of each other; each draw
    decides the labels by the votes of its workers and takes the means over its queries (Owen. The
    Pigeonhole Bootstrap. Annals of Applied Statistics 2007). The interval is that of Student's t,
    its degrees of freedom those of queries and workers by Satterthwaite's formula. None below
    `MIN_WORKERS` workers, and where the values of the category are not enough (`is_enough`).
    """
    standing = labels == category
    known = [column[~np.isnan(column)] for column in values[standing].T]
    means = [
        LabelledMean(
            float(column.mean()) if len(column) else None, None, None, level, len(column), n_workers
        )
        for column in known
    ]
    if n_workers < MIN_WORKERS or max(map(len, known), default=0) < MIN_QUERIES:
        return means

    def means_of(workers: Array, queries: Array) -> tuple[Array, Array]:
        carried = label(workers, queries) == category
        return _means(values, queries * standing), _means(values, queries * carried)

    errors = _errors(means_of, n_workers, len(values), resamples, seed)
    return _with_intervals(means, known, errors)


def labelled_changes(
    values: Array,
    first: tuple[Codes, Labeller],
    second: tuple[Codes, Labeller],
    n_workers: int,
    *,
    category: int,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[LabelledMean]:
    """The mean of each column by the `second` labels minus that by the `first`; `labelled_means`.

    Both are decided again on the same draws. `n_queries` are those that one of both alone has in
    the category: all that the change comes from, and there is no interval below `MIN_QUERIES`.
    """
    of_first, of_second = (labels == category for labels, _ in (first, second))
    ones = np.ones((1, len(values)))
    changes = (_means(values, ones * of_second) - _means(values, ones * of_first))[0]
    known = [column[~np.isnan(column)] for column in values[of_first != of_second].T]
    means = [
        LabelledMean(
            None if np.isnan(change) else float(change), None, None, level, len(moved), n_workers
        )
        for change, moved in zip(changes, known, strict=True)
    ]
    if n_workers < MIN_WORKERS or max(map(len, known), default=0) < MIN_QUERIES:
        return means

    def changes_of(workers: Array, queries: Array) -> tuple[Array, Array]:
        carried = [label(workers, queries) == category for _, label in (first, second)]
        before, *after = (
            _means(values, queries * chosen) for chosen in (of_first, of_second, *carried)
        )
        return after[0] - before, after[2] - after[1]

    errors = _errors(changes_of, n_workers, len(values), resamples, seed)
    return _with_intervals(means, known, errors)


def _errors(
    statistics: Callable[[Array, Array], tuple[Array, Array]],
    n_workers: int,
    n_queries: int,
    resamples: int,
    seed: int,
) -> list[Array]:
    """The standard errors (S,) of two statistics (R, S) of drawn workers and queries."""
    draw = np.random.default_rng(seed)
    parts = []
    for part in _parts(resamples, n_queries):
        queries, workers = _drawn(part, n_queries, draw), _drawn(part, n_workers, draw)
        parts.append(statistics(workers, queries))
    return [
        np.nanstd(np.concatenate(parts_of), axis=0, ddof=1) for parts_of in zip(*parts, strict=True)
    ]


def _with_intervals(
    means: Sequence[LabelledMean], known: Sequence[Array], errors: Sequence[Array]
) -> list[LabelledMean]:
    """The means with intervals where enough queries, whose `known` values vary, stand behind."""
    return [
        _with_interval(mean, (float(of_queries), float(of_both)))
        if is_enough(of_category)
        else mean
        for mean, of_category, of_queries, of_both in zip(means, known, *errors, strict=True)
    ]


def _with_interval(mean: LabelledMean, errors: tuple[float, float]) -> LabelledMean:
    of_queries, of_both = (error**2 for error in errors)
    of_labels = max(0.0, of_both - of_queries)
    degrees = (of_queries + of_labels) ** 2 / (
        of_queries**2 / (mean.n_queries - 1) + of_labels**2 / (mean.n_workers - 1)
    )
    half = errors[1] * float(need("scipy.special").stdtrit(degrees, (1 + mean.level) / 2))
    value = mean.value or 0.0
    return replace(
        mean,
        low=value - half,
        high=value + half,
        error_queries=errors[0],
        error=errors[1],
        label_share=of_labels / of_both,
    )


def majority_labels(
    queries: Integers, workers: Integers, categories: Integers, *, shape: tuple[int, int]
) -> Labeller:
    """Decides by majority; votes as three columns (V,), `shape` how many queries and workers."""
    n_queries, n_workers = shape
    n_categories = int(categories.max(initial=0)) + 1
    votes = need("scipy.sparse").csr_array(
        (np.ones(len(queries)), (categories.astype(np.int64) * n_queries + queries, workers)),
        shape=(n_categories * n_queries, n_workers),
    )

    def label(drawn_workers: Array, _queries: Array) -> Codes:
        counts = (votes @ drawn_workers.T).reshape(n_categories, n_queries, -1)
        most = counts.max(axis=0)
        ahead = ((counts == most).sum(axis=0) == 1) & (most > 0)
        codes: Codes = np.where(ahead, counts.argmax(axis=0), UNDECIDED).T
        return codes

    return label


def _parts(resamples: int, n_queries: int) -> list[int]:
    """`resamples` cut into parts whose numbers fit into memory."""
    size = max(1, _AT_ONCE // max(1, n_queries))
    whole, rest = divmod(resamples, size)
    return [size] * whole + [rest] * (rest > 0)


def _drawn(resamples: int, n: int, draw: np.random.Generator) -> Array:
    """Number of times that each of n is drawn in n draws with replacement, (resamples, n)."""
    places = draw.integers(n, size=(resamples, n)) + n * np.arange(resamples)[:, None]
    return np.bincount(places.ravel(), minlength=resamples * n).reshape(-1, n).astype(np.float64)


def _means(values: Array, weights: Array) -> Array:
    """Of each column of `values` (Q, S) under each row of `weights` (R, Q); NaN where undefined."""
    total = weights @ (~np.isnan(values)).astype(np.float64)
    means: Array = (weights @ np.nan_to_num(values)) / np.where(total > 0, total, np.nan)
    return means


def _checked(votes: ArrayLike, n_queries: int) -> Codes:
    cast = np.asarray(votes)
    if cast.ndim != 2 or cast.shape[1] != 3 or cast.dtype.kind not in "iu":  # noqa: PLR2004
        raise InputError("votes are not rows of three whole numbers: query, worker, category.")
    if len(cast) and (cast.min() < 0 or cast[:, 0].max() >= n_queries):
        raise InputError(
            f"a vote is for none of the {n_queries} queries, or has a negative number."
        )
    return cast.astype(np.int64)
