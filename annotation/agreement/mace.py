"""MACE: every worker either knows the label or spams by a strategy of their own."""

import numpy as np
import numpy.typing as npt
from scipy.special import digamma

from annotation.agreement.posterior import Floats, Posterior, normalised, without_unvoted
from annotation.agreement.table import VoteTable

RESTARTS = 10
MAX_ITERATIONS = 200
#: The log-likelihood per vote changes by less than this in a round: converged.
TOLERANCE = 1e-7
#: Priors of the variational form: Beta over knowing, Dirichlet over strategies.
_ALPHA, _BETA, _STRATEGY = 0.5, 0.5, 10.0


def mace(table: VoteTable, *, seed: int = 0, restarts: int = RESTARTS) -> Posterior:
    """Variational Bayes for Hovy et al., Learning Whom to Trust with MACE, NAACL 2013.

    The first start trusts everybody alike, the others are drawn from `seed`; the start with the
    best likelihood stands. Each stops when the likelihood per vote moves less than `TOLERANCE`.
    """
    rng = np.random.default_rng(seed)
    runs = [_fit(table, *_start(table, rng if number else None)) for number in range(restarts)]
    return max(runs, key=lambda run: run.log_likelihood)


def _start(table: VoteTable, rng: np.random.Generator | None) -> tuple[Floats, Floats]:
    """Probability of knowing, shape (workers,), and strategies, shape (workers, labels)."""
    n_workers, n_labels = len(table.workers), len(table.labels)
    if rng is None:
        return np.full(n_workers, 0.75), np.full((n_workers, n_labels), 1.0 / n_labels)
    rank = _rank_by_votes(table)
    knows = rng.uniform(0.5, 1.0, n_workers)
    return knows[rank], rng.dirichlet(np.full(n_labels, 10.0), n_workers)[rank]


def _rank_by_votes(table: VoteTable) -> npt.NDArray[np.int64]:
    """A number for each worker that follows from their votes and not from their place.

    So the result is the same under other names or in another order of the votes.
    """
    order = np.lexsort((table.query, table.worker))
    vote = table.query[order].astype(np.int64) * len(table.labels) + table.label[order]
    ends = np.cumsum(np.bincount(table.worker, minlength=len(table.workers)))
    votes = [part.tolist() for part in np.split(vote, ends[:-1])] if len(ends) else []
    rank = np.empty(len(table.workers), dtype=np.int64)
    rank[sorted(range(len(votes)), key=votes.__getitem__)] = np.arange(len(votes))
    return rank


def _fit(table: VoteTable, knows: Floats, strategy: Floats) -> Posterior:
    voted = table.counts().sum(axis=1) > 0
    spams = 1.0 - knows
    posterior, likelihood = np.zeros((len(table.queries), len(table.labels))), 0.0
    before, iteration, converged = np.inf, 0, len(table) == 0
    while not converged and iteration < MAX_ITERATIONS:
        iteration += 1
        by_chance = spams[table.worker] * strategy[table.worker, table.label]
        by_knowing = knows[table.worker]
        posterior, likelihood = _expectation(table, by_chance, by_knowing, voted)
        known = posterior[table.query, table.label] * by_knowing / (by_knowing + by_chance)
        knows, spams, strategy = _maximisation(table, known)
        converged = abs(likelihood - before) < TOLERANCE * len(table)
        before = likelihood
    return Posterior(
        probabilities=without_unvoted(posterior, voted),
        iterations=iteration,
        converged=converged,
        log_likelihood=likelihood,
        worker_accuracy=knows / np.maximum(knows + spams, np.finfo(float).tiny),
    )


def _expectation(
    table: VoteTable, by_chance: Floats, by_knowing: Floats, voted: np.typing.NDArray[np.bool_]
) -> tuple[Floats, float]:
    # A vote weighs by_chance for every label and by_chance + by_knowing for its own.
    n_queries, n_labels = len(table.queries), len(table.labels)
    base = np.bincount(table.query, weights=np.log(by_chance), minlength=n_queries)
    extra = np.bincount(
        table.query.astype(np.int64) * n_labels + table.label,
        weights=np.log1p(by_knowing / by_chance),
        minlength=n_queries * n_labels,
    ).reshape(n_queries, n_labels)
    posterior, evidence = normalised(base[:, None] + extra - np.log(n_labels))
    return posterior, float(evidence[voted].sum())


def _maximisation(table: VoteTable, known: Floats) -> tuple[Floats, Floats, Floats]:
    """Geometric means under the posteriors of the parameters (they need not add up to one)."""
    n_workers, n_labels = len(table.workers), len(table.labels)
    knowing = np.bincount(table.worker, weights=known, minlength=n_workers)
    total = np.bincount(table.worker, minlength=n_workers)
    spamming = np.bincount(
        table.worker.astype(np.int64) * n_labels + table.label,
        weights=1.0 - known,
        minlength=n_workers * n_labels,
    ).reshape(n_workers, n_labels)
    both = digamma(total + _ALPHA + _BETA)
    strategies = digamma(spamming + _STRATEGY) - digamma(
        spamming.sum(axis=1, keepdims=True) + n_labels * _STRATEGY
    )
    return (
        np.exp(digamma(knowing + _BETA) - both),
        np.exp(digamma(spamming.sum(axis=1) + _ALPHA) - both),
        np.exp(strategies),
    )
