"""How often 95 % intervals of a mean over queries hold it: `python -m tests.interval_coverage`.

Values of queries are often 0, as no word of the list is in the documents, and have a long tail.
Here half of them are 0, and the others are exponential, with either sign where a measure has one.

`--drawn`: of the mean over 20,000 queries of which some are drawn, each by a chance that grows with
the size of its value, as a pool of extremes would; weighted by the inverse of the chance, and not.

`--labels`: of the mean over the queries that votes put into a category, for other workers on other
queries. Two categories, whose values differ by 1; three votes a query.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from annotation.agreement.dawid_skene import dawid_skene
from annotation.agreement.redrawn import dawid_skene_labels
from annotation.agreement.table import VoteTable
from metrics.statistics.inclusion import hajek_interval
from metrics.statistics.significance import mean_interval
from metrics.statistics.uncertain_labels import (
    LabelledMean,
    labelled_changes,
    labelled_mean,
    labelled_means,
    majority_labels,
)

Array = NDArray[np.float64]
_LEVEL = 0.95
_SIZES = (5, 10, 20, 43, 54, 200)
_ZEROS = 0.5


def percentile(values: Array, rng: np.random.Generator) -> Array:
    return _bootstrap(values, rng, "percentile")


def bca(values: Array, rng: np.random.Generator) -> Array:
    return _bootstrap(values, rng, "BCa")


def student(values: Array, _rng: np.random.Generator) -> Array:
    half = stats.t.ppf((1 + _LEVEL) / 2, values.shape[1] - 1) * stats.sem(values, axis=1)
    ends: Array = values.mean(axis=1) + np.outer([-1, 1], half)
    return ends


def bootstrap_t(values: Array, rng: np.random.Generator, resamples: int = 999) -> Array:
    ends = np.empty((2, len(values)))
    for place, row in enumerate(values):
        drawn = row[rng.integers(len(row), size=(resamples, len(row)))]
        error = drawn.std(axis=1, ddof=1) / np.sqrt(len(row))
        studentised = (drawn.mean(axis=1) - row.mean()) / np.where(error > 0, error, np.nan)
        low, high = np.nanquantile(studentised, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
        ends[:, place] = row.mean() - np.array([high, low]) * stats.sem(row)
    return ends


def _bootstrap(values: Array, rng: np.random.Generator, method: str) -> Array:
    options: dict[str, Any] = {
        "axis": 1,
        "n_resamples": 999,
        "batch": 10,
        "method": method,
        "rng": rng,
    }
    found = stats.bootstrap((values,), np.mean, **options).confidence_interval
    return np.stack([found.low, found.high])


METHODS: dict[str, Callable[[Array, np.random.Generator], Array]] = {
    "percentile bootstrap": percentile,
    "BCa bootstrap": bca,
    "bootstrap-t": bootstrap_t,
    "Student's t": student,
}


def draw(n: int, draws: int, is_signed: bool, rng: np.random.Generator) -> tuple[Array, float]:
    """(draws, n) values, and their true mean."""
    values = rng.gamma(1.0, size=(draws, n))
    lean = 0.6  # of ten queries that are not 0, six have this sign
    if is_signed:
        values *= np.where(rng.random(values.shape) < lean, 1, -1)
    values[rng.random(values.shape) < _ZEROS] = 0
    return values, (1 - _ZEROS) * (2 * lean - 1 if is_signed else 1)


def coverage(method: str, n: int, draws: int, *, is_signed: bool, seed: int = 1) -> float:
    """The share of draws whose interval holds the mean."""
    rng = np.random.default_rng(seed)
    values, mean = draw(n, draws, is_signed, rng)
    with np.errstate(invalid="ignore"):
        low, high = METHODS[method](values, rng)
    return float(((low <= mean) & (mean <= high)).mean())


@dataclass(frozen=True)
class Design:
    """Queries, workers, and how often these are right on average."""

    n_queries: int
    n_workers: int
    accuracy: float


DESIGNS = (
    *(Design(200, 20, 0.95), Design(200, 20, 0.8), Design(50, 10, 0.8)),
    *(Design(1_000, 8, 0.8), Design(1_000, 20, 0.8), Design(1_000, 100, 0.8)),
)
_CATEGORY, _N_VOTES = 0, 3
#: A design in which fewer studies have an interval says nothing of intervals.
_LEAST_STUDIES = 30


def labelled_study(design: Design, seed: int, n_votes: int = _N_VOTES) -> tuple[Array, VoteTable]:
    """The value of every query, and votes of workers who differ."""
    rng = np.random.default_rng(seed)
    n_queries, n_workers = design.n_queries, design.n_workers
    truth = rng.integers(2, size=n_queries)
    values = rng.exponential(size=n_queries) * (rng.random(n_queries) < _ZEROS) + truth
    skill = np.clip(rng.normal(design.accuracy, 0.08, n_workers), 0.5, 1)
    voters = rng.permuted(np.tile(np.arange(n_workers), (n_queries, 1)), axis=1)[:, :n_votes]
    is_right = rng.random(voters.shape) < skill[voters]
    codes = np.where(is_right, truth[:, None], 1 - truth[:, None])
    table = VoteTable(
        query=np.repeat(np.arange(n_queries, dtype=np.int32), n_votes),
        worker=voters.ravel().astype(np.int32),
        label=codes.ravel().astype(np.int32),
        queries=tuple(map(str, range(n_queries))),
        workers=tuple(map(str, range(n_workers))),
        labels=("n", "m"),
    )
    return values, table


def by_majority(values: Array, table: VoteTable) -> LabelledMean:
    votes = np.stack([table.query, table.worker, table.label], axis=1)
    return labelled_mean(values, votes, category=_CATEGORY, resamples=200)


def by_dawid_skene(values: Array, table: VoteTable) -> LabelledMean:
    labels, label = dawid_skene(table).codes(), dawid_skene_labels(table)
    rows = (values[:, None], labels, label, len(table.workers))
    return labelled_means(*rows, category=_CATEGORY, resamples=100)[0]


def changed(values: Array, table: VoteTable) -> LabelledMean:
    """Dawid-Skene's mean minus that of majority."""
    n_queries, n_workers = len(table.queries), len(table.workers)
    shape = n_queries, n_workers
    by_votes = majority_labels(table.query, table.worker, table.label, shape=shape)
    labels = by_votes(np.ones((1, n_workers)), np.ones((1, n_queries)))[0]
    model = dawid_skene(table).codes(), dawid_skene_labels(table)
    rows = (values[:, None], (labels, by_votes), model, n_workers)
    return labelled_changes(*rows, category=_CATEGORY, resamples=100)[0]


