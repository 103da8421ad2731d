"""Workers: agreement with each other, and signs of good or bad work."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..extras import need
from ..vocabulary import RESAMPLES
from .intervals import Estimate, estimate, wilson
from .methods.gold_weighted import gold_correct
from .table import Votes

#: Pairs times resamples held at once.
_CELLS = 4_000_000
#: Thresholds of a warning: accuracy on gold questions, share of the median time, chance of a run of
#: one label.
BAD_GOLD = 0.5
FAST = 1 / 3
#: Seconds for a query below which nobody has read it and chosen.
UNREADABLY_FAST = 1.0
LONG_RUN = 5
#: A worker with more of the votes than this, and than twice an even share, dominates.
DOMINANT = 0.2
UNLIKELY = 0.001


@dataclass(frozen=True)
class WorkerPair:
    """Two workers, their common queries, and the share on which they agree."""

    first: str
    second: str
    n_common: int
    agreement: Estimate


@dataclass(frozen=True)
class WorkerQuality:
    """Quality of one worker's votes. Times are seconds per query.

    `gold_accuracy` has Wilson's interval. `with_others` is agreement with the other voters beyond
    chance: 1 is perfect, 0 what two people get who vote in these proportions blindly.
    `with_majority` is the share of votes that say what most of the others said, where they have a
    majority, with Wilson's interval. `same_label`
    is the share of the worker's most frequent label, `longest_run` the most queries in a row
    with one label. `speed` is the worker's median time over the median of all workers.
    """

    worker: str
    n_votes: int
    share: float
    n_gold: int
    gold_accuracy: Estimate
    with_others: float | None
    with_majority: Estimate
    same_label: float | None
    longest_run: int
    seconds: float | None
    speed: float | None
    remarks: tuple[str, ...] = ()


def worker_pairs(table: Votes, *, resamples: int = RESAMPLES, seed: int = 0) -> list[WorkerPair]:
    """Every two workers with a query in common, with intervals bootstrapped over all queries.

    A resample has three kinds of queries: both voted alike, both voted differently, not both voted.
    """
    together, alike = _common_queries(table)
    first, second = np.nonzero(np.triu(together, k=1))
    common, agreed = together[first, second], alike[first, second]
    n = max(len(table.items), 1)
    rng = np.random.default_rng(seed)
    step = max(1, _CELLS // max(1, resamples))
    pairs = []
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        kinds = np.stack([agreed[part], common[part] - agreed[part], n - common[part]], axis=1)
        drawn = rng.multinomial(n, kinds / n, size=(resamples, len(kinds))).astype(np.float64)
        both = drawn[..., 0] + drawn[..., 1]
        shares = np.full(both.shape, np.nan)
        np.divide(drawn[..., 0], both, out=shares, where=both > 0)
        pairs += [
            WorkerPair(
                table.workers[a],
                table.workers[b],
                int(pair[0] + pair[1]),
                estimate(float(pair[0] / (pair[0] + pair[1])), shares[:, place]),
            )
            for place, (a, b, pair) in enumerate(
                zip(first[part].tolist(), second[part].tolist(), kinds, strict=True)
            )
        ]
    return pairs


def _common_queries(table: Votes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Count, for each pair of workers, their common queries and those on which they agree."""
    n_workers = len(table.workers)
    together, alike = (np.zeros((n_workers, n_workers), dtype=np.int64) for _ in range(2))
    ones = np.ones(len(table), dtype=np.int64)
    shape = (n_workers, len(table.items))
    csr_array = need("scipy.sparse", extra="votes").csr_array
    voted = csr_array((ones, (table.worker, table.item)), shape=shape)
    together += (voted @ voted.T).toarray()
    for label in range(len(table.labels)):
        mine = table.answer == label
        chosen = csr_array((ones[mine], (table.worker[mine], table.item[mine])), shape=shape)
        alike += (chosen @ chosen.T).toarray()
    return together, alike


def agreement_with_others(table: Votes) -> list[float | None]:
    """Each worker's agreement with the other voters of the same queries, beyond chance.

    Observed: mean over the worker's votes of the share of the query's other votes that agree.
    Chance: the same for two who vote in the proportions of the worker, and of the others on the
    worker's queries. (observed - chance) / (1 - chance), as Cohen's kappa; None if undefined.
    """
    counts = table.counts()
    n_workers, n_labels = len(table.workers), len(table.labels)
    others = counts.sum(axis=1)[table.item] - 1
    shared = others > 0
    worker, label = table.worker[shared], table.answer[shared]
    beside = counts[table.item[shared]].astype(np.float64)
    beside[np.arange(len(label)), label] -= 1
    beside /= others[shared][:, None]
    n = np.bincount(worker, minlength=n_workers).astype(np.float64)
    agreed = np.bincount(worker, weights=beside[np.arange(len(label)), label], minlength=n_workers)
    mine = np.bincount(worker.astype(np.int64) * n_labels + label, minlength=n_workers * n_labels)
    by_label = [
        np.bincount(worker, weights=beside[:, k], minlength=n_workers) for k in range(n_labels)
    ]
    theirs = np.reshape(by_label, (n_labels, n_workers)).T
    chance = (mine.reshape(n_workers, n_labels) * theirs).sum(axis=1)
    kappas: list[float | None] = []
    for votes, observed, by_chance in zip(n.tolist(), agreed, chance, strict=True):
        # Both are sums over the votes; chance is a product of two such sums.
        expected = by_chance / (votes * votes) if votes else 1.0
        kappas.append(
            float((observed / votes - expected) / (1 - expected)) if expected < 1 else None
        )
    return kappas


