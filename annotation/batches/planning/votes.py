"""Planning of a batch: precision by the number of votes per query."""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from metrics.errors import InputError
from metrics.extras import need
from metrics.vocabulary import LEVEL, RESAMPLES
from metrics.votes.adaptive import votes_to_ask
from metrics.votes.coefficients import krippendorff_alpha
from metrics.votes.crossed import BEYOND_CHANCE, Design, crossed_spread
from metrics.votes.majority import UNDECIDED, majority
from metrics.votes.methods.posterior import Floats
from metrics.votes.patterns import Patterns
from metrics.votes.table import Votes

#: Votes on a query, and ways in which they can fall, that are listed one by one.
MOST_VOTES, _MOST_WAYS = 15, 50_000
#: Workers who take part, and the standard deviation of their accuracy, where nobody says.
N_WORKERS, DEVIATION = 40, 0.1


@dataclass(frozen=True)
class Expectation:
    """Outcome to expect of `n_votes` votes per query on `n_queries` queries.

    `ties` and `wrong` are numbers of queries, `cost` dollars, `votes` the votes asked for in all;
    `adaptive_votes` what asking adaptively would take. `alpha` is expected, `alpha_width` the width
    of its interval for other queries and workers, and `worker_share` the share of its variance that
    is due to differences between workers.
    """

    n_votes: int
    votes: int
    adaptive_votes: float
    cost: Decimal
    ties: float
    wrong: float
    alpha: float | None
    alpha_width: float | None
    worker_share: float | None


def voter_model(shares: Sequence[float], accuracy: float) -> Floats:
    """Chance of each vote for each true category, when errors fall evenly on the others."""
    q = len(shares)
    if not 0 < accuracy <= 1:
        wrong = f"{accuracy} is not an accuracy."
        raise InputError(wrong, remedy="Give a number above 0, up to 1.")
    if q < 2 or min(shares) < 0 or not math.isclose(sum(shares), 1, abs_tol=1e-6):  # noqa: PLR2004
        raise InputError(
            f"the shares of the categories add up to {sum(shares):g}, not to 1.",
            remedy="Give one share for each category, together 1.",
        )
    model = np.full((q, q), (1 - accuracy) / (q - 1))
    np.fill_diagonal(model, accuracy)
    return model


def pilot_voter_model(table: Votes) -> tuple[Floats, Floats]:
    """Category shares and chances of each vote, from the votes of a pilot.

    The truth is taken to be what most say; a vote is compared with the other votes of its query,
    so that nobody confirms themselves. One imagined vote per category keeps chances above zero.
    """
    counts = table.counts()
    others = counts[table.item]
    others[np.arange(len(table)), table.answer] -= 1
    decided = majority(others)
    usable = decided != UNDECIDED
    if not usable.any():
        raise InputError("the pilot has no query on which two or more votes agree.")
    q = len(table.labels)
    cell = decided[usable] * q + table.answer[usable]
    tallied = np.bincount(cell, minlength=q * q).reshape(q, q) + 1.0 / q
    decided_by_all = majority(counts)
    shares = np.bincount(decided_by_all[decided_by_all != UNDECIDED], minlength=q) + 1.0 / q
    return shares / shares.sum(), tallied / tallied.sum(axis=1, keepdims=True)


def assumed_spread(shares: Sequence[float] | Floats, model: Floats, deviation: float) -> float:
    """Standard error of alpha with a single worker, from the `deviation` of workers' accuracy.

    With more workers it is divided by the square root of their number.
    """
    q = len(model)
    step = 1e-6 * (np.eye(q) - (1 - np.eye(q)) / (q - 1))
    up, down = (_alpha_of_many(np.asarray(shares), model + sign * step) for sign in (1, -1))
    return abs(up - down) / 2e-6 * deviation


def _alpha_of_many(prior: Floats, model: Floats) -> float:
    votes = prior @ model
    agreeing = float(prior @ (model * model).sum(axis=1))
    return 1 - (1 - agreeing) / (1 - float(votes @ votes))


def pilot_spread(table: Votes) -> float | None:
    """Estimate what `assumed_spread` returns from a pilot's votes; None if they are too few."""
    design = Design(table)
    if not design.is_large_enough:
        return None
    _, by_workers = crossed_spread(design, krippendorff_alpha, BEYOND_CHANCE).errors
    spread = float(by_workers) * math.sqrt(design.n_workers_effective)
    return spread if math.isfinite(spread) else None


