"""Labels, agreement and bias from the tables of a bundle alone."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from annotation.agreement.adaptive import asked_of_everybody
from annotation.agreement.aggregation import METHODS, Decisions, decide
from annotation.agreement.intervals import LEAST_RESAMPLES, MOST_RESAMPLES, IntervalMethod
from annotation.agreement.summary import agreement, as_dict
from annotation.agreement.table import VoteTable
from annotation.reports.bundle.tables import LabelRow, QueryRow, VoteRow
from annotation.task_page import CANNOT_TELL
from metrics.errors import InputError

#: Tolerance of posteriors, which depend on where the iteration stopped.
_POSTERIOR_TOLERANCE = 1e-6
_MOST_CATEGORIES = 20
_LARGEST_SEED = 2**31 - 1
#: Characters of a model's name.
_LONGEST_MODEL = 200
#: Numbers of the confusions between categories over all workers.
_MOST_CONFUSIONS = 2_000_000
#: Numbers of the changes of confusions by a vote, over all queries.
_MOST_LOST_VOTES = 5_000_000


@dataclass(frozen=True)
class Parameters:
    """Parameters of the labels and of the agreement.

    `suggested_by` is the model whose labels annotators saw, or "". `adaptive_share` of the queries
    get three votes in any case where the batch asks adaptively, chosen by `adaptive_seed`.
    `n_categories` is how many categories voters could choose from, 0 for those in use. `labelled`
    has the method, strictness and seed of each labelled question of a scheme; the others are
    decided by the rule of their kind.
    """

    categories: tuple[str, ...]
    method: str
    strict: bool
    label_seed: int
    n_categories: int
    resamples: int
    level: float
    agreement_seed: int
    interval: str
    queries_per_hit: int
    suggested_by: str = ""
    adaptive_share: float | None = None
    adaptive_seed: int = 0
    labelled: Mapping[str, tuple[str, bool, int]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """For a manifest; with what few batches have only where one has it."""
        described = asdict(self)
        if not self.suggested_by:
            del described["suggested_by"]
        if not self.labelled:
            del described["labelled"]
        if self.adaptive_share is None:
            del described["adaptive_share"], described["adaptive_seed"]
        return described


def read_parameters(stored: Any, path: str | Path, *, has_categories: bool = True) -> Parameters:
    """The parameters of a manifest. Raises `InputError` where they are incomplete or out of range.

    They are somebody else's: the ranges bound time and memory of computing with them. A batch that
    asks the questions of a scheme has no categories.
    """
    try:
        read: dict[str, Any] = {"categories": tuple(map(str, stored["categories"]))}
        read["labelled"] = {
            str(name): (str(method), bool(strict), int(seed))
            for name, (method, strict, seed) in stored.get("labelled", {}).items()
        }
        parameters = Parameters(**stored | read)
        whole = [getattr(parameters, one.name) for one in fields(Parameters) if one.type is int]
        in_range = (
            all(type(value) is int for value in whole)
            and has_categories <= len(parameters.categories) <= _MOST_CATEGORIES
            and 0 <= parameters.n_categories <= _MOST_CATEGORIES
            and LEAST_RESAMPLES <= parameters.resamples <= MOST_RESAMPLES
            and 0 < parameters.level < 1
            and min(parameters.label_seed, parameters.agreement_seed, parameters.adaptive_seed) >= 0
            and (parameters.adaptive_share is None or 0 <= parameters.adaptive_share <= 1)
            and all(
                method in METHODS and 0 <= seed <= _LARGEST_SEED
                for method, _, seed in parameters.labelled.values()
            )
            and parameters.interval in set(IntervalMethod)
            and parameters.queries_per_hit >= 1
            and isinstance(parameters.suggested_by, str)
            and len(parameters.suggested_by) <= _LONGEST_MODEL
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"its parameters cannot be read ({error}).", path=path) from None
    if not in_range:
        raise InputError("its parameters are out of range.", path=path)
    return parameters


def check_size(votes: Iterable[VoteRow], parameters: Parameters) -> None:
    """Raise `InputError` where a table of confusions, by worker or by query, would be too large."""
    votes = list(votes)
    n_workers = len({row.worker for row in votes})
    n_queries = len({row.qid for row in votes})
    if n_queries * len(parameters.categories) ** 3 > _MOST_LOST_VOTES:
        raise InputError(
            f"{n_queries:,} queries have more votes for {len(parameters.categories)} categories "
            "than can be left out one by one.",
            path="votes.csv",
        )
    if n_workers * len(parameters.categories) ** 2 > _MOST_CONFUSIONS:
        raise InputError(f"{n_workers:,} workers are more than any study has.", path="votes.csv")


def table_of(
    queries: Iterable[QueryRow], votes: Iterable[VoteRow], categories: Sequence[str]
) -> VoteTable:
    """The votes among `votes` that count, on `queries`."""
    qids = tuple(row.qid for row in queries)
    known = set(qids)
    counted = [row for row in votes if row.qid in known and _counts(row)]
    return VoteTable.of(
        [row.qid for row in counted],
        [row.worker for row in counted],
        [row.category for row in counted],
        labels=categories,
        queries=qids,
    )


def _counts(row: VoteRow) -> bool:
    return not (row.repeated or row.set_aside or row.category == CANNOT_TELL)


def _study(queries: Sequence[QueryRow]) -> list[QueryRow]:
    return [row for row in queries if not row.gold]


def recompute_agreement(
    queries: Sequence[QueryRow], votes: Sequence[VoteRow], parameters: Parameters
) -> dict[str, Any]:
    """Return the object that `agreement --json --details` prints."""
    size = parameters.queries_per_hit
    hits = [place // size for place, row in enumerate(queries) if not row.gold]
    table = replace(
        table_of(_study(queries), votes, parameters.categories),
        hits=np.array(hits, dtype=np.int32),
    )
    known = {row.qid for row in queries if not row.gold}
    kinds = Counter(row.kind for row in votes if row.qid in known and _counts(row))
    in_use = len(set(table.label.tolist())) or 1
    found = agreement(
        table,
        n_categories=parameters.n_categories or in_use,
        kinds=dict(sorted(kinds.items())),
        strict=parameters.strict,
        interval=IntervalMethod(parameters.interval),
        resamples=parameters.resamples,
        level=parameters.level,
        seed=parameters.agreement_seed,
        suggested_by=parameters.suggested_by,
        asked=None
        if parameters.adaptive_share is None
        else asked_of_everybody(
            table, share=parameters.adaptive_share, seed=parameters.adaptive_seed
        ),
    )
    return as_dict(found, details=True)


def recompute_labels(
    queries: Sequence[QueryRow], votes: Sequence[VoteRow], parameters: Parameters
) -> Decisions:
    """The method's decision for every study query with a vote; adjudications come on top."""
    gold = [row for row in queries if row.gold]
    unexcluded = [
        VoteRow(row.qid, row.worker, row.kind, row.category, row.repeated, 0) for row in votes
    ]
    return decide(
        table_of(_study(queries), votes, parameters.categories),
        method=parameters.method,
        strict=parameters.strict,
        seed=parameters.label_seed,
        gold_table=table_of(gold, unexcluded, parameters.categories),
        gold={row.qid: row.gold for row in gold},
        abstained={
            row.qid
            for row in votes
            if row.category == CANNOT_TELL and not (row.repeated or row.set_aside)
        },
    )