def agreement_with_majority(
    table: Votes,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Count, for each worker, the queries on which they agree with most others, and all that count.

    Only queries count on which one category has more of the others' votes than every other.
    """
    n_workers = len(table.workers)
    # With two labels that nobody gave: a nearly unanimous label may have no second.
    beside = np.pad(table.counts()[table.item], ((0, 0), (0, 2)))
    beside[np.arange(len(table)), table.answer] -= 1
    ranked = np.sort(beside, axis=1)
    decided = ranked[:, -1] > ranked[:, -2]
    followed = decided & (beside.argmax(axis=1) == table.answer)
    return (
        np.bincount(table.worker[followed], minlength=n_workers),
        np.bincount(table.worker[decided], minlength=n_workers),
    )


def worker_quality(
    table: Votes,
    *,
    gold_table: Votes,
    gold: Mapping[str, str],
    seconds: Mapping[str, float] | None = None,
) -> list[WorkerQuality]:
    """One row per worker of either table, most votes first.

    `table` must be in the order in which the queries were shown, for the runs of one label.
    `seconds` has each worker's median time per query.
    """
    right, answered = gold_correct(gold_table, gold)
    others = dict(zip(table.workers, agreement_with_others(table), strict=True))
    followed, decided = agreement_with_majority(table)
    places = {name: place for place, name in enumerate(table.workers)}
    lines = dict(zip(table.workers, _straight_lines(table), strict=True))
    times = dict(seconds or {})
    typical = float(np.median(list(times.values()))) if times else None
    rows = []
    for name in dict.fromkeys((*table.workers, *gold_table.workers)):
        line = lines.get(name, _Line(0, 0.0, 0, 1.0))
        row = WorkerQuality(
            worker=name,
            n_votes=line.n_votes,
            share=line.n_votes / max(len(table), 1),
            n_gold=answered.get(name, 0),
            gold_accuracy=wilson(right.get(name, 0), answered.get(name, 0)),
            with_others=others.get(name),
            with_majority=wilson(
                int(followed[places[name]]) if name in places else 0,
                int(decided[places[name]]) if name in places else 0,
            ),
            same_label=line.same_label if line.n_votes else None,
            longest_run=line.longest_run,
            seconds=times.get(name),
            speed=times[name] / typical if typical and name in times else None,
        )
        rows.append(replace(row, remarks=_remarks(row, line, len(table.workers))))
    return sorted(rows, key=lambda row: (-row.n_votes, row.worker))


def without_votes(worker: str) -> WorkerQuality:
    """Return the row of a worker without counting votes."""
    unknown = wilson(0, 0)
    return WorkerQuality(worker, 0, 0.0, 0, unknown, None, unknown, None, 0, None, None)


@dataclass(frozen=True)
class _Line:
    """Uniformity of a worker's votes; `chance` bounds the probability of so long a run."""

    n_votes: int
    same_label: float
    longest_run: int
    chance: float


def _straight_lines(table: Votes) -> list[_Line]:
    order = np.argsort(table.worker, kind="stable")
    n_votes = np.bincount(table.worker, minlength=len(table.workers))
    overall = np.bincount(table.answer, minlength=len(table.labels)) / max(len(table), 1)
    straight_lines = []
    for labels in np.split(table.answer[order], np.cumsum(n_votes)[:-1] if len(n_votes) else []):
        if not labels.size:
            straight_lines.append(_Line(0, 0.0, 0, 1.0))
            continue
        starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
        runs = np.diff(np.r_[starts, labels.size])
        longest = int(runs.argmax())
        label = labels[starts[longest]]
        # At most one run can begin at each vote.
        chance = float(labels.size * overall[label] ** runs[longest])
        straight_lines.append(
            _Line(
                int(labels.size),
                float(np.bincount(labels).max() / labels.size),
                int(runs[longest]),
                min(1.0, chance),
            )
        )
    return straight_lines[: len(n_votes)]


def _remarks(row: WorkerQuality, line: _Line, n_workers: int) -> tuple[str, ...]:
    """Warnings for a person to look at; none of them is a verdict."""
    remarks = []
    gold = row.gold_accuracy.value
    if gold is not None and gold < BAD_GOLD:
        remarks.append(f"right on only {gold:.0%} of {row.n_gold} gold questions")
    if row.with_others is not None and row.with_others < 0:
        remarks.append("agrees with the others less than by chance")
    if row.longest_run >= LONG_RUN and line.chance < UNLIKELY:
        remarks.append(f"gave one label {row.longest_run} times in a row")
    if row.seconds is not None and row.seconds < UNREADABLY_FAST:
        remarks.append(f"takes {row.seconds:.1f} s for a query: far too fast to read it")
    elif row.speed is not None and row.speed < FAST:
        remarks.append(f"takes {row.speed:.0%} of the median time")
    if row.share > max(DOMINANT, 2 / max(n_workers, 1)):
        remarks.append(f"gave {row.share:.0%} of all votes")
    return tuple(remarks)
