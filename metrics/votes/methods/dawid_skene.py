"""Dawid and Skene's model: every worker has a confusion matrix, found together with the labels."""

from typing import TYPE_CHECKING

import numpy as np

from ...extras import need
from ..table import Votes
from .posterior import Floats, Posterior, normalised, without_unvoted

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_ITERATIONS = 10_000
#: No parameter (a share of the labels or of a worker's votes) moves by more than this in a plain
#: round: converged. The likelihood says too little, as it also rises slowly on a plateau; a larger
#: tolerance would also stop where the parameters only pause. So do the posteriors: ends where none
#: moves by more than 1e-8 have other labels in some studies of poor and mixed workers, and together
#: with the likelihood over several steps they end no earlier; `measurements.dawid_skene_ends`.
TOLERANCE = 1e-9
#: Rounds may move this little for long: probabilities are no more precise than this.
PRECISION = 1e-5
#: Steps are extrapolated only once no parameter moves by more than this, and no share falls below
#: this part of itself: long early steps end in another maximum.
_CALM, _LEAST_PART = 1e-3, 0.1
#: Keeps the logarithm of a confusion that never occurred finite.
LEAST = 1e-10


def dawid_skene(table: Votes, *, max_iterations: int = MAX_ITERATIONS) -> Posterior:
    """Maximum likelihood by expectation-maximisation (Dawid & Skene 1979).

    Starts from the share of each label among a query's votes. Each two rounds are extrapolated in
    their direction (SQUAREM, scheme S3, Varadhan & Roland, Scandinavian Journal of Statistics 35,
    2008), unless that lowers the likelihood. `iterations` counts all rounds; it has converged when
    no parameter moves by more than `TOLERANCE`. Nothing random is in it.
    """
    counts = table.counts().astype(np.float64)
    voted = counts.sum(axis=1) > 0
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    if not len(table):
        return Posterior(
            without_unvoted(shares, voted), 0, True, 0.0, np.full(len(table.workers), np.nan)
        )
    by_query = votes_by_query(table)
    votes = by_query, by_query.T.tocsr()
    here = _maximisation(votes, shares, voted)
    iterations, converged = 1, False
    while not converged and iterations + 3 <= max_iterations:
        first, _ = _round(votes, here, voted)
        second, likelihood = _round(votes, first, voted)
        iterations += 2
        converged = _distance(first, second) < TOLERANCE
        ahead = None if converged else _extrapolated(here, first, second)
        here = second
        if ahead is not None:
            beyond, reached = _round(votes, ahead, voted)
            iterations += 1
            # `likelihood` is that of `first`; what lies beyond it must not be worse.
            if reached >= likelihood:
                here = beyond
    posterior, likelihood = _expectation(votes, *here, voted)
    return Posterior(
        probabilities=without_unvoted(posterior, voted),
        iterations=iterations,
        converged=converged,
        log_likelihood=likelihood,
        worker_accuracy=_accuracy(here[1], posterior[voted].mean(axis=0)),
        precision=PRECISION,
    )


#: The share of each label, and the confusion of each worker.
Parameters = tuple[Floats, Floats]
#: Votes by query, shape (queries, workers x labels), and the same the other way round.
ByQuery = tuple["csr_array", "csr_array"]


def votes_by_query(table: Votes) -> "csr_array":
    """A 1 for each vote, shape (queries, workers x labels)."""
    n_labels = len(table.labels)
    votes: csr_array = need("scipy.sparse", extra="votes").csr_array(
        (
            np.ones(len(table)),
            (table.item, table.worker.astype(np.int64) * n_labels + table.answer),
        ),
        shape=(len(table.items), len(table.workers) * n_labels),
    )
    return votes


def _maximisation(
    votes: ByQuery, posterior: Floats, voted: np.typing.NDArray[np.bool_]
) -> Parameters:
    return posterior[voted].mean(axis=0), _errors(votes, posterior)


def _round(
    votes: ByQuery, here: Parameters, voted: np.typing.NDArray[np.bool_]
) -> tuple[Parameters, float]:
    """The parameters after one round, and the log-likelihood of those before it."""
    posterior, likelihood = _expectation(votes, *here, voted)
    return _maximisation(votes, posterior, voted), likelihood


def _distance(first: Parameters, second: Parameters) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(first, second, strict=True))


def _extrapolated(here: Parameters, first: Parameters, second: Parameters) -> Parameters | None:
    """Extrapolate two rounds; None while they are restless, or gain nothing over one round."""
    if _distance(first, second) > _CALM:
        return None
    steps = [b - a for a, b in zip(here, first, strict=True)]
    turns = [c - b - step for b, c, step in zip(first, second, steps, strict=True)]
    step, turn = (
        float(np.sqrt(sum((part**2).sum() for part in parts))) for parts in (steps, turns)
    )
    if turn == 0 or step <= turn:
        return None
    length = step / turn
    shares, errors = (
        np.maximum(start + 2 * length * first_step + length**2 * two, _LEAST_PART * last)
        for start, first_step, two, last in zip(here, steps, turns, second, strict=True)
    )
    return shares / shares.sum(), errors / errors.sum(axis=-1, keepdims=True)


def _errors(votes: ByQuery, posterior: Floats) -> Floats:
    """P(vote | true label) of each worker, shape (true labels, workers, votes)."""
    n_labels = posterior.shape[1]
    tallied = (votes[1] @ posterior).T.reshape(n_labels, -1, n_labels)
    tallied = np.maximum(tallied, LEAST)
    errors: Floats = tallied / tallied.sum(axis=2, keepdims=True)
    return errors


def _expectation(
    votes: ByQuery, prior: Floats, errors: Floats, voted: np.typing.NDArray[np.bool_]
) -> tuple[Floats, float]:
    log_errors = np.log(errors)
    # A category that no query has stays impossible; its errors would be made up.
    log_prior = np.full(len(prior), -np.inf)
    np.log(prior, out=log_prior, where=prior > 0)
    weights = votes[0] @ log_errors.reshape(len(prior), -1).T
    posterior, evidence = normalised(weights + log_prior)
    return posterior * voted[:, None], float(evidence[voted].sum())


def _accuracy(errors: Floats, prior: Floats) -> Floats:
    diagonal = np.diagonal(errors, axis1=0, axis2=2)
    accuracy: Floats = diagonal @ prior
    return accuracy
