"""Coverage of the intervals of alpha, in simulated studies.

`python -m measurements.agreement_coverage` prints the tables of results/agreement_coverage.md: of
alpha for these and for other workers, of the other coefficients, of points in a row, of batches
that ask adaptively, with spammers, with few workers and of clustered categories
(`measurements.worker_tables`), then of the alpha of a rare category for these workers. Its
arguments are the number of studies, and the names of tables where not all are wanted.

A study is drawn from a population whose alpha is known exactly. The populations differ in how
voters come to vote for a rare category; all are written as (share of the queries, probability of
a vote for the category).
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from measurements import worker_tables
from metrics.vocabulary import LEVEL, RESAMPLES
from metrics.votes.coefficients import category_alpha
from metrics.votes.intervals import bootstrap, percentile_interval
from metrics.votes.patterns import Patterns
from metrics.votes.rare import ENOUGH, n_showing, rare_interval

Mixture = Sequence[tuple[float, float]]
Interval = Callable[[Patterns], tuple[float | None, float | None]]


def _beta(alpha: float) -> Callable[[float], Mixture]:
    """Queries whose probabilities follow a beta distribution, in 4,000 steps of equal share."""
    from scipy.stats import beta  # noqa: PLC0415 - slow to load, and only needed here

    def mixture(share: float) -> Mixture:
        spread = 1 / alpha - 1
        steps = (np.arange(4_000) + 0.5) / 4_000
        points = beta.ppf(steps, share * spread, (1 - share) * spread)
        return [(1 / 4_000, float(point)) for point in points]

    return mixture


#: What voters do, by name: the share of true queries to the mixture of the population.
POPULATIONS: dict[str, Callable[[float], Mixture]] = {
    "clear, no stray votes": lambda share: [(share, 0.95), (1 - share, 0.0)],
    "clear, few stray votes": lambda share: [(share, 0.9), (1 - share, 0.005)],
    "clear, many stray votes": lambda share: [(share, 0.9), (1 - share, 1 / 30)],
    "less clear": lambda share: [(share, 0.8), (1 - share, 0.0)],
    "less clear, stray votes": lambda share: [(share, 0.8), (1 - share, 0.01)],
    "unclear, stray votes": lambda share: [(share, 0.6), (1 - share, 0.01)],
    "one in two": lambda share: [(2 * share, 0.5), (1 - 2 * share, 0.0)],
    "seldom seen": lambda share: [(share, 0.3), (1 - share, 0.005)],
    "mixed": lambda share: [(0.6 * share, 0.95), (0.4 * share, 0.6), (2 * share, 0.1),
                            (1 - 3 * share, 0.0)],
    "gradual, alpha .3": _beta(0.3),
    "gradual, alpha .6": _beta(0.6),
    "gradual, alpha .9": _beta(0.9),
}  # fmt: skip


@dataclass(frozen=True)
class Coverage:
    """Of `n` studies that show the category, the share whose interval holds the truth."""

    population: str
    share: float
    alpha: float
    n: int
    held: float
    width: float


def coverage(
    population: str,
    share: float,
    interval: Interval,
    *,
    n_queries: int,
    n_votes: int,
    studies: int,
    seed: int = 0,
) -> Coverage:
    """Draw `studies` studies and count; one that never shows the category has no alpha."""
    weights, points = np.array(POPULATIONS[population](share)).T
    mean = float(weights @ points)
    alpha = float(weights @ (points - mean) ** 2) / (mean * (1 - mean))
    ways = np.arange(n_votes + 1)
    binomial = (
        _binomials(n_votes) * points[:, None] ** ways * (1 - points[:, None]) ** (n_votes - ways)
    )
    probabilities = weights @ binomial
    drawn = np.random.default_rng(seed).multinomial(
        n_queries, probabilities / probabilities.sum(), size=studies
    )
    different, times = np.unique(drawn[drawn[:, 0] < n_queries], axis=0, return_counts=True)
    ends = [_ends(sizes, interval) for sizes in different]
    held = [low <= alpha <= high for low, high in ends]
    return Coverage(
        population=population,
        share=share,
        alpha=alpha,
        n=int(times.sum()),
        held=float(times @ held / times.sum()),
        width=float(times @ [high - low for low, high in ends] / times.sum()),
    )


def _binomials(n: int) -> npt.NDArray[np.float64]:
    row = [1]
    for k in range(n):
        row.append(row[-1] * (n - k) // (k + 1))
    return np.array(row, dtype=np.float64)


def _ends(sizes: npt.NDArray[np.int64], interval: Interval) -> tuple[float, float]:
    votes = len(sizes) - 1
    rows = np.stack([np.arange(votes + 1), votes - np.arange(votes + 1)], axis=1)
    low, high = interval(Patterns(rows[sizes > 0].astype(np.float64), sizes[sizes > 0]))
    return (np.nan, np.nan) if low is None or high is None else (low, high)


def by_bootstrap(patterns: Patterns) -> tuple[float | None, float | None]:
    sample = bootstrap(patterns, {"alpha": category_alpha}, resamples=1_000)["alpha"]
    return percentile_interval(sample[:, 0])


def as_reported(patterns: Patterns) -> tuple[float | None, float | None]:
    """Return the interval of `agreement`: by the models for a rare category, else bootstrap."""
    if n_showing(patterns)[0] >= ENOUGH:
        return by_bootstrap(patterns)
    return rare_interval(patterns, 0, level=LEVEL, resamples=RESAMPLES, seed=0)


#: Queries, votes and the shares of true queries of the studies in the table.
DESIGNS = ((100, 2), (100, 3), (100, 5), (300, 3))
SHARES = (0.01, 0.02, 0.05, 0.1)


def table(studies: int) -> str:
    """Least and mean coverage and the mean width over all populations, in Markdown."""
    lines = [
        "| queries x votes | share | bootstrap: least, mean | reported: least, mean, width |",
        "|---|---:|---|---|",
    ]
    for n_queries, n_votes in DESIGNS:
        for share in SHARES:
            plain, ours = (
                [
                    coverage(
                        name, share, how, n_queries=n_queries, n_votes=n_votes, studies=studies
                    )
                    for name in POPULATIONS
                ]
                for how in (by_bootstrap, as_reported)
            )
            lines.append(
                f"| {n_queries} x {n_votes} | {share} | {_held(plain)} | {_held(ours)}, "
                f"{np.mean([cell.width for cell in ours]):.2f} |"
            )
    return "\n".join(lines)


def _held(cells: Sequence[Coverage]) -> str:
    held = [cell.held for cell in cells]
    return f"{min(held):.3f}, {np.mean(held):.3f}"


if __name__ == "__main__":
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    tables = (
        worker_tables.table,
        worker_tables.table_of_others,
        worker_tables.table_of_scales,
        worker_tables.adaptive_table,
        worker_tables.table_of_spammers,
        worker_tables.table_of_freedom,
        worker_tables.table_of_clustered,
        table,
    )
    chosen = sys.argv[2:]
    made = [make(studies) for make in tables if not chosen or make.__name__ in chosen]
    sys.stdout.write("\n\n".join(made) + "\n")
