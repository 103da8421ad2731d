"""Coverage of intervals of alpha, for these very workers and for other workers.

`measurements.worker_tables` prints them.

Workers answer right with a probability of their own and err evenly on the other categories.
Different workers take each HIT. The true alpha is that of all pairs of workers: of those who took
part, or of the population that they come from.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from metrics.votes.adaptive import asked_of_everybody, gets_all_votes, votes_to_ask
from metrics.votes.agreeing import agree
from metrics.votes.coefficients import (
    Coefficient,
    alpha_of_distances,
    category_alpha,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    ordinal_alpha,
    prevalence,
    raw_agreement,
    specific_agreement,
)
from metrics.votes.crossed import BEYOND_CHANCE, SHARE, Design, Scale, crossed_spread
from metrics.votes.estimates import narrowing_advice
from metrics.votes.intervals import bootstrap, percentile_interval
from metrics.votes.patterns import Patterns
from metrics.votes.table import Votes

Floats = npt.NDArray[np.float64]
#: Numbers of HITs, by the least of each.
HIT_BINS = {
    "0 to 4": 0,
    "5 to 9": 5,
    "10 to 14": 10,
    "15 to 19": 15,
    "20 to 29": 20,
    "30 and more": 30,
}

BALANCED, RARE = (0.5, 0.5), (0.9, 0.06, 0.03, 0.01)
#: Of five points in a row.
POINTS = (0.4, 0.25, 0.15, 0.1, 0.1)


@dataclass(frozen=True)
class Study:
    """Sizes of a study; `shares` are those of the true categories.

    Workers are right with a probability of their own, normal around `right` with deviation
    `differing`; so many of them are `spammers`, who vote at random. Of queries that are `clustered`
    the rarer of two categories holds so large a share within the HITs that have it, and none of the
    others.
    """

    queries: int
    workers: int
    per_hit: int
    votes: int = 3
    shares: Sequence[float] = BALANCED
    right: float = 0.85
    differing: float = 0.1
    spammers: float = 0.0
    clustered: float = 0.0


@dataclass(frozen=True)
class Coverage:
    """Shares of the studies whose interval holds the truth.

    By resampling queries that of these workers and of all workers; by queries and workers that of
    all workers, with the mean share of the variance that workers cause. `without` is the share of
    studies that have no interval of the latter kind.
    """

    these_by_queries: float
    all_by_queries: float
    all_by_both: float
    worker_share: float
    without: float


def workers_drawn(study: Study, rng: np.random.Generator, n: int = 0) -> Floats:
    """Draw the accuracy of each worker of a study, or of `n` workers."""
    n = n or study.workers
    right = np.clip(rng.normal(study.right, study.differing, n), 0, 1)
    if study.spammers:
        right[rng.random(n) < study.spammers] = 1 / len(study.shares)
    return right


def true_alpha(right: Floats, shares: Sequence[float]) -> float:
    """Alpha over all pairs of workers who are right with `right`."""
    n, wrong = len(right), (1 - right) / (len(shares) - 1)
    pairs = [(of.sum() ** 2 - of @ of) / (n * (n - 1)) for of in (right, wrong)]
    share = np.asarray(shares)
    votes = share * right.mean() + (1 - share) * wrong.mean()
    agreeing = pairs[0] + (len(shares) - 1) * pairs[1]
    return float(1 - (1 - agreeing) / (1 - votes @ votes))


@cache
def votes_together(study: Study) -> Floats:
    """Return how often two workers of the population give each pair of categories to a query."""
    right = float(workers_drawn(study, np.random.default_rng(0), 1_000_000).mean())
    n = len(study.shares)
    # Two workers are right independently of each other: what one is expected to say of a category.
    answers = np.full((n, n), (1 - right) / (n - 1))
    np.fill_diagonal(answers, right)
    together: Floats = np.einsum("t,ta,tb->ab", np.asarray(study.shares), answers, answers)
    return together


def true_coefficients(study: Study) -> dict[str, float]:
    """Of the population of workers: the coefficients of `OTHERS`, for its commonest category."""
    together = votes_together(study)
    n = len(study.shares)
    votes, agreeing = together.sum(axis=1), float(np.trace(together))

    def beyond(chance: float) -> float:
        return (agreeing - chance) / (1 - chance)

    first, both = float(votes[0]), float(together[0, 0])
    return {
        "raw agreement": agreeing,
        "AC1": beyond(float(votes @ (1 - votes)) / (n - 1)),
        "kappa": beyond(float(votes @ votes)),
        "alpha of a category": 1 - (first - both) / (first * (1 - first)),
        "specific agreement": both / first,
        "share of the votes": first,
    }


def _others(study: Study) -> dict[str, tuple[Coefficient, Scale]]:
    return {
        "raw agreement": (raw_agreement, SHARE),
        "AC1": (gwet_ac1(len(study.shares)), BEYOND_CHANCE),
        "kappa": (fleiss_kappa, BEYOND_CHANCE),
        "alpha of a category": (category_alpha, BEYOND_CHANCE),
        "specific agreement": (specific_agreement, SHARE),
        "share of the votes": (prevalence, SHARE),
    }


def coverage_of_others(study: Study, *, studies: int, seed: int = 0) -> dict[str, float]:
    """Return the coverage of the other coefficients' intervals for other workers."""
    rng, true = np.random.default_rng(seed), true_coefficients(study)
    held: dict[str, list[float]] = {name: [] for name in true}
    for _ in range(studies):
        design = Design(drawn_votes(study, workers_drawn(study, rng), rng))
        for name, (coefficient, scale) in _others(study).items():
            # Of a coefficient of each category, that of the first.
            ends = [end.flat[0] for end in crossed_spread(design, coefficient, scale).ends()]
            held[name].append(_holds(ends, true[name]))
    return {name: _mean_of_defined(each) for name, each in held.items()}


