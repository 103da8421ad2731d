"""Labels by Dawid and Skene's model under many draws of queries and workers."""

from typing import TYPE_CHECKING

import numpy as np

from ...statistics.uncertain_labels import UNDECIDED, Codes, Labeller
from ..table import Votes
from .dawid_skene import LEAST, PRECISION, votes_by_query
from .posterior import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Rounds of expectation-maximisation from the vote shares: this comes nearer to a converged run on
#: the same draw than a start from the model of all votes, which keeps that model's labels.
ROUNDS = 20


def dawid_skene_labels(table: Votes, *, rounds: int = ROUNDS) -> Labeller:
    """Decide the labels of each draw by `rounds` rounds of `dawid_skene`, all draws at once.

    A worker or a query that is drawn twice counts as two of them with equal votes.
    """
    n_queries, n_workers, n_labels = map(len, (table.items, table.workers, table.labels))
    votes = votes_by_query(table)
    said_by_cell = votes.T.tocsr()

    def label(drawn_workers: Floats, drawn_queries: Floats) -> Codes:
        n_draws = len(drawn_workers)
        times, weights = drawn_workers.T, drawn_queries.T[:, None, :]
        # (queries, labels, draws) from here on.
        of_label = np.eye(n_labels)[None, :, :, None] * times[:, None, None, :]
        counts = _by_query(votes, of_label)
        n_votes = counts.sum(axis=1, keepdims=True)
        posterior = counts / np.maximum(n_votes, 1)
        for _ in range(rounds):
            tallied = posterior * weights
            prior = tallied.sum(axis=0)
            prior /= np.maximum(prior.sum(axis=0), LEAST)
            errors = (said_by_cell @ tallied.reshape(n_queries, -1)).reshape(
                n_workers, n_labels, n_labels, n_draws
            )
            np.maximum(errors, LEAST, out=errors)
            errors /= errors.sum(axis=1, keepdims=True)
            posterior = _by_query(votes, np.log(errors) * times[:, None, None, :])
            posterior += np.log(prior, out=np.full_like(prior, -np.inf), where=prior > 0)
            posterior -= posterior.max(axis=1, keepdims=True)
            np.exp(posterior, out=posterior)
            posterior /= posterior.sum(axis=1, keepdims=True)
            posterior *= n_votes > 0
        second, first = np.sort(np.pad(posterior, ((0, 0), (1, 0), (0, 0))), axis=1)[
            :, -2:
        ].transpose(1, 0, 2)
        codes: Codes = np.where(first - second > PRECISION, posterior.argmax(axis=1), UNDECIDED).T
        return codes

    return label


def _by_query(votes: "csr_array", of_votes: Floats) -> Floats:
    """Sums (queries, labels, draws) over a query's votes of (workers, votes, labels, draws)."""
    _, _, n_labels, n_draws = of_votes.shape
    sums: Floats = (votes @ of_votes.reshape(votes.shape[1], -1)).reshape(-1, n_labels, n_draws)
    return sums