LABELLED = {
    "majority": by_majority,
    "Dawid-Skene": by_dawid_skene,
    "Dawid-Skene minus majority": changed,
}


def labelled_coverage(
    method: str, design: Design, draws: int
) -> tuple[float, float, float, int] | None:
    """The share of studies whose interval holds what such studies give on average.

    With the votes carried through, and with the labels as given; the mean share of the labels, and
    how many studies have an interval.
    """
    found = [LABELLED[method](*labelled_study(design, seed)) for seed in range(draws)]
    value = np.array([one.value for one in found], dtype=np.float64)
    known = np.array([one.error is not None for one in found])
    if known.sum() < _LEAST_STUDIES:
        return None
    off = np.abs(value - np.nanmean(value))[known]
    half = value[known] - np.array([one.low for one in found], dtype=np.float64)[known]
    given = np.array(
        [
            one.error_queries * stats.t.ppf((1 + _LEVEL) / 2, one.n_queries - 1)
            for one in found
            if one.error_queries is not None
        ]
    )
    shares = [one.label_share for one in found if one.label_share is not None]
    return (
        *(float((off <= half).mean()), float((off <= given).mean())),
        *(float(np.mean(shares)), int(known.sum())),
    )


def drawn_coverage(
    n: int, least: float, draws: int, *, is_signed: bool, seed: int = 1
) -> tuple[float, float, int]:
    """The share of intervals that hold the mean, weighted and not, and how many samples have one.

    A query of value x has a chance in proportion to |x| + `least`; `n` is drawn on average.
    """
    rng = np.random.default_rng(seed)
    (values,), _ = draw(20_000, 1, is_signed, rng)
    size = np.abs(values) + least
    chances = np.minimum(1, n * size / size.sum())
    held: dict[str, list[bool]] = {"weighted": [], "plain": []}
    for _ in range(draws):
        drawn = rng.random(len(values)) < chances
        weighted = hajek_interval(values[drawn], chances[drawn])
        for name, one in (("weighted", weighted), ("plain", mean_interval(values[drawn]))):
            if weighted.low is not None and one.low is not None and one.high is not None:
                held[name].append(bool(one.low <= values.mean() <= one.high))
    weighted_held, plain_held = (float(np.mean(one)) for one in held.values())
    return weighted_held, plain_held, len(held["weighted"])


def print_drawn(draws: int) -> None:
    sys.stdout.write(
        "| values | queries drawn | least size | weighted | not weighted | samples with an "
        f"interval |\n{'|---' * 6}|\n"
    )
    for is_signed, name in ((True, "signed, as RaB"), (False, "positive, as counts")):
        for least in (0.5, 0.1):
            for n in (54, 200, 1_000):
                found = drawn_coverage(n, least, draws, is_signed=is_signed)
                sys.stdout.write(
                    f"| {name} | {n:,} | {least} | {found[0]:.3f} | {found[1]:.3f} | "
                    f"{found[2]:,} of {draws:,} |\n"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, help="(default: 2,000 samples, 300 studies)")
    parser.add_argument("--drawn", action="store_true")
    parser.add_argument("--labels", action="store_true")
    options = parser.parse_args()
    if options.drawn:
        print_drawn(options.draws or 2_000)
    elif options.labels:
        print_labelled(options.draws or 300)
    else:
        print_means(options.draws or 2_000)


def print_labelled(draws: int) -> None:
    sys.stdout.write(
        "| labels by | queries | workers | accuracy of workers | votes carried through | "
        f"labels as given | share of the labels | studies with an interval |\n{'|---' * 8}|\n"
    )
    for method in LABELLED:
        for design in DESIGNS:
            if found := labelled_coverage(method, design, draws):
                sys.stdout.write(
                    f"| {method} | {design.n_queries:,} | {design.n_workers} | {design.accuracy} | "
                    f"{found[0]:.3f} | {found[1]:.3f} | {found[2]:.2f} | {found[3]} of {draws} |\n"
                )


def print_means(draws: int) -> None:
    sys.stdout.write(f"| values | interval | {' | '.join(f'n = {n:,}' for n in _SIZES)} |\n")
    sys.stdout.write(f"|---|---|{'---|' * len(_SIZES)}\n")
    for is_signed, name in ((True, "signed, as RaB"), (False, "positive, as counts")):
        for method in METHODS:
            found = [coverage(method, n, draws, is_signed=is_signed) for n in _SIZES]
            sys.stdout.write(
                f"| {name} | {method} | {' | '.join(f'{one:.3f}' for one in found)} |\n"
            )


if __name__ == "__main__":
    main()
