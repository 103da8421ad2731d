"""Intervals from few labels and few judgments where they are hardest: one row for each claim.

`python -m measurements.small_samples` prints the table of results/small_samples.md; `--draws 100`
is for a look. All pools are made up, by seeds. *Tuned PPI* is the same estimator without what an
interval counts beyond the sample (`unseen=0`), as ppi-python has it but for the finite pool and
Student's t.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import hypergeom

from measurements.few_judgments import Drawn, estimates, simple
from metrics.statistics.differences import MOST_WIDER
from metrics.statistics.drawing import belief_strata, doubt, draw_stratified
from metrics.statistics.few_labels import (
    TARGETS,
    Figure,
    Sample,
    Target,
    mean_of_subset,
    share,
    share_by_strata,
    without_strata,
)
from metrics.votes.adaptive import MOST, asked_of_everybody, gets_all_votes, votes_to_ask
from metrics.votes.table import Votes

Array = npt.NDArray[np.float64]
_Pair = tuple[Figure, Figure]
SIZES = (30, 50, 100)
M = 2_000


class Cell(NamedTuple):
    """Of many samples: how often an interval is given and holds, and its mean width; of others.

    `widened`: how often the others would hold, were each wider by `MOST_WIDER`.
    """

    share_given: float
    coverage: float
    width: float
    other: float
    other_width: float
    widened: float


def cell(pairs: list[tuple[Figure, Figure]], true: float) -> Cell:
    """Of figures and of those that they are held against."""
    figures, others = (
        [figure for figure in column if figure.width is not None]
        for column in zip(*pairs, strict=True)
    )
    held = [_holds(figure, true) for figure in figures]
    return Cell(
        share_given=len(held) / len(pairs),
        coverage=_mean(held),
        width=_mean([figure.width or 0.0 for figure in figures]),
        other=_mean([_holds(figure, true) for figure in others]),
        other_width=_mean([figure.width or 0.0 for figure in others]),
        widened=_mean([_holds(figure, true, MOST_WIDER) for figure in others]),
    )


def _holds(figure: Figure, true: float, wider: float = 1.0) -> bool:
    if figure.low is None or figure.high is None:
        return False
    middle, half = (figure.low + figure.high) / 2, (figure.high - figure.low) / 2
    return abs(true - middle) <= wider * half + 1e-12


def _mean(values: list[float] | list[bool]) -> float:
    return float(np.mean(values)) if values else float("nan")


def belongs_and_belief(kind: str, wrong: float, part: float, seed: int) -> tuple[Array, Array]:
    """Queries that belong, and a model that is wrong on a share of all, on one side or on both."""
    random = np.random.default_rng(seed)
    z = (random.permutation(M) < round(part * M)).astype(float)
    chances = {
        "both sides": np.full(M, wrong),
        "misses": wrong / part * z,
        "adds": wrong / (1 - part) * (1 - z),
        "reversed": np.full(M, 1 - wrong),
    }
    return z, np.where(random.random(M) < chances[kind], 1 - z, z)


def samples(z: Array, f: Array, n: int, draws: int, seed: int) -> Iterator[Sample]:
    random = np.random.default_rng([seed, n])
    for _ in range(draws):
        rows = random.choice(len(z), n, replace=False)
        yield Sample.of(f, rows, z[rows])


def of_counts(figures: Callable[[Sample], _Pair]) -> Callable[[Sample], _Pair]:
    """The figures of shares; of beliefs of 0 or 1 they rest on counts: once for each."""
    known: dict[tuple[float, ...], _Pair] = {}

    def counted(sample: Sample) -> _Pair:
        z, f = sample.outcomes, sample.belief[sample.rows]
        counts = (float(z.sum()), float(f.sum()), float((z * f).sum()))
        if counts not in known:
            known[counts] = figures(sample)
        return known[counts]

    return counted


def good_models(
    draws: int,
    seed: int,
    *,
    errors: Sequence[float] = (0.01, 0.05, 0.1),
    sizes: Sequence[int] = SIZES,
) -> Iterator[tuple[str, str]]:
    """Shares and means over the subset, of models that are right on 90 % and more."""
    for kind, wrong, n in product(("both sides", "misses", "adds"), errors, sizes):
        z, f = belongs_and_belief(kind, wrong, 0.4, seed)
        random = np.random.default_rng(seed)
        y = random.normal(0.1 * z, 0.3) + 0.2 * f
        some = [*samples(z, f, n, draws, seed)]
        name = f"right on {1 - wrong:.2f}, errors: {kind}, {n} labels"
        of_share = of_counts(lambda drawn: (share(drawn), share(drawn, unseen=0)))
        shares = [of_share(drawn) for drawn in some]
        yield f"share, {name}", _against(cell(shares, float(z.mean())))
        means = [
            (mean_of_subset(sample, y), mean_of_subset(sample, y, unseen=0)) for sample in some
        ]
        yield f"mean of the subset, {name}", _against(cell(means, float(y[z > 0].mean())))


def shares_of_all_samples(
    _draws: int, _seed: int, *, sizes: Sequence[int] = (50, 80)
) -> Iterator[tuple[str, str]]:
    """Shares over all samples that there are, by their chances: nothing is drawn."""
    for n, wrong, kind in product(sizes, (0.03, 0.05), ("misses", "adds")):
        z = (np.arange(M) < 0.4 * M).astype(float)
        f, errors = z.copy(), round(wrong * M)
        f[:errors] -= kind == "misses"
        f[-errors:] += kind == "adds"
        chances, figures = zip(
            *((chance, share(sample)) for chance, sample in all_samples(z, f, n)), strict=True
        )
        held = [_holds(figure, float(z.mean())) for figure in figures]
        widths = [figure.width or 0.0 for figure in figures]
        coverage, width = (np.average(of, weights=chances) for of in (held, widths))
        yield (
            f"share, right on {1 - wrong:.2f}, errors: {kind}, {n} labels, all samples",
            f"coverage {coverage:.3f}, width {width:.3f}",
        )


def all_samples(z: Array, f: Array, n: int) -> Iterator[tuple[float, Sample]]:
    """A sample of each kind, by how many it has of each outcome and belief of 0 or 1.

    Each with its chance; those below one in a million are left out.
    """
    right, adds, missed, none = (
        np.flatnonzero((f == belief) & (z == outcome))
        for belief, outcome in ((1, 1), (1, 0), (0, 1), (0, 0))
    )
    above, below = len(right) + len(adds), len(missed) + len(none)
    for n_above in range(n + 1):
        chances = hypergeom.pmf(n_above, M, above, n) * np.outer(
            hypergeom.pmf(np.arange(n_above + 1), above, len(right), n_above),
            hypergeom.pmf(np.arange(n - n_above + 1), below, len(missed), n - n_above),
        )
        for n_right, n_missed in np.argwhere(chances > 1e-6).tolist():
            rows = np.concatenate(
                [
                    right[:n_right],
                    adds[: n_above - n_right],
                    missed[:n_missed],
                    none[: n - n_above - n_missed],
                ]
            )
            yield float(chances[n_right, n_missed]), Sample.of(f, rows, z[rows])


def rare_shares(draws: int, seed: int) -> Iterator[tuple[str, str]]:
    """A category of 1 %, and a model that adds 5 %, beside people alone."""
    for n in SIZES:
        z, f = belongs_and_belief("adds", 0.05, 0.01, seed)
        of_share = of_counts(lambda drawn: (share(drawn), share_by_strata(drawn, np.zeros(M))))
        pairs = [of_share(sample) for sample in samples(z, f, n, draws, seed)]
        yield f"share of 1 %, a model adds 5 %, {n} labels", _against(cell(pairs, 0.01), "people")


def reversed_models(draws: int, seed: int) -> Iterator[tuple[str, str]]:
    """A model that says the reverse: value and interval are of one estimator."""
    z, f = belongs_and_belief("reversed", 0.05, 0.4, seed)
    figures = [share(sample) for sample in samples(z, f, 135, draws, seed)]
    place = [(sample.value - (sample.low or 0)) / (sample.width or 1) for sample in figures]
    outer = np.mean([not 0.05 <= part <= 0.95 for part in place])
    held = np.mean([_holds(sample, z.mean()) for sample in figures])
    yield (
        "share, a model that says the reverse, 135 labels",
        (f"coverage {held:.3f}; value in the outer tenth of its interval {outer:.3f}"),
    )


def constant_beliefs(draws: int, seed: int) -> Iterator[tuple[str, str]]:
    """Width of a model that believes the same of all, beside people alone, 20 labels."""
    random = np.random.default_rng(seed)
    z = (random.random(M) < 0.5).astype(float)
    y, f = random.normal(0, 1, M), np.full(M, 0.4)
    strata, chances = np.arange(M) % 4, np.where(np.arange(M) % 2, 0.015, 0.005)
    ratios: dict[str, list[float]] = {}
    for _ in range(draws):
        rows = np.concatenate(
            [random.choice(np.flatnonzero(strata == s), 5, replace=False) for s in range(4)]
        )
        drawn = np.flatnonzero(random.random(M) < chances)
        for name, sample in (
            ("strata", Sample.of(f, rows, z[rows], strata=strata)),
            ("unequal", Sample.of(f, drawn, z[drawn], chances=chances)),
        ):
            for figure in (
                lambda s, w: mean_of_subset(s, y, weight=w),
                lambda s, w: share(s, method="difference", weight=w),
            ):
                alone = figure(without_strata(sample), 0.0).width
                both = figure(sample, None).width
                if alone and both:
                    ratios.setdefault(name, []).append(both / alone)
    for name, counted in ratios.items():
        yield (
            f"a belief that is the same of all, {name}, 20 labels",
            (f"width / people alone: mean {np.mean(counted):.3f}, most {np.max(counted):.3f}"),
        )


def alike_systems(draws: int, seed: int) -> Iterator[tuple[str, str]]:
    """Two systems that are alike query by query: how often p is below .05, by target."""
    for pool, n in ((54, 35), (54, 45), (54, 54), (60, 50), (100, 50), (1_000, 50)):
        random = np.random.default_rng([seed, pool, n])
        z = random.normal(0, 1, (draws, pool))
        f = z + random.normal(0, 1, (draws, pool))
        drawn = simple(random, z, f, n, draws)
        counted = [_excludes_zero(z, f, drawn, target) for target in TARGETS]
        of_pool, of_population = (float((row > 0).mean()) for row in counted)
        yield (
            f"systems alike, {n} of {pool:,} queries judged",
            f"p < .05: {of_population:.3f}; of the pool {of_pool:.3f}",
        )


def _excludes_zero(
    z: Array, f: Array, drawn: Drawn, target: Target, level: float = 0.95
) -> npt.NDArray[np.bool_]:
    """True where the interval of a sample excludes 0, which is p < 1 - level."""
    values, halves = estimates(z, f, drawn, target=target, level=level)
    excludes: npt.NDArray[np.bool_] = (np.abs(values) > halves)[:, 0] & (halves[:, 0] > 0)
    return excludes


def nineteen_systems(draws: int, seed: int) -> Iterator[tuple[str, str]]:
    """Nineteen differences that are all 0: how often some interval excludes it."""
    random = np.random.default_rng(seed)
    base = random.normal(0, 1, (draws, 200))
    drawn = simple(random, base, base, 50, draws)
    levels = (0.95, 1 - 0.05 / 19)
    excluded = np.zeros((len(levels), draws), bool)
    for _other in range(19):
        z = base - random.normal(0, 1, base.shape)
        f = z + random.normal(0, 0.7, base.shape)
        excluded |= [_excludes_zero(z, f, drawn, "population", level) for level in levels]
    one_by_one, together = excluded.mean(axis=1)
    yield (
        "19 differences that are 0, some interval excludes it",
        f"simultaneous {together:.3f}; one by one {one_by_one:.3f}",
    )


def skewed_values(draws: int, seed: int) -> Iterator[tuple[str, str]]:
    """Unbounded skewed values and a model that tells nothing, or nothing but how far they reach."""
    for sigma, n in product((0.5, 1.0, 2.0), SIZES):
        random = np.random.default_rng(seed)
        z = np.exp(sigma * random.normal(size=M))
        blind = {"a blind model": np.zeros(M), "one with the same values": random.permutation(z)}
        for name, f in blind.items():
            drawn = simple(np.random.default_rng([seed, n]), z, f, n, draws)
            values, halves = estimates(z, f, drawn, is_bounded=False)
            is_given = ~np.isnan(halves[:, 0])
            held = (np.abs(values - z.mean()) <= halves)[is_given, 0]
            yield (
                f"lognormal values (sigma {sigma}), {name}, {n} judged",
                (
                    f"given {is_given.mean():.2f}; given and does not hold "
                    f"{(~held).sum() / draws:.3f}; coverage of those given {_mean(list(held)):.3f}"
                ),
            )


def worths(draws: int, seed: int) -> Iterator[tuple[str, str]]:
    """Labels of people alone that one is worth: as printed, and as the estimates vary."""
    for wrong, pool in ((0.01, 300), (0.01, 2_000), (0.1, 2_000)):
        random = np.random.default_rng([seed, pool])
        z = random.normal(0, 1, pool)
        f = np.where(random.random(pool) < wrong, random.normal(0, 1, pool), z)
        values, halves = estimates(z, f, simple(random, z, f, 60, draws))
        printed, really = (
            1 / (1 / pool + (1 / 60 - 1 / pool) * square)
            for square in (
                np.square(halves[:, 0] / halves[:, 1]),
                values[:, 0].var() / values[:, 1].var(),
            )
        )
        yield (
            f"60 judged of {pool:,}, a model right on {1 - wrong:.2f}",
            (
                f"equivalent queries, median {np.nanmedian(printed):.0f}; by how estimates vary "
                f"{really:.0f}"
            ),
        )


def adaptive_agreement(draws: int, seed: int) -> Iterator[tuple[str, str]]:
    """Alpha of what everybody was asked for, in adaptive batches, beside that of three votes."""
    for part in (0.1, 0.3, 1.0):
        random = np.random.default_rng([seed, round(10 * part)])
        counted: dict[str, list[float]] = {"true": [], "kept": [], "any three": []}
        for draw in range(max(draws // 40, 5)):
            table, fixed = _asked_adaptively(random, part, draw)
            counted["true"].append(_alpha(fixed))
            for name in ("kept", "any three"):
                kept = asked_of_everybody(
                    table, share=part, seed=draw, any_three=name == "any three"
                )
                counted[name].append(_alpha(table.kept(kept)))
        values = {name: float(np.mean(of)) for name, of in counted.items()}
        yield (
            f"adaptive votes, {part:.0%} get three anyway",
            (
                f"alpha {values['kept']:.3f} for {values['true']:.3f}; any three kept "
                f"{values['any three']:.3f}"
            ),
        )


def _asked_adaptively(random: np.random.Generator, part: float, seed: int) -> tuple[Votes, Votes]:
    """Votes of 600 queries as they are asked for, and the first three or two of each."""
    rows, fixed = [], []
    for number in range(600):
        qid = str(number)
        arriving = random.choice(list("nfmo"), MOST, p=_PARTS[number % len(_PARTS)]).tolist()
        is_full = gets_all_votes(qid, share=part, seed=seed)
        votes: list[str] = []
        while more := votes_to_ask(votes, full=is_full):
            votes += arriving[len(votes) : len(votes) + more]
        workers = random.permutation(200)[:MOST].astype(str).tolist()
        answers = [(qid, w, v) for w, v in zip(workers, votes, strict=False)]
        rows += answers
        fixed += answers[: 3 if is_full else 2]
    return tuple(Votes.of(*zip(*of, strict=True)) for of in (rows, fixed))  # type: ignore[return-value]


_PARTS = ((0.55, 0.2, 0.2, 0.05), (0.3, 0.4, 0.25, 0.05), (0.25, 0.25, 0.4, 0.1))


def _alpha(table: Votes) -> float:
    """Krippendorff's alpha of nominal votes."""
    counts = table.counts().astype(float)
    n = counts.sum(axis=1)
    kept, n = counts[n > 1], n[n > 1]
    observed = ((n[:, None] * kept - kept**2).sum(axis=1) / (n - 1)).sum()
    totals = kept.sum(axis=0)
    expected = (totals.sum() ** 2 - (totals**2).sum()) / (totals.sum() - 1)
    return float(1 - observed / expected)


