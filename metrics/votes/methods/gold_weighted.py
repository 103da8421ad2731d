"""Votes weighted by each worker's accuracy on gold questions."""

from collections.abc import Mapping

import numpy as np

from ...errors import InputError
from ..table import Votes
from .posterior import Floats, Posterior, normalised, without_unvoted


def gold_correct(gold_table: Votes, gold: Mapping[str, str]) -> tuple[dict[str, int], ...]:
    """Right answers and answers on gold questions by worker: two dictionaries."""
    right = dict.fromkeys(gold_table.workers, 0)
    total = dict.fromkeys(gold_table.workers, 0)
    for query, worker, label in zip(
        gold_table.item.tolist(), gold_table.worker.tolist(), gold_table.answer.tolist(),
        strict=True,
    ):  # fmt: skip
        expected = gold.get(gold_table.items[query])
        if expected is not None:
            total[gold_table.workers[worker]] += 1
            right[gold_table.workers[worker]] += gold_table.labels[label] == expected
    return right, total


def gold_weighted(table: Votes, *, gold_table: Votes, gold: Mapping[str, str]) -> Posterior:
    """The posterior when each worker is right with their accuracy and errs evenly otherwise.

    The accuracy is (right + 1) / (answered + 2), so that nobody is taken for infallible; a worker
    without a gold question has the accuracy of all workers together. Raises `InputError` without
    gold questions.
    """
    right, total = gold_correct(gold_table, gold)
    if not sum(total.values()):
        raise InputError(
            "there are no votes on gold questions to weigh with.",
            remedy="Mix queries with known labels into the batch, as gold questions.",
        )
    everybody = (sum(right.values()) + 1) / (sum(total.values()) + 2)
    accuracy = np.array(
        [
            (right[name] + 1) / (total[name] + 2) if total.get(name) else everybody
            for name in table.workers
        ],
        dtype=np.float64,
    )
    probabilities, evidence, voted = _posterior(table, accuracy)
    return Posterior(
        probabilities=without_unvoted(probabilities, voted),
        iterations=1,
        converged=True,
        log_likelihood=float(evidence[voted].sum()),
        worker_accuracy=accuracy,
    )


def _posterior(
    table: Votes, accuracy: Floats
) -> tuple[Floats, Floats, np.typing.NDArray[np.bool_]]:
    n_queries, n_labels = len(table.items), len(table.labels)
    wrong = (1.0 - accuracy) / max(n_labels - 1, 1)
    base = np.bincount(table.item, weights=np.log(wrong[table.worker]), minlength=n_queries)
    extra = np.bincount(
        table.item.astype(np.int64) * n_labels + table.answer,
        weights=np.log(accuracy / wrong)[table.worker],
        minlength=n_queries * n_labels,
    ).reshape(n_queries, n_labels)
    probabilities, evidence = normalised(base[:, None] + extra - np.log(n_labels))
    return probabilities, evidence, table.counts().sum(axis=1) > 0
