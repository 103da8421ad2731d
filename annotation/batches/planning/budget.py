"""Comparison, at equal cost, of more votes per query with more queries, for estimating a share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from annotation.batches.planning.votes import outcomes
from metrics.errors import InputError
from metrics.extras import need
from metrics.vocabulary import LEVEL
from metrics.votes.majority import majority
from metrics.votes.methods.posterior import Floats

_STEP = 1e-6


@dataclass(frozen=True)
class Purchase:
    """`n_votes` votes on each of `n_queries` queries drawn at random from the pool, for a budget.

    `share` is the expected share of the wanted options by majority, and `off_by` its distance from
    the true one: votes err, and a tie is not an option. `by_queries` and `by_workers` are its
    standard errors with other queries and other workers, `half_width` that of its interval for
    both. `error` is the root mean squared distance from the true share.
    """

    n_votes: int
    n_queries: int
    cost: Decimal
    share: float
    off_by: float
    by_queries: float
    by_workers: float
    half_width: float
    error: float


def purchases(
    *,
    budget: Decimal,
    price_per_vote: Decimal,
    n_pool: int,
    shares: Sequence[float] | Floats,
    model: Floats,
    n_votes: Sequence[int],
    n_workers: int,
    deviation: float,
    options: Sequence[int] = (0,),
) -> list[Purchase]:
    """Return what the budget buys for each number of votes per query, up to the whole pool.

    `shares` and `model` are those of `planning.expect`. `deviation`: standard deviation of the
    accuracy between workers. `options`: rows of `shares` whose share is wanted.
    """
    prior, columns = np.asarray(shares, dtype=np.float64), list(options)
    step = _STEP * (np.eye(len(prior)) - (1 - np.eye(len(prior))) / (len(prior) - 1))
    allocations = []
    for n in n_votes:
        price = n * price_per_vote
        n_queries = n_pool if price <= 0 else min(n_pool, int(budget / price))
        if n_queries < 1:
            raise InputError(
                f"{budget} USD do not pay for one query with {n} votes.",
                remedy=f"One query costs {price} USD: give a larger budget, or fewer votes.",
            )
        share = _labelled(prior, model, n, columns)
        variance = share * (1 - share) / n_queries * (1 - n_queries / n_pool)
        up, down = (_labelled(prior, model + sign * step, n, columns) for sign in (1, -1))
        by_workers = abs(up - down) / (2 * _STEP) * deviation / math.sqrt(n_workers)
        spread = math.sqrt(variance + by_workers**2)
        off_by = share - float(prior[columns].sum())
        allocations.append(
            Purchase(
                n_votes=n,
                n_queries=n_queries,
                cost=price * n_queries,
                share=share,
                off_by=off_by,
                by_queries=math.sqrt(variance),
                by_workers=by_workers,
                half_width=float(need("scipy.special").stdtrit(n_workers - 1, (1 + LEVEL) / 2))
                * spread,
                error=math.hypot(off_by, spread),
            )
        )
    return allocations


def budget_advice(rows: Sequence[Purchase]) -> str:
    """Say which purchase comes closest to the true share, and whether queries or votes achieve it.

    Of equally close purchases, the one with fewer votes wins.
    """
    best = min(rows, key=lambda row: (round(row.error, 12), row.n_votes))
    fewest, most = min(row.n_votes for row in rows), max(row.n_votes for row in rows)
    if fewest == most:
        why = "Name several numbers of votes to compare."
    elif best.n_votes == fewest:
        why = "More queries buy more than more votes per query."
    elif best.n_votes == most:
        why = "More votes per query buy more than more queries."
    else:
        why = "Fewer votes err more; more votes leave too few queries."
    return (
        f"{best.n_votes} votes on each of {best.n_queries:,} queries come closest to the share: "
        f"{best.error:.3f} off, by root mean square. {why}"
    )


def _labelled(prior: Floats, model: Floats, n: int, options: Sequence[int]) -> float:
    """The share of queries to which the majority of n votes gives one of the options."""
    rows, chances = outcomes(model, n)
    label = majority(rows)
    return float((prior @ chances)[np.isin(label, options)].sum())
