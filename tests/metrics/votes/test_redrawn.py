"""Dawid-Skene on drawn workers and queries, beside full runs on the same draws."""

import numpy as np
import pytest
from numpy.typing import NDArray

from measurements.dawid_skene_convergence import N_QUERIES, N_WORKERS, WORKERS, Floats, study
from metrics.votes.methods.dawid_skene import dawid_skene
from metrics.votes.methods.redrawn import dawid_skene_labels
from metrics.votes.table import Votes

N_DRAWS = 12


def drawn(n: int, rng: np.random.Generator) -> Floats:
    return rng.multinomial(n, np.full(n, 1 / n), size=N_DRAWS).astype(np.float64)


def copied(table: Votes, workers: Floats, queries: Floats) -> tuple[Votes, NDArray[np.int64]]:
    """A table in which each worker and query stands as often as drawn, and what each query was."""
    query_copies = np.repeat(np.arange(len(queries)), queries.astype(int))
    worker_copies = np.repeat(np.arange(len(workers)), workers.astype(int))
    votes = np.full((len(queries), len(workers)), -1)
    votes[table.item, table.worker] = table.answer
    label = votes[np.ix_(query_copies, worker_copies)]
    query, worker = np.nonzero(label >= 0)
    copy = Votes(
        item=query.astype(np.int32),
        worker=worker.astype(np.int32),
        answer=label[query, worker].astype(np.int32),
        items=tuple(map(str, range(len(query_copies)))),
        workers=tuple(map(str, range(len(worker_copies)))),
        options=table.labels,
    )
    return copy, query_copies


@pytest.mark.long
def test_twenty_rounds_give_nearly_the_labels_and_the_spread_of_full_runs() -> None:
    table, rng = study(WORKERS["good"], 3), np.random.default_rng(4)
    values = rng.normal(size=N_QUERIES)
    workers, queries = drawn(N_WORKERS, rng), drawn(N_QUERIES, rng)
    labels = dawid_skene_labels(table)(workers, queries)

    means, full, agree = [], [], []
    for ours, *draw in zip(labels, workers, queries, strict=True):
        copy, original = copied(table, *draw)
        theirs = dawid_skene(copy).codes()
        agree.append(float((ours[original] == theirs).mean()))
        means.append(values[original][ours[original] == 0].mean())
        full.append(values[original][theirs == 0].mean())

    assert min(agree) > 0.9
    assert np.mean(agree) > 0.97
    assert 0.9 < np.std(means) / np.std(full) < 1.1
    assert np.corrcoef(means, full)[0, 1] > 0.95


def test_all_votes_and_many_rounds_give_the_labels_of_the_model() -> None:
    table = study(WORKERS["good"], 5)
    once = np.ones((1, N_WORKERS)), np.ones((1, N_QUERIES))
    (labels,) = dawid_skene_labels(table, rounds=2_000)(*once)
    assert labels.tolist() == dawid_skene(table).codes().tolist()
