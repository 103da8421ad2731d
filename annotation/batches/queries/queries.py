"""The queries of a batch as the pages browse them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rest_framework.serializers import RegexField

from annotation.agreement.coefficients import vote_patterns
from annotation.agreement.patterns import Patterns
from annotation.agreement.table import VoteTable
from annotation.core.parameters import parameter
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.votes import (
    abstentions_that_count,
    all_votes,
    study_queries,
    vote_table,
)
from annotation.models import Abstention, Assignment, Batch, BatchQuery, Label, Vote
from annotation.task_page import CANNOT_TELL
from annotation.vocabulary import TIE, Category
from metrics.errors import InputError
from pooling.models import ListPlace

#: No label yet: the batch was not labelled, or nobody voted on the query.
NO_LABEL = "none"


@dataclass(frozen=True)
class QueryFilter:
    """Which queries to list; what is left out asks for nothing."""

    label: str = parameter(
        "",
        choices=[*Category.choices, (TIE, "Tie"), (NO_LABEL, "No label yet")],
        help_text="The standing label.",
    )
    pattern: str = parameter(
        "",
        kind=RegexField,
        regex=r"^[0-9]{1,3}(-[0-9]{1,3}){0,9}$",
        help_text="How the votes fell, as in 2-1.",
    )
    first: str = parameter(
        "", choices=Category.choices, help_text="Somebody said this, and somebody `second`."
    )
    second: str = parameter("", choices=Category.choices)
    worker: str = parameter(
        "",
        kind=RegexField,
        regex=r"^[0-9]{1,18}$",
        help_text="Number of a worker who voted on it.",
    )
    since: datetime | None = parameter(
        None, help_text="An answer on it was handed in at this moment or later."
    )
    until: datetime | None = parameter(
        None, help_text="An answer on it was handed in before this moment."
    )
    text: str = parameter("", help_text="Occurs in the query, or is its id.")

    @property
    def is_empty(self) -> bool:
        return not any(getattr(self, one.name) for one in fields(self))


class QueryRow(NamedTuple):
    """One query with its `counts` of votes by category, and the label that stands."""

    number: int
    qid: str
    text: str
    counts: Sequence[int]
    n_cannot_tell: int
    label: str

    @property
    def n_votes(self) -> int:
        """How many answered, also those who could not tell."""
        return sum(self.counts) + self.n_cannot_tell

    @property
    def votes(self) -> tuple[tuple[str, int], ...]:
        """Votes by category, most first, and last how many could not tell."""
        counted = [(code, n) for code, n in zip(Category.values, self.counts, strict=True) if n]
        undecided = [(CANNOT_TELL, self.n_cannot_tell)] if self.n_cannot_tell else []
        return (*sorted(counted, key=lambda pair: -pair[1]), *undecided)


@dataclass(frozen=True)
class FoundQueries:
    """The rows asked for; `patterns` are those that occur in the batch, most frequent first."""

    rows: list[QueryRow]
    patterns: list[str]
    n_all: int


def batch_queries(*, batch: Batch, filters: QueryFilter) -> FoundQueries:
    """The study queries that `filters` asks for, in the batch's order.

    The statements do not depend on how many queries or votes there are.
    """
    known = list(study_queries(batch=batch).values_list("pk", "qid", "text"))
    table = vote_table(batch=batch)
    counts = table.counts()
    labels = _labels(batch)
    undecided = _abstentions_by_query(batch)
    keep = _votes_match(table, filters)
    rows = [
        QueryRow(pk, qid, text, votes, undecided[pk], labels.get(pk, ""))
        for (pk, qid, text), votes, kept in zip(known, counts.tolist(), keep.tolist(), strict=True)
        if kept and _text_matches(qid, text, filters.text)
    ]
    if filters.label:
        label = "" if filters.label == NO_LABEL else filters.label
        rows = [row for row in rows if row.label == label]
    if filters.worker:
        voted = _voted_by(batch, filters.worker)
        rows = [row for row in rows if row.number in voted]
    if filters.since or filters.until:
        voted = _voted_between(batch, filters.since, filters.until)
        rows = [row for row in rows if row.number in voted]
    patterns = [name for name, _ in vote_patterns(Patterns.of(counts))]
    return FoundQueries(rows, patterns, len(known))


def _votes_match(table: VoteTable, filters: QueryFilter) -> npt.NDArray[np.bool_]:
    counts = table.counts()
    keep = np.ones(len(counts), dtype=bool)
    if filters.pattern:
        shape = _shape(filters.pattern, len(table.labels))
        keep &= (-np.sort(-counts, axis=1) == shape).all(axis=1)
    if filters.first and filters.second:
        first, second = (table.labels.index(one) for one in (filters.first, filters.second))
        needed = 2 if first == second else 1
        keep &= (counts[:, first] >= needed) & (counts[:, second] >= needed)
    return keep


def _shape(pattern: str, n_labels: int) -> npt.NDArray[np.int64]:
    """The votes of "2-1" as a row of counts; a pattern that cannot occur matches nothing."""
    parts = sorted((int(part) for part in pattern.split("-")), reverse=True)
    sizes = [part for part in parts if part > 0]
    if len(sizes) > n_labels:
        return np.full(n_labels, -1, dtype=np.int64)
    return np.array(sizes + [0] * (n_labels - len(sizes)), dtype=np.int64)


def _text_matches(qid: str, text: str, part: str) -> bool:
    return not part or qid == part or part.casefold() in text.casefold()


def _abstentions_by_query(batch: Batch) -> Counter[int]:
    found = abstentions_that_count(batch=batch).values_list("query_id", flat=True)
    return Counter(found.iterator(20_000))


def _labels(batch: Batch) -> dict[int, str]:
    """The label that stands for each query; nothing for a batch that was never labelled."""
    standing = Label.objects.standing().filter(query__batch=batch).order_by()
    return dict(standing.values_list("query_id", "value"))


def _voted_by(batch: Batch, worker: str) -> set[int]:
    votes = Vote.objects.filter(query__batch=batch, worker=int(worker), counts=True)
    return set(votes.order_by().values_list("query_id", flat=True))


def _voted_between(batch: Batch, since: datetime | None, until: datetime | None) -> set[int]:
    votes = all_votes(batch=batch)
    votes = votes.filter(assignment__submitted_at__gte=since) if since else votes
    votes = votes.filter(assignment__submitted_at__lt=until) if until else votes
    return set(votes.order_by().values_list("query_id", flat=True))


@dataclass(frozen=True)
class ShownVote:
    """A vote with its worker under a pseudonym; `seconds` is the time for the query, if known."""

    worker: str
    worker_number: int
    kind: str
    kind_name: str
    category: str
    counts: bool
    seconds: float | None
    comment: str = ""


@dataclass(frozen=True)
class QueryDetail:
    """All that is known about one query."""

    query: BatchQuery
    votes: list[ShownVote]
    labels: list[Label]
    places: list[ListPlace]
    tally: tuple[tuple[str, int], ...]


def query_detail(*, batch: Batch, number: int) -> QueryDetail:
    """One query of the batch, by its number; `InputError` if the batch has none such."""
    query = BatchQuery.objects.filter(batch=batch, pk=number).first()
    if query is None:
        raise InputError(f"the batch {batch.name!r} has no query number {number}.")
    names = worker_names(batch=batch)
    times = {
        time.answer: time.per_query
        for time in Assignment.objects.filter(hit__places__query=query).work_times()
    }
    votes = [_shown(vote, names, times) for vote in _answers_to(query)]
    tally = Counter(vote.category for vote in votes if vote.counts)
    return QueryDetail(
        query=query,
        votes=votes,
        labels=list(query.labels.order_by("method")),
        places=_places(batch, query.qid),
        tally=tuple(tally.most_common()),
    )


def _answers_to(query: BatchQuery) -> list[Vote | Abstention]:
    votes = Vote.objects.filter(query=query).select_related("worker")
    abstentions = Abstention.objects.filter(query=query).select_related("worker")
    return [*votes.order_by("id"), *abstentions.order_by("id")]


def _shown(vote: Vote | Abstention, names: dict[int, str], times: dict[int, float]) -> ShownVote:
    return ShownVote(
        worker=names[vote.worker_id],
        worker_number=vote.worker_id,
        kind=vote.worker.kind,
        kind_name=vote.worker.get_kind_display(),
        category=vote.category if isinstance(vote, Vote) else CANNOT_TELL,
        counts=vote.counts,
        seconds=times.get(vote.assignment_id or 0, vote.seconds),
        comment="" if isinstance(vote, Vote) else vote.comment,
    )


def _places(batch: Batch, qid: str) -> list[ListPlace]:
    """Where the query stood in the lists of the batch's pool, best place first."""
    places = ListPlace.objects.filter(query__pool=batch.pool_id, query__qid=qid)
    return list(places.order_by("rank", "run", "direction")) if batch.pool_id else []
