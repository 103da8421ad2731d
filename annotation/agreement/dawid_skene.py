"""Dawid and Skene's model: every worker has a confusion matrix, found together with the labels."""

import numpy as np

from annotation.agreement.posterior import Floats, Posterior, normalised, without_unvoted
from annotation.agreement.table import VoteTable

MAX_ITERATIONS = 500
#: The log-likelihood per vote gains less than this in a round: converged.
TOLERANCE = 1e-7
#: Keeps the logarithm of a confusion that never occurred finite.
_LEAST = 1e-10


def dawid_skene(table: VoteTable) -> Posterior:
    """Maximum likelihood by expectation-maximisation (Dawid & Skene 1979).

    Starts from the share of each label among a query's votes and stops when the log-likelihood
    per vote gains less than `TOLERANCE`. There is nothing random in it.
    """
    counts = table.counts().astype(np.float64)
    voted = counts.sum(axis=1) > 0
    posterior = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    before, iteration, converged = -np.inf, 0, len(table) == 0
    likelihood, errors = 0.0, _errors(table, posterior)
    while not converged and iteration < MAX_ITERATIONS:
        iteration += 1
        errors = _errors(table, posterior)
        prior = posterior[voted].mean(axis=0)
        posterior, likelihood = _expectation(table, prior, errors, voted)
        converged = likelihood - before < TOLERANCE * len(table)
        before = likelihood
    return Posterior(
        probabilities=without_unvoted(posterior, voted),
        iterations=iteration,
        converged=converged,
        log_likelihood=likelihood,
        worker_accuracy=_accuracy(errors, posterior[voted].mean(axis=0))
        if len(table)
        else np.full(len(table.workers), np.nan),
    )


def _errors(table: VoteTable, posterior: Floats) -> Floats:
    """P(vote | true label) of each worker, shape (true labels, workers, votes)."""
    n_workers, n_labels = len(table.workers), len(table.labels)
    cell = table.worker.astype(np.int64) * n_labels + table.label
    tallied = np.stack(
        [
            np.bincount(cell, weights=posterior[table.query, true], minlength=n_workers * n_labels)
            for true in range(n_labels)
        ]
    ).reshape(n_labels, n_workers, n_labels)
    tallied = np.maximum(tallied, _LEAST)
    errors: Floats = tallied / tallied.sum(axis=2, keepdims=True)
    return errors


def _expectation(
    table: VoteTable, prior: Floats, errors: Floats, voted: np.typing.NDArray[np.bool_]
) -> tuple[Floats, float]:
    log_errors = np.log(errors)
    # A category that no query has stays impossible; its errors would be made up.
    log_prior = np.full(len(prior), -np.inf)
    np.log(prior, out=log_prior, where=prior > 0)
    weights: Floats = np.stack(
        [
            np.bincount(
                table.query,
                weights=log_errors[true, table.worker, table.label],
                minlength=len(table.queries),
            )
            for true in range(len(table.labels))
        ],
        axis=1,
    )
    posterior, evidence = normalised(weights + log_prior)
    return posterior * voted[:, None], float(evidence[voted].sum())


def _accuracy(errors: Floats, prior: Floats) -> Floats:
    diagonal = np.diagonal(errors, axis1=0, axis2=2)
    accuracy: Floats = diagonal @ prior
    return accuracy
