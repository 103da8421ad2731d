"""MACE: every worker either knows the label or spams by a strategy of their own."""

import numpy as np

from ...extras import need
from ..table import Votes
from .posterior import Floats, Posterior, normalised, without_unvoted

RESTARTS = 10
MAX_ITERATIONS = 200
#: The log-likelihood per vote changes by less than this in a round: converged.
TOLERANCE = 1e-7
#: When the likelihood moves this little, probabilities may still move by about its root.
PRECISION = 1e-3
#: Priors of the variational form: Beta over knowing, Dirichlet over strategies.
_ALPHA, _BETA, _STRATEGY = 0.5, 0.5, 10.0


def mace(table: Votes, *, seed: int = 0, restarts: int = RESTARTS) -> Posterior:
    """Variational Bayes for Hovy et al., Learning Whom to Trust with MACE, NAACL 2013.

    Every start trusts all workers alike: the first by .75, with even strategies; the others by a
    number that `seed` draws, with strategies that are near to each worker's votes by another drawn
    number. The start with the best likelihood is kept. So no draw prefers a category or a worker,
    and categories with equal votes stay equal. Each stops when the likelihood per vote moves less
    than `TOLERANCE`.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.uniform((0.5, 0.0), 1.0, (restarts - 1, 2)).tolist()
    starts = [(0.75, 0.0), *drawn]
    runs = [_fit(table, *_start(table, *start)) for start in starts]
    return max(runs, key=lambda run: run.log_likelihood)


def _start(table: Votes, trust: float, nearness: float) -> tuple[Floats, Floats]:
    """Probability of knowing, shape (workers,), and strategies, shape (workers, labels).

    Strategies are even, and shift towards each worker's votes by `nearness`.
    """
    n_workers, n_labels = len(table.workers), len(table.labels)
    cell = table.worker.astype(np.int64) * n_labels + table.answer
    votes = np.bincount(cell, minlength=n_workers * n_labels).reshape(n_workers, n_labels)
    shares: Floats = (1.0 + votes) / (n_labels + votes.sum(axis=1, keepdims=True))
    return np.full(n_workers, float(trust)), (1 - nearness) / n_labels + nearness * shares


def _fit(table: Votes, knows: Floats, strategy: Floats) -> Posterior:
    voted = table.counts().sum(axis=1) > 0
    spams = 1.0 - knows
    posterior, likelihood = np.zeros((len(table.items), len(table.labels))), 0.0
    before, iteration, converged = np.inf, 0, len(table) == 0
    while not converged and iteration < MAX_ITERATIONS:
        iteration += 1
        by_chance = spams[table.worker] * strategy[table.worker, table.answer]
        by_knowing = knows[table.worker]
        posterior, likelihood = _expectation(table, by_chance, by_knowing, voted)
        known = posterior[table.item, table.answer] * by_knowing / (by_knowing + by_chance)
        knows, spams, strategy = _maximisation(table, known)
        converged = abs(likelihood - before) < TOLERANCE * len(table)
        before = likelihood
    return Posterior(
        probabilities=without_unvoted(posterior, voted),
        iterations=iteration,
        converged=converged,
        log_likelihood=likelihood,
        worker_accuracy=knows / np.maximum(knows + spams, np.finfo(float).tiny),
        precision=PRECISION,
    )


def _expectation(
    table: Votes, by_chance: Floats, by_knowing: Floats, voted: np.typing.NDArray[np.bool_]
) -> tuple[Floats, float]:
    # A vote weighs by_chance for every label and by_chance + by_knowing for its own.
    n_queries, n_labels = len(table.items), len(table.labels)
    base = np.bincount(table.item, weights=np.log(by_chance), minlength=n_queries)
    extra = np.bincount(
        table.item.astype(np.int64) * n_labels + table.answer,
        weights=np.log1p(by_knowing / by_chance),
        minlength=n_queries * n_labels,
    ).reshape(n_queries, n_labels)
    posterior, evidence = normalised(base[:, None] + extra - np.log(n_labels))
    return posterior, float(evidence[voted].sum())


def _maximisation(table: Votes, known: Floats) -> tuple[Floats, Floats, Floats]:
    """Geometric means under the posteriors of the parameters (they need not add up to one)."""
    n_workers, n_labels = len(table.workers), len(table.labels)
    knowing = np.bincount(table.worker, weights=known, minlength=n_workers)
    total = np.bincount(table.worker, minlength=n_workers)
    spamming = np.bincount(
        table.worker.astype(np.int64) * n_labels + table.answer,
        weights=1.0 - known,
        minlength=n_workers * n_labels,
    ).reshape(n_workers, n_labels)
    digamma = need("scipy.special", extra="votes").digamma
    both = digamma(total + _ALPHA + _BETA)
    strategies = digamma(spamming + _STRATEGY) - digamma(
        spamming.sum(axis=1, keepdims=True) + n_labels * _STRATEGY
    )
    return (
        np.exp(digamma(knowing + _BETA) - both),
        np.exp(digamma(spamming.sum(axis=1) + _ALPHA) - both),
        np.exp(strategies),
    )