def expect(
    *,
    n_queries: int,
    shares: Sequence[float] | Floats,
    model: Floats,
    n_votes: Sequence[int] = (2, 3, 5),
    price_per_vote: Decimal = Decimal(0),
    n_workers: int = N_WORKERS,
    worker_spread: float = 0,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Expectation]:
    """One row for each number of votes; exact but for alpha, which is simulated from `seed`.

    `worker_spread` is that of `assumed_spread` or `pilot_spread`; 0 takes all workers as alike.
    """
    prior = np.asarray(shares, dtype=np.float64)
    by_workers = worker_spread**2 / n_workers
    return [
        _expectation(
            n_queries, prior, model, n, price_per_vote, by_workers, n_workers, resamples, seed
        )
        for n in n_votes
    ]


def _expectation(  # noqa: PLR0917 - called once, above
    n_queries: int,
    prior: Floats,
    model: Floats,
    n: int,
    price_per_vote: Decimal,
    by_workers: float,
    n_workers: int,
    resamples: int,
    seed: int,
) -> Expectation:
    rows, chances = outcomes(model, n)
    label = majority(rows)
    tie = label == UNDECIDED
    right = label[None, :] == np.arange(len(prior))[:, None]
    patterns = Patterns(rows=rows.astype(np.float64), sizes=np.ones(len(rows), dtype=np.int64))
    drawn = np.random.default_rng(seed).multinomial(n_queries, prior @ chances, size=resamples)
    alphas = krippendorff_alpha(patterns, drawn.astype(np.float64))
    defined = alphas[~np.isnan(alphas)]
    variance = float(defined.var()) + by_workers if defined.size else 0.0
    half = float(need("scipy.special").stdtrit(n_workers - 1, (1 + LEVEL) / 2)) * math.sqrt(
        variance
    )
    return Expectation(
        n_votes=n,
        votes=n * n_queries,
        adaptive_votes=n_queries * _adaptive_votes(prior, model, most=max(n, 2)),
        cost=n * n_queries * price_per_vote,
        ties=float(n_queries * (prior @ chances)[tie].sum()),
        wrong=float(n_queries * (prior @ (chances * (~right & ~tie))).sum()),
        alpha=float(defined.mean()) if defined.size else None,
        alpha_width=2 * half if defined.size else None,
        worker_share=by_workers / variance if variance > 0 else None,
    )


def outcomes(model: Floats, n: int) -> tuple[np.typing.NDArray[np.int64], Floats]:
    """Every way in which n votes can fall, and its chance for each true category.

    `InputError` where there are too many ways to list.
    """
    q = len(model)
    if math.comb(q + n - 1, n) > _MOST_WAYS:
        raise InputError(
            f"{n} votes can fall on {q} options in too many ways.", remedy="Compare fewer votes."
        )
    rows = np.array(
        [
            np.bincount(np.array(combination, dtype=np.int64), minlength=q)
            for combination in itertools.combinations_with_replacement(range(q), n)
        ]
    )
    ways = np.array(
        [
            math.factorial(n) / math.prod(math.factorial(votes) for votes in row)
            for row in rows.tolist()
        ]
    )
    chances: Floats = ways * np.exp(np.log(np.maximum(model, 1e-300)) @ rows.T)
    return rows, chances


def _adaptive_votes(prior: Floats, model: Floats, *, most: int) -> float:
    """Votes that the adaptive strategy is expected to ask for on one query."""
    q = len(prior)
    total = 0.0
    # By the votes in any order, with their chance for each true category.
    states: dict[tuple[int, ...], Floats] = {(): prior}
    while states:
        longer: defaultdict[tuple[int, ...], Floats] = defaultdict(lambda: np.zeros(q))
        for votes, chance in states.items():
            # With fewer than three votes to spend there is nothing to adapt.
            if len(votes) < most and votes_to_ask([str(vote) for vote in votes], most=most):
                for vote in range(q):
                    longer[tuple(sorted((*votes, vote)))] += chance * model[:, vote]
            else:
                total += len(votes) * float(chance.sum())
        states = longer
    return total