def label_differences(
    labels: Sequence[LabelRow],
    queries: Sequence[QueryRow],
    votes: Sequence[VoteRow],
    parameters: Parameters,
) -> Iterator[tuple[str, str]]:
    """Describe each query whose label differs from the method's.

    People's decisions override the method, and are not recomputed. Where no method of ours decided,
    there is nothing to compare.
    """
    if parameters.method not in METHODS:
        return
    computed = {one.query: one for one in recompute_labels(queries, votes, parameters).rows}
    for row in labels:
        one = computed.pop(row.qid, None)
        if row.method != parameters.method:
            continue
        if one is None:
            yield row.qid, f"{row.qid} is {row.label}, but has no vote."
            continue
        label = one.label if one.label is not None else "tie"
        if (row.label, row.n_votes, row.n_for) != (label, one.n_votes, one.n_for):
            stored = f"{row.label} ({row.n_for} of {row.n_votes} votes)"
            yield (
                row.qid,
                f"{row.qid} is {stored}, computed {label} ({one.n_for} of {one.n_votes}).",
            )
        elif not is_close(row.confidence, one.confidence, _POSTERIOR_TOLERANCE):
            yield (
                row.qid,
                f"{row.qid} has the confidence {row.confidence}, computed {one.confidence}.",
            )
    for qid in computed:
        yield qid, f"{qid} has votes and no label."


def is_close(one: float | None, other: float | None, tolerance: float) -> bool:
    """Return whether two numbers are equal within `tolerance`, relative or absolute."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