def coverage_of_scales(study: Study, *, studies: int, seed: int = 0) -> dict[str, float]:
    """Return the coverage of intervals of alpha of points in a row, for other workers."""
    rng, together = np.random.default_rng(seed), votes_together(study)
    votes = together.sum(axis=1)
    points, below = np.arange(len(votes)), np.cumsum(votes) - votes / 2
    squares = {
        name: (at[:, None] - at) ** 2 for name, at in (("interval", points), ("ordinal", below))
    }
    coefficients = {"interval": alpha_of_distances(squares["interval"]), "ordinal": ordinal_alpha}
    held: dict[str, list[float]] = {name: [] for name in coefficients}
    for _ in range(studies):
        design = Design(drawn_votes(study, workers_drawn(study, rng), rng))
        for name, coefficient in coefficients.items():
            true = 1 - (together * squares[name]).sum() / (votes @ squares[name] @ votes)
            ends = [float(end) for end in crossed_spread(design, coefficient, BEYOND_CHANCE).ends()]
            held[name].append(_holds(ends, true))
    return {name: _mean_of_defined(each) for name, each in held.items()}


def adaptive_coverage(
    study: Study, *, studies: int, seed: int = 0, share: float = 0.1
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the coverage where votes are asked for adaptively: of all votes, and as given.

    Two votes a query, a third where they differ, up to five while there is a tie.
    """
    rng, true = np.random.default_rng(seed), true_coefficients(study)
    names = [name for name in true if name != "share of the votes"]
    held: tuple[dict[str, list[float]], ...] = (
        {name: [] for name in names},
        {n: [] for n in names},
    )
    for number in range(studies):
        most = replace(study, votes=5)
        table = drawn_votes(most, workers_drawn(study, rng), rng)
        table = table.kept(_asked_for(table.answer.reshape(-1, 5), share, number))
        of_everybody = table.kept(asked_of_everybody(table, share=share, seed=number))
        for of, votes in zip(held, (table, of_everybody), strict=True):
            design = Design(votes)
            for name in names:
                coefficient, scale = _others(study)[name]
                ends = [end.flat[0] for end in crossed_spread(design, coefficient, scale).ends()]
                of[name].append(_holds(ends, true[name]))
    of_all, of_given = ({name: _mean_of_defined(each) for name, each in of.items()} for of in held)
    return of_all, of_given


def clustered_coverage(study: Study, *, studies: int, seed: int = 0) -> dict[str, list[float]]:
    """Return the coverage of alpha of a rare category, by the HITs that have it.

    By the number of HITs with a query of which two votes or more say the category: whether each
    interval holds.
    """
    rng, true = np.random.default_rng(seed), true_coefficients(study)["alpha of a category"]
    held: dict[str, list[float]] = {name: [] for name in HIT_BINS}
    for _ in range(studies):
        table = drawn_votes(study, workers_drawn(study, rng), rng)
        ends = crossed_spread(Design(table), category_alpha, BEYOND_CHANCE).ends()
        assert table.clusters is not None
        n = len(np.unique(table.clusters[table.counts()[:, -1] > 1]))
        held[_bin_of(n)].append(_holds([float(end[0]) for end in ends], true))
    return held


def spammed_coverage(study: Study, *, studies: int, seed: int = 0) -> dict[str, float]:
    """Return the coverage of alpha where some workers vote at random, by whether that is noticed.

    Of all studies, and of those with and without the warning; and how often it is given.
    """
    rng, true = np.random.default_rng(seed), true_coefficients(study)["kappa"]
    held, warned = [], []
    for _ in range(studies):
        table = drawn_votes(study, workers_drawn(study, rng), rng)
        ends = crossed_spread(Design(table), krippendorff_alpha, BEYOND_CHANCE).ends()
        held.append(_holds([float(end) for end in ends], true))
        warned.append(any("spammers" in words for words in agree(table).warnings))
    is_warned = np.array(warned)
    return {
        "all": _mean_of_defined(held),
        "with the warning": _mean_of_defined(np.array(held)[is_warned]),
        "without it": _mean_of_defined(np.array(held)[~is_warned]),
        "warned": float(is_warned.mean()),
    }


def width_of_alpha(study: Study, *, studies: int, seed: int = 0) -> tuple[float, float]:
    """The median width of alpha's interval, and how much narrower the advice says it would be.

    By Student's t alone: with one degree of freedom more.
    """
    rng = np.random.default_rng(seed)
    widths, narrower = [], []
    for _ in range(studies):
        design = Design(drawn_votes(study, workers_drawn(study, rng), rng))
        spread = crossed_spread(design, krippendorff_alpha, BEYOND_CHANCE)
        low, high = (float(end) for end in spread.ends())
        widths.append(high - low)
        advice = re.search(r"narrow it by (\d+)%", narrowing_advice(0.0, float(spread.freedom)))
        narrower.append(int(advice[1]) / 100 if advice else 0.0)
    return float(np.nanmedian(widths)), float(np.median(narrower))


def _bin_of(n: int) -> str:
    return next(name for name, least in reversed(HIT_BINS.items()) if n >= least)


def _asked_for(arriving: npt.NDArray[np.int32], share: float, seed: int) -> npt.NDArray[np.bool_]:
    """Which of the votes (queries x 5) that would arrive in this order are asked for, flat."""
    is_asked_for = np.zeros(arriving.shape, dtype=bool)
    for query, row in enumerate(arriving.tolist()):
        votes: list[str] = []
        full = gets_all_votes(str(query), share=share, seed=seed)
        while more := votes_to_ask(votes, full=full):
            votes += map(str, row[len(votes) : len(votes) + more])
        is_asked_for[query, : len(votes)] = True
    return is_asked_for.ravel()


def drawn_votes(study: Study, right: Floats, rng: np.random.Generator) -> Votes:
    n, categories = study.queries, len(study.shares)
    n_hits = -(-n // study.per_hit)
    takers = rng.random((n_hits, len(right))).argsort(axis=1)[:, : study.votes]
    worker = takers.repeat(study.per_hit, axis=0)[:n]
    truth = _truth(study, rng)[:, None]
    error = rng.integers(1, categories, worker.shape) * (rng.random(worker.shape) > right[worker])
    return Votes(
        item=np.arange(n, dtype=np.int32).repeat(study.votes),
        worker=worker.ravel().astype(np.int32),
        answer=((truth + error) % categories).ravel().astype(np.int32),
        items=tuple(map(str, range(n))),
        workers=tuple(map(str, range(len(right)))),
        options=tuple(map(str, range(categories))),
        clusters=(np.arange(n) // study.per_hit).astype(np.int32),
    )


def _truth(study: Study, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """The true category of each query, by its place among `study.shares`."""
    if not study.clustered:
        drawn: npt.NDArray[np.int64] = rng.choice(len(study.shares), study.queries, p=study.shares)
        return drawn
    _common, rare = study.shares
    hits = np.arange(study.queries) // study.per_hit
    has_it = rng.random(hits.max() + 1) < rare / study.clustered
    inside = has_it[hits] & (rng.random(study.queries) < study.clustered)
    places: npt.NDArray[np.int64] = inside.astype(np.int64)
    return places


def coverage(study: Study, *, studies: int, seed: int = 0, resamples: int = 400) -> Coverage:
    """Draw `studies` studies and count. Without `resamples` nothing is resampled."""
    rng = np.random.default_rng(seed)
    of_all = true_alpha(workers_drawn(study, rng, 1_000_000), study.shares)
    held, of_workers = [], []
    for number in range(studies):
        right = workers_drawn(study, rng)
        table = drawn_votes(study, right, rng)
        ends = _by_queries(table, seed=number, resamples=resamples)
        spread = crossed_spread(Design(table), krippendorff_alpha, BEYOND_CHANCE)
        crossed = [float(end) for end in spread.ends()]
        of_these = true_alpha(right, study.shares)
        held.append((_holds(ends, of_these), _holds(ends, of_all), _holds(crossed, of_all)))
        of_workers.append(float(spread.worker_share))
    without = np.isnan(np.array(held)[:, 2]).mean()
    these, plain, both = (_mean_of_defined(column) for column in zip(*held, strict=True))
    return Coverage(these, plain, both, _mean_of_defined(of_workers), float(without))


def _mean_of_defined(values: Sequence[float]) -> float:
    defined = np.array(values)[~np.isnan(values)]
    return float(defined.mean()) if defined.size else np.nan


def _holds(ends: Sequence[float], truth: float) -> float:
    low, high = ends
    return np.nan if np.isnan(low) else float(low <= truth <= high)


def _by_queries(table: Votes, *, seed: int, resamples: int) -> Sequence[float]:
    if not resamples:
        return np.nan, np.nan
    sample = bootstrap(
        Patterns.of(table.counts()),
        {"alpha": krippendorff_alpha},
        resamples=resamples,
        seed=seed,
    )
    low, high = percentile_interval(sample["alpha"])
    return (np.nan, np.nan) if low is None or high is None else (low, high)
