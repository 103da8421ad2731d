"""Distance from the greatest likelihood at which Dawid-Skene stops, on simulated studies.

`python -m measurements.dawid_skene_convergence` prints the table of that name in results/.
"""

import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics.votes.methods.dawid_skene import dawid_skene
from metrics.votes.table import Votes

Floats = npt.NDArray[np.float64]

N_QUERIES, N_VOTES, N_WORKERS = 200, 3, 20
#: How often the workers are right, from the worst to the best of them.
WORKERS = {"good": (0.75, 0.95), "mixed": (0.3, 0.95), "poor": (0.25, 0.6)}
SHARES = (0.55, 0.25, 0.15, 0.05)

#: By the likelihood alone: what a round gains for each vote; by the parameters: how far one moves.
_PLATEAU, _STILL = 1e-7, 1e-9
_MOST_ROUNDS = 50_000
#: A log-likelihood as near as this is the same.
NEAR = 0.01


@dataclass(frozen=True)
class Stop:
    """Where a rule stopped: rounds, log-likelihood, labels."""

    rounds: int
    likelihood: float
    labels: npt.NDArray[np.int64]


def study(
    workers: tuple[float, float],
    seed: int,
    *,
    n_queries: int = N_QUERIES,
    n_votes: int = N_VOTES,
    n_workers: int = N_WORKERS,
) -> Votes:
    """Votes of workers who err evenly over the other categories."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(SHARES), n_queries, p=SHARES)
    voters = np.stack([rng.choice(n_workers, n_votes, replace=False) for _ in truth])
    right = rng.random(voters.shape) < np.linspace(*workers, n_workers)[voters]
    errors = (truth[:, None] + rng.integers(1, len(SHARES), voters.shape)) % len(SHARES)
    label = np.where(right, truth[:, None], errors)
    return Votes(
        item=np.repeat(np.arange(n_queries, dtype=np.int32), n_votes),
        worker=voters.ravel().astype(np.int32),
        answer=label.ravel().astype(np.int32),
        items=tuple(map(str, range(n_queries))),
        workers=tuple(map(str, range(n_workers))),
        options=("n", "f", "m", "o"),
    )


def plain(table: Votes) -> tuple[Stop, Stop]:
    """Expectation-maximisation as Dawid & Skene write it: on the plateau, and at its end."""
    votes = np.zeros((len(table.items), len(table.workers), len(table.labels)))
    votes[table.item, table.worker, table.answer] = 1
    posterior = votes.sum(axis=1) / votes.sum(axis=(1, 2))[:, None]
    before, parameters, plateau = -np.inf, np.zeros(1), None
    for rounds in range(1, _MOST_ROUNDS + 1):
        prior = posterior.mean(axis=0)
        errors = np.maximum(np.tensordot(posterior, votes, (0, 0)), 1e-10)
        errors /= errors.sum(axis=2, keepdims=True)
        joint = np.tensordot(votes, np.log(errors), ((1, 2), (1, 2))) + np.log(prior)
        top = joint.max(axis=1, keepdims=True)
        weights = np.exp(joint - top)
        posterior = weights / weights.sum(axis=1, keepdims=True)
        likelihood = float((top[:, 0] + np.log(weights.sum(axis=1))).sum())
        here = Stop(rounds, likelihood, posterior.argmax(axis=1))
        if plateau is None and likelihood - before < _PLATEAU * len(table.item):
            plateau = here
        moved = np.abs((now := np.append(errors, prior)) - parameters).max()
        if plateau is not None and moved < _STILL:
            return plateau, here
        before, parameters = likelihood, now
    raise AssertionError("plain expectation-maximisation found no end")


def compared(workers: str, studies: int) -> list[tuple[Stop, Stop, Stop]]:
    """Of each study: plain rounds on the plateau, plain rounds at their end, and ours."""
    stops = []
    for seed in range(studies):
        table = study(WORKERS[workers], seed)
        ours = dawid_skene(table)
        labels = ours.probabilities.argmax(axis=1)
        stops.append((*plain(table), Stop(ours.iterations, ours.log_likelihood, labels)))
    return stops


def row(workers: str, studies: int) -> str:
    """A row of the table."""
    ends = compared(workers, studies)
    cells = [workers, f"{np.median([end.rounds for _, end, _ in ends]):.0f}"]
    for place in (0, 2):
        stops = [(of_study[place], of_study[1]) for of_study in ends]
        short = [end.likelihood - stop.likelihood for stop, end in stops]
        differing = [int((stop.labels != end.labels).sum()) for stop, end in stops]
        cells.append(
            f"{np.median([stop.rounds for stop, _ in stops]):.0f}, "
            f"{sum(gap > NEAR for gap in short)}, {max(short):.2f}, {max(differing)}"
        )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    n_studies = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    sys.stdout.write(
        "| workers | plain, to the end: rounds | plain, on the plateau | `dawid_skene` |\n"
        "|---|---:|---|---|\n"
    )
    for name in WORKERS:
        sys.stdout.write(row(name, n_studies) + "\n")
        sys.stdout.flush()
