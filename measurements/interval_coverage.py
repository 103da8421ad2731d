"""Coverage of intervals of a mean: `python -m measurements.interval_coverage`.

Values of queries are often 0, as no word of the list is in the documents, and have a long tail.
Here half of them are 0, and the others are exponential, with either sign where a measure has one.

`--given`: of the intervals of means and differences as they are given, where they are not withheld,
of values with ever more zeros and longer tails.

`--drawn`: of the mean over 20,000 queries of which some are drawn, each by a chance that grows with
the size of its value, as a pool of extremes would, or falls with it; weighted by the inverse of the
chance, and not.

`--labels`: of the mean over the queries that votes put into a category, for other workers on other
queries. Two categories, whose values differ by 1; three votes a query.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from metrics.statistics.inclusion import hajek_interval
from metrics.statistics.significance import mean_interval
from metrics.statistics.uncertain_labels import (
    LabelledMean,
    labelled_changes,
    labelled_mean,
    labelled_means,
    majority_labels,
)
from metrics.vocabulary import LEVEL
from metrics.votes.methods.dawid_skene import dawid_skene
from metrics.votes.methods.redrawn import dawid_skene_labels
from metrics.votes.table import Votes

Array = NDArray[np.float64]
_SIZES = (5, 10, 20, 43, 54, 200)
_ZEROS = 0.5


def percentile(values: Array, rng: np.random.Generator) -> Array:
    return _bootstrap(values, rng, "percentile")


def bca(values: Array, rng: np.random.Generator) -> Array:
    return _bootstrap(values, rng, "BCa")


def student(values: Array, _rng: np.random.Generator) -> Array:
    half = stats.t.ppf((1 + LEVEL) / 2, values.shape[1] - 1) * stats.sem(values, axis=1)
    ends: Array = values.mean(axis=1) + np.outer([-1, 1], half)
    return ends


def bootstrap_t(values: Array, rng: np.random.Generator, resamples: int = 999) -> Array:
    ends = np.empty((2, len(values)))
    for place, row in enumerate(values):
        drawn = row[rng.integers(len(row), size=(resamples, len(row)))]
        error = drawn.std(axis=1, ddof=1) / np.sqrt(len(row))
        studentised = (drawn.mean(axis=1) - row.mean()) / np.where(error > 0, error, np.nan)
        low, high = np.nanquantile(studentised, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
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
    interval = stats.bootstrap((values,), np.mean, **options).confidence_interval
    return np.stack([interval.low, interval.high])


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


#: How the values spread that are not 0, and their mean.
SHAPES: dict[str, tuple[Callable[[tuple[int, int], np.random.Generator], Array], float]] = {
    "normal": (lambda shape, rng: rng.normal(0.3, 1, shape), 0.3),
    "exponential, either sign": (
        lambda shape, rng: rng.gamma(1.0, size=shape) * np.where(rng.random(shape) < 0.6, 1, -1),
        0.2,
    ),
    "exponential, one sign": (lambda shape, rng: rng.gamma(1.0, size=shape), 1.0),
    "lognormal, one sign": (lambda shape, rng: rng.lognormal(size=shape), float(np.exp(0.5))),
}
_GIVEN_SIZES, _GIVEN_ZEROS = (20, 30, 54, 100, 200), (0.0, 0.5, 0.8)


def given_coverage(
    shape: str, zeros: float, n: int, draws: int, seed: int = 1
) -> tuple[float, float]:
    """The share of intervals that hold the mean, of those that are given; and the share given."""
    rng = np.random.default_rng(seed)
    make, mean = SHAPES[shape]
    values = make((draws, n), rng)
    values[rng.random(values.shape) < zeros] = 0
    intervals = [mean_interval(row) for row in values]
    held = [
        interval.low <= mean * (1 - zeros) <= interval.high
        for interval in intervals
        if interval.low is not None and interval.high is not None
    ]
    return float(np.mean(held)) if held else float("nan"), len(held) / draws


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


def labelled_study(design: Design, seed: int, n_votes: int = _N_VOTES) -> tuple[Array, Votes]:
    """The value of every query, and votes of workers who differ."""
    rng = np.random.default_rng(seed)
    n_queries, n_workers = design.n_queries, design.n_workers
    truth = rng.integers(2, size=n_queries)
    values = rng.exponential(size=n_queries) * (rng.random(n_queries) < _ZEROS) + truth
    skill = np.clip(rng.normal(design.accuracy, 0.08, n_workers), 0.5, 1)
    voters = rng.permuted(np.tile(np.arange(n_workers), (n_queries, 1)), axis=1)[:, :n_votes]
    is_right = rng.random(voters.shape) < skill[voters]
    codes = np.where(is_right, truth[:, None], 1 - truth[:, None])
    table = Votes(
        item=np.repeat(np.arange(n_queries, dtype=np.int32), n_votes),
        worker=voters.ravel().astype(np.int32),
        answer=codes.ravel().astype(np.int32),
        items=tuple(map(str, range(n_queries))),
        workers=tuple(map(str, range(n_workers))),
        options=("n", "m"),
    )
    return values, table


def by_majority(values: Array, table: Votes) -> LabelledMean:
    votes = np.stack([table.item, table.worker, table.answer], axis=1)
    return labelled_mean(values, votes, category=_CATEGORY, resamples=200)


def by_dawid_skene(values: Array, table: Votes) -> LabelledMean:
    labels, label = dawid_skene(table).codes(), dawid_skene_labels(table)
    rows = (values[:, None], labels, label, len(table.workers))
    return labelled_means(*rows, category=_CATEGORY, resamples=100)[0]


def changed(values: Array, table: Votes) -> LabelledMean:
    """Dawid-Skene's mean minus that of majority."""
    n_queries, n_workers = len(table.items), len(table.workers)
    shape = n_queries, n_workers
    by_votes = majority_labels(table.item, table.worker, table.answer, shape=shape)
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
    means = [LABELLED[method](*labelled_study(design, seed)) for seed in range(draws)]
    value = np.array([mean.value for mean in means], dtype=np.float64)
    known = np.array([mean.error is not None for mean in means])
    if known.sum() < _LEAST_STUDIES:
        return None
    off = np.abs(value - np.nanmean(value))[known]
    half = value[known] - np.array([mean.low for mean in means], dtype=np.float64)[known]
    half_as_given = np.array(
        [
            mean.error_queries * stats.t.ppf((1 + LEVEL) / 2, mean.n_queries - 1)
            for mean in means
            if mean.error_queries is not None
        ]
    )
    shares = [mean.label_share for mean in means if mean.label_share is not None]
    return (
        *(float((off <= half).mean()), float((off <= half_as_given).mean())),
        *(float(np.mean(shares)), int(known.sum())),
    )