def _against(counted: Cell, other: str = "tuned PPI") -> str:
    return (
        f"coverage {counted.coverage:.3f}, width {counted.width:.3f}, "
        f"given {counted.share_given:.2f}; {other} {counted.other:.3f}, {counted.other_width:.3f}; "
        f"that wider by a twentieth {counted.widened:.3f}"
    )


def allocations(draws: int, seed: int) -> Iterator[tuple[str, str]]:
    """Width of a share by strata of belief, drawn in proportion and by Neyman's allocation."""
    random = np.random.default_rng(seed)
    belief = random.beta(0.4, 0.6, M)
    z = (random.random(M) < belief).astype(float)
    strata = belief_strata(belief)
    widths = {}
    for name, weights in (("in proportion", None), ("Neyman's", doubt(belief, strata))):
        held, width = [], []
        for draw in range(draws):
            rows = draw_stratified(strata, 100, seed=draw, weights=weights).rows
            figure = share(Sample.of(belief, rows, z[rows], strata=strata))
            held.append(_holds(figure, float(z.mean())))
            width.append(figure.width or np.nan)
        widths[name] = f"coverage {np.mean(held):.3f}, width {np.mean(width):.4f}"
    both = "; ".join(f"{name}: {text}" for name, text in widths.items())
    yield "share, 100 labels drawn from strata of belief", both


CLAIMS: dict[str, Callable[[int, int], Iterator[tuple[str, str]]]] = {
    "alike": alike_systems,
    "together": nineteen_systems,
    "worth": worths,
    "adaptive": adaptive_agreement,
    "rare": rare_shares,
    "reversed": reversed_models,
    "constant": constant_beliefs,
    "skewed": skewed_values,
    "allocation": allocations,
    "all samples": shares_of_all_samples,
    "sides": partial(good_models, errors=(0.05,), sizes=(50, 100)),
    "good": good_models,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--claim", choices=CLAIMS, help="Its rows alone.")
    values = parser.parse_args()
    sys.stdout.write("| case | found |\n|---|---|\n")
    for name, rows in CLAIMS.items():
        if values.claim in (None, name):
            for case, counted in rows(values.draws, values.seed):
                sys.stdout.write(f"| {case} | {counted} |\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
