"""Earlier ends and another acceleration of Dawid-Skene, beside the labels and rounds of ours.

`python -m measurements.dawid_skene_ends [STUDIES]` prints the table of
results/dawid_skene_convergence.md, `python -m measurements.dawid_skene_ends million` that of a
million votes, beside crowd-kit where it is installed.
"""

import sys
import tracemalloc
from collections import deque
from collections.abc import Callable
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from measurements.dawid_skene_convergence import WORKERS, Floats, study
from metrics.extras import has
from metrics.votes.methods.dawid_skene import (
    MAX_ITERATIONS,
    PRECISION,
    TOLERANCE,
    ByQuery,
    Parameters,
    _distance,
    _expectation,
    _extrapolated,
    _maximisation,
    _round,
    dawid_skene,
    votes_by_query,
)
from metrics.votes.methods.posterior import Posterior
from metrics.votes.table import Votes

#: An end by what is used: rise of the likelihood, change of any posterior, and for how many steps.
_RISE, _CHANGE, _STEPS = 1e-10, 1e-7, 5
#: Anderson's acceleration: rounds that are combined, once no parameter moves by more than this.
_MEMORY, _CALM = 10, 1e-4
Voted = npt.NDArray[np.bool_]


def by_what_is_used(table: Votes) -> Posterior:
    """The rounds of `dawid_skene`, ended once likelihood and posteriors stand still."""
    votes, voted, here = _start(table)
    rounds, still, before = 1, 0, (np.zeros((len(table.items), len(table.labels))), -np.inf)
    while rounds + 3 <= MAX_ITERATIONS:
        first, _ = _round(votes, here, voted)
        posterior, likelihood = _expectation(votes, *first, voted)
        second = _maximisation(votes, posterior, voted)
        rounds += 2
        stands = likelihood - before[1] <= _RISE * abs(likelihood)
        still = still + 1 if stands and np.abs(posterior - before[0]).max() < _CHANGE else 0
        before = posterior, likelihood
        if still == _STEPS or _distance(first, second) < TOLERANCE:
            here = second
            break
        ahead, here = _extrapolated(here, first, second), second
        if ahead is not None:
            beyond, reached = _round(votes, ahead, voted)
            rounds += 1
            here = beyond if reached >= likelihood else second
    return _end(votes, voted, here, rounds)


def by_anderson(table: Votes) -> Posterior:
    """Plain rounds until they are calm, then combined by least squares, never downhill."""
    votes, voted, here = _start(table)
    points: deque[Floats] = deque(maxlen=_MEMORY + 1)
    moves: deque[Floats] = deque(maxlen=_MEMORY + 1)
    rounds, best, plain = 1, -np.inf, here
    while rounds < MAX_ITERATIONS:
        after, likelihood = _round(votes, here, voted)
        rounds += 1
        distance = _distance(here, after)
        if distance < TOLERANCE:
            break
        if distance > _CALM or likelihood < best:
            points.clear()
            moves.clear()
            here, best = (after if distance > _CALM else plain), -np.inf
            continue
        best, plain = likelihood, after
        points.append(_flat(after))
        moves.append(points[-1] - _flat(here))
        here = after
        if len(moves) > 1:
            steps = np.diff(np.stack(moves), axis=0)
            weights = np.linalg.lstsq(steps.T, moves[-1], rcond=1e-12)[0]
            ahead = points[-1] - weights @ np.diff(np.stack(points), axis=0)
            here = _parameters(np.maximum(ahead, points[-1] / 10), after)
    return _end(votes, voted, here, rounds)


def _start(table: Votes) -> tuple[ByQuery, Voted, Parameters]:
    counts = table.counts().astype(np.float64)
    voted = counts.sum(axis=1) > 0
    by_query = votes_by_query(table)
    votes = by_query, by_query.T.tocsr()
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return votes, voted, _maximisation(votes, shares, voted)


def _end(votes: ByQuery, voted: Voted, here: Parameters, rounds: int) -> Posterior:
    posterior, likelihood = _expectation(votes, *here, voted)
    return Posterior(posterior, rounds, True, likelihood, np.zeros(1), precision=PRECISION)


def _flat(here: Parameters) -> Floats:
    return np.concatenate([part.ravel() for part in here])


def _parameters(flat: Floats, like: Parameters) -> Parameters:
    shares, errors = (
        part.reshape(of.shape)
        for part, of in zip(np.split(flat, [like[0].size]), like, strict=True)
    )
    return shares / shares.sum(), errors / errors.sum(axis=-1, keepdims=True)


def row(workers: str, way: str, studies: int) -> str:
    """Rounds of another way beside ours, and how far its results differ."""
    rounds, likelihoods, labels, posteriors = [], [], [], []
    for seed in range(studies):
        table = study(WORKERS[workers], seed)
        ours, other = dawid_skene(table), _WAYS[way](table)
        rounds.append(other.iterations / ours.iterations)
        likelihoods.append(ours.log_likelihood - other.log_likelihood)
        labels.append(int((ours.codes() != other.codes()).sum()))
        posteriors.append(np.nanmax(np.abs(ours.probabilities - other.probabilities)))
    return (
        f"| {workers} | {way} | {np.median(rounds):.2f}, {max(rounds):.2f} | {max(labels)} | "
        f"{max(posteriors):.0e} | {max(likelihoods):.2f} |"
    )


def of_a_million(workers: str) -> str:
    """Rounds, processor and memory of a million votes, and crowd-kit's time and labels."""
    table = study(WORKERS[workers], 0, n_queries=50_000, n_votes=20, n_workers=1_000)
    tracemalloc.start()
    ours, seconds = _timed(lambda: dawid_skene(table))
    megabytes = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    begin = f"| {workers} | {ours.iterations:,} | {seconds:.1f} | {megabytes:.0f} |"
    if not has("crowdkit"):
        return begin
    frame = pd.DataFrame({"task": table.item, "worker": table.worker, "label": table.answer})
    model = import_module("crowdkit.aggregation").DawidSkene()
    theirs, theirs_seconds = _timed(lambda: model.fit_predict(frame).sort_index().to_numpy())
    differ = int((ours.codes() != theirs).sum())
    return f"{begin} {theirs_seconds:.1f} | {seconds / theirs_seconds:.1f} | {differ:,} |"


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = process_time()
    return work(), process_time() - start


_WAYS: dict[str, Callable[[Votes], Posterior]] = {
    "likelihood and posteriors stand still": by_what_is_used,
    "Anderson": by_anderson,
}

if __name__ == "__main__":
    if sys.argv[1:] == ["million"]:
        for name in WORKERS:
            sys.stdout.write(of_a_million(name) + "\n")
            sys.stdout.flush()
        sys.exit()
    n_studies = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    sys.stdout.write(
        "| workers | way | rounds | labels | posteriors | log-likelihood lost "
        "|\n|---|---|---:|---:|---:|---:|\n"
    )
    for name in WORKERS:
        for other_way in _WAYS:
            sys.stdout.write(row(name, other_way, n_studies) + "\n")
            sys.stdout.flush()