def drawn_coverage(
    n: int, least: float, draws: int, *, is_signed: bool, falls: bool = False, seed: int = 1
) -> tuple[float, float, int]:
    """The share of intervals that hold the mean, weighted and not, and how many samples have one.

    A query of value x has a chance in proportion to |x| + `least`, or to the inverse of that where
    it `falls`; `n` is drawn on average.
    """
    rng = np.random.default_rng(seed)
    (values,), _ = draw(20_000, 1, is_signed, rng)
    size = (np.abs(values) + least) ** (-1 if falls else 1)
    chances = np.minimum(1, n * size / size.sum())
    held: dict[str, list[bool]] = {"weighted": [], "plain": []}
    for _ in range(draws):
        drawn = rng.random(len(values)) < chances
        weighted = hajek_interval(values[drawn], chances[drawn])
        for name, interval in (("weighted", weighted), ("plain", mean_interval(values[drawn]))):
            if weighted.low is not None and interval.low is not None and interval.high is not None:
                held[name].append(bool(interval.low <= values.mean() <= interval.high))
    weighted_held, plain_held = (float(np.mean(holds)) for holds in held.values())
    return weighted_held, plain_held, len(held["weighted"])


def print_drawn(draws: int) -> None:
    sys.stdout.write(
        "| values | chance | queries drawn | least size | weighted | not weighted | samples with "
        f"an interval |\n{'|---' * 7}|\n"
    )
    signs = ((True, "signed, as RaB"), (False, "positive, as counts"))
    ways = ((False, "grows with size"), (True, "falls with size"))
    for (is_signed, name), (falls, how), least, n in product(
        signs, ways, (0.5, 0.1), (54, 200, 1_000)
    ):
        shares = drawn_coverage(n, least, draws, is_signed=is_signed, falls=falls)
        sys.stdout.write(
            f"| {name} | {how} | {n:,} | {least} | {shares[0]:.3f} | {shares[1]:.3f} | "
            f"{shares[2]:,} of {draws:,} |\n"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, help="(default: 2,000 samples, 300 studies)")
    parser.add_argument("--given", action="store_true")
    parser.add_argument("--drawn", action="store_true")
    parser.add_argument("--labels", action="store_true")
    options = parser.parse_args()
    if options.given:
        print_given(options.draws or 2_000)
    elif options.drawn:
        print_drawn(options.draws or 2_000)
    elif options.labels:
        print_labelled(options.draws or 300)
    else:
        print_means(options.draws or 2_000)


def print_given(draws: int) -> None:
    sys.stdout.write(
        f"| values | zeros | {' | '.join(f'n = {n:,}' for n in _GIVEN_SIZES)} |\n"
        f"|---|---|{'---|' * len(_GIVEN_SIZES)}\n"
    )
    for shape, zeros in product(SHAPES, _GIVEN_ZEROS):
        cells = []
        for n in _GIVEN_SIZES:
            held, share = given_coverage(shape, zeros, n, draws)
            cells.append(f"{held:.3f} ({share:.2f})" if share else "withheld")
        sys.stdout.write(f"| {shape} | {zeros} | {' | '.join(cells)} |\n")


def print_labelled(draws: int) -> None:
    sys.stdout.write(
        "| labels by | queries | workers | accuracy of workers | votes carried through | "
        f"labels as given | share of the labels | studies with an interval |\n{'|---' * 8}|\n"
    )
    for method in LABELLED:
        for design in DESIGNS:
            if shares := labelled_coverage(method, design, draws):
                sys.stdout.write(
                    f"| {method} | {design.n_queries:,} | {design.n_workers} | {design.accuracy} "
                    f"| {shares[0]:.3f} | {shares[1]:.3f} | {shares[2]:.2f} | {shares[3]} of "
                    f"{draws} |\n"
                )


def print_means(draws: int) -> None:
    sys.stdout.write(f"| values | interval | {' | '.join(f'n = {n:,}' for n in _SIZES)} |\n")
    sys.stdout.write(f"|---|---|{'---|' * len(_SIZES)}\n")
    for is_signed, name in ((True, "signed, as RaB"), (False, "positive, as counts")):
        for method in METHODS:
            shares = [coverage(method, n, draws, is_signed=is_signed) for n in _SIZES]
            sys.stdout.write(
                f"| {name} | {method} | {' | '.join(f'{share:.3f}' for share in shares)} |\n"
            )


if __name__ == "__main__":
    main()
