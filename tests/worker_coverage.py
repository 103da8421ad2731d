"""How often intervals of alpha hold the truth: of these very workers, and of workers anew.

`python -m tests.agreement_coverage` prints the table of docs/agreement.md.

Workers answer right with a probability of their own, normal around .85 with standard deviation .1,
and err evenly on the other categories. Different workers take each HIT. The true alpha is that of
all pairs of workers: of those who took part, or of the population that they come from.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.agreement.coefficients import (
    Coefficient,
    category_alpha,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    prevalence,
    raw_agreement,
    specific_agreement,
)
from annotation.agreement.crossed import BEYOND_CHANCE, SHARE, Design, Scale, crossed_spread
from annotation.agreement.intervals import bootstrap, percentile_interval
from annotation.agreement.patterns import Patterns
from annotation.agreement.table import VoteTable

Floats = npt.NDArray[np.float64]

BALANCED, RARE = (0.5, 0.5), (0.9, 0.06, 0.03, 0.01)


@dataclass(frozen=True)
class Study:
    """Sizes of a study; `shares` are those of the true categories."""

    queries: int
    workers: int
    per_hit: int
    votes: int = 3
    shares: Sequence[float] = BALANCED


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


DESIGNS = (
    *(Study(50, workers, 1) for workers in (3, 5, 20)),
    Study(50, 10, 10),
    Study(50, 20, 1, shares=RARE),
    Study(100, 10, 5),
    Study(100, 10, 5, shares=RARE),
    Study(400, 5, 1, votes=2),
    Study(400, 5, 1),
    Study(400, 5, 1, votes=5),
    Study(400, 10, 10, votes=2),
    Study(400, 40, 1),
    Study(400, 40, 10),
    Study(400, 40, 10, shares=RARE),
    Study(400, 100, 10),
    Study(3_924, 100, 10),
    Study(3_924, 100, 10, shares=RARE),
    Study(4_000, 5, 10),
    Study(4_000, 20, 10),
    Study(4_000, 20, 10, shares=RARE),
)


def workers_drawn(n: int, rng: np.random.Generator) -> Floats:
    """How often each of `n` workers is right."""
    return np.clip(rng.normal(0.85, 0.1, n), 0, 1)


def true_alpha(right: Floats, shares: Sequence[float]) -> float:
    """Alpha over all pairs of workers who are right with `right`."""
    n, wrong = len(right), (1 - right) / (len(shares) - 1)
    pairs = [(of.sum() ** 2 - of @ of) / (n * (n - 1)) for of in (right, wrong)]
    share = np.asarray(shares)
    votes = share * right.mean() + (1 - share) * wrong.mean()
    agreeing = pairs[0] + (len(shares) - 1) * pairs[1]
    return float(1 - (1 - agreeing) / (1 - votes @ votes))


def true_coefficients(study: Study) -> dict[str, float]:
    """Of the population of workers: the coefficients of `OTHERS`, for its commonest category."""
    right = float(workers_drawn(1_000_000, np.random.default_rng(0)).mean())
    n = len(study.shares)
    # Two workers are right independently of each other: what one is expected to say of a category.
    said = np.full((n, n), (1 - right) / (n - 1))
    np.fill_diagonal(said, right)
    together = np.einsum("t,ta,tb->ab", np.asarray(study.shares), said, said)
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
    """How often intervals of the other coefficients hold for other workers."""
    rng, true = np.random.default_rng(seed), true_coefficients(study)
    held: dict[str, list[float]] = {name: [] for name in true}
    for _ in range(studies):
        design = Design(drawn_votes(study, workers_drawn(study.workers, rng), rng))
        for name, (coefficient, scale) in _others(study).items():
            # Of a coefficient of each category, that of the first.
            ends = [end.flat[0] for end in crossed_spread(design, coefficient, scale).ends()]
            held[name].append(_holds(ends, true[name]))
    return {name: _mean_of_defined(each) for name, each in held.items()}


def drawn_votes(study: Study, right: Floats, rng: np.random.Generator) -> VoteTable:
    n, categories = study.queries, len(study.shares)
    n_hits = -(-n // study.per_hit)
    takers = rng.random((n_hits, len(right))).argsort(axis=1)[:, : study.votes]
    worker = takers.repeat(study.per_hit, axis=0)[:n]
    truth = rng.choice(categories, n, p=study.shares)[:, None]
    error = rng.integers(1, categories, worker.shape) * (rng.random(worker.shape) > right[worker])
    return VoteTable(
        query=np.arange(n, dtype=np.int32).repeat(study.votes),
        worker=worker.ravel().astype(np.int32),
        label=((truth + error) % categories).ravel().astype(np.int32),
        queries=tuple(map(str, range(n))),
        workers=tuple(map(str, range(len(right)))),
        labels=tuple(map(str, range(categories))),
        hits=(np.arange(n) // study.per_hit).astype(np.int32),
    )


def coverage(study: Study, *, studies: int, seed: int = 0, resamples: int = 400) -> Coverage:
    """Draw `studies` studies and count. Without `resamples` nothing is resampled."""
    rng = np.random.default_rng(seed)
    of_all = true_alpha(workers_drawn(1_000_000, rng), study.shares)
    held, of_workers = [], []
    for number in range(studies):
        right = workers_drawn(study.workers, rng)
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


def _by_queries(table: VoteTable, *, seed: int, resamples: int) -> Sequence[float]:
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


_COLUMNS = (
    "queries", "workers", "queries per HIT", "votes", "categories", "by queries: these",
    "by queries: all", "by queries and workers: all", "variance by workers", "none",
)  # fmt: skip


def table(studies: int) -> str:
    lines = [
        f"| {' | '.join(_COLUMNS)} |",
        "|---:|---:|---:|---:|---|---:|---:|---:|---:|---:|",
    ]
    for study in DESIGNS:
        found = coverage(study, studies=studies)
        sizes = (study.queries, study.workers, study.per_hit, study.votes)
        lines.append(
            f"| {' | '.join(f'{size:,}' for size in sizes)} "
            f"| {'rare' if study.shares == RARE else 'balanced'} | {found.these_by_queries:.2f} "
            f"| {found.all_by_queries:.2f} | {found.all_by_both:.3f} | {found.worker_share:.2f} "
            f"| {found.without:.2f} |"
        )
    return "\n".join(lines)


#: Designs of the table of the other coefficients.
OTHER_DESIGNS = (
    Study(100, 10, 5),
    Study(400, 5, 1),
    Study(400, 10, 10, votes=2),
    Study(400, 40, 10),
    Study(400, 40, 10, shares=RARE),
    Study(3_924, 100, 10, shares=RARE),
    Study(4_000, 20, 10),
)


def table_of_others(studies: int) -> str:
    names = list(true_coefficients(OTHER_DESIGNS[0]))
    lines = [
        f"| queries | workers | queries per HIT | votes | categories | {' | '.join(names)} |",
        f"|---:|---:|---:|---:|---|{'---:|' * len(names)}",
    ]
    for study in OTHER_DESIGNS:
        held = coverage_of_others(study, studies=studies)
        sizes = (study.queries, study.workers, study.per_hit, study.votes)
        lines.append(
            f"| {' | '.join(f'{size:,}' for size in sizes)} "
            f"| {'rare' if study.shares == RARE else 'balanced'} "
            f"| {' | '.join(f'{held[name]:.3f}' for name in names)} |"
        )
    return "\n".join(lines)
