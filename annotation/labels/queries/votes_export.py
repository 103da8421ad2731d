"""The votes of a batch as files of votes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any, TypeVar

from django.db.models import Count, Exists, F, Max, OuterRef, QuerySet, Value
from django.db.models.functions import Coalesce

from annotation.core.parameters import parameter
from annotation.labels.export.file_formats import describe
from annotation.labels.export.formats import VOTE_FORMATS
from annotation.labels.export.votes import PlainVote, ResultRow, VoteFormat
from annotation.labels.queries.pseudonyms import worker_names
from annotation.models import Abstention, Assignment, Batch, BatchQuery, HITQuery, Vote
from annotation.task_page import CANNOT_TELL
from metrics.errors import InputError

#: Rows that are read at once.
_CHUNK = 500
_Row = TypeVar("_Row")


@dataclass(frozen=True, kw_only=True)
class VotesParameters:
    """How to write the votes of a batch."""

    layout: str = parameter(
        next(iter(VOTE_FORMATS)),
        choices=[(one.name, one.title) for one in VOTE_FORMATS.values()],
        style={"option": "format"},
        label="Format",
        help_text=describe(VOTE_FORMATS),
    )

    @property
    def format(self) -> VoteFormat:
        return VOTE_FORMATS[self.layout]

    def file_name(self, batch: Batch) -> str:
        return f"{batch.name}-{self.format.stem}.{self.format.extension}"


@dataclass(frozen=True)
class _BatchVotes:
    batch: Batch

    def has_suggestions(self) -> bool:
        return bool(self.batch.suggested_by)

    def votes(self) -> Iterator[PlainVote]:
        return plain_votes(batch=self.batch)

    def assignments(self) -> Iterator[ResultRow]:
        return result_rows(batch=self.batch)

    def most_queries(self) -> int:
        answered = Exists(Assignment.objects.filter(hit=OuterRef("pk")))
        hits = self.batch.hits.filter(answered).annotate(n=Count("places"))
        return int(hits.aggregate(most=Max("n", default=0))["most"])


def vote_lines(*, batch: Batch, parameters: VotesParameters) -> Iterator[str]:
    """The file of votes, line by line, read as it is written.

    Memory does not grow with the votes of people: it holds the answers to a query, or `_CHUNK`
    assignments. Raises `InputError` before the first line.
    """
    return parameters.format.write(_BatchVotes(batch))


def plain_votes(*, batch: Batch) -> Iterator[PlainVote]:
    """All votes of a batch that are not repeated, in the order of the queries and pseudonyms.

    An answer "I cannot tell" is among them, with a code of its own.
    """
    votes = Vote.objects.filter(query__batch=batch, counts=True).annotate(answer=F("category"))
    undecided = Abstention.objects.filter(query__batch=batch, counts=True)
    undecided = undecided.annotate(answer=Value(CANNOT_TELL))
    answers = _begun(merge(_answers(votes), _answers(undecided), key=itemgetter(0)))
    names = worker_names(batch=batch)
    for _, to_one_query in groupby(answers, key=itemgetter(0)):
        rows = [
            PlainVote(qid, names[worker], answer, text, gold, seconds, at, suggestion)
            for _, worker, qid, answer, text, gold, seconds, at, suggestion in to_one_query
        ]
        yield from sorted(rows, key=lambda vote: vote.worker)


def _answers(rows: QuerySet[Any]) -> Iterator[Any]:
    """Columns of a line, the position of its query first."""
    ordered = rows.order_by("query__position", "id").values_list(
        *("query__position", "worker_id", "query__qid", "answer"),
        *("query__text", "query__gold", "seconds"),
        Coalesce("answered_at", "assignment__submitted_at"),
        "query__suggestion",
    )
    return ordered.iterator(_CHUNK)


def result_rows(*, batch: Batch) -> Iterator[ResultRow]:
    """One row per assignment that was handed in, also those that were rejected or unreadable.

    Three statements for each `_CHUNK` of them.
    """
    assignments = (
        Assignment.objects.filter(hit__batch=batch)
        .select_related("hit", "worker")
        .order_by("hit__index", "submitted_at", "id")
    )
    if not assignments.exists():
        raise InputError(
            f"nothing was handed in for the batch {batch.name!r}.",
            remedy="The plain layout has the votes of an imported batch: --format plain.",
        )
    begun = _begun(assignments.iterator(_CHUNK))
    names = worker_names(batch=batch)
    chunks = iter(lambda: list(islice(begun, _CHUNK)), [])
    return (row for chunk in chunks for row in _result_rows(batch, chunk, names))


def _result_rows(
    batch: Batch, assignments: list[Assignment], names: Mapping[int, str]
) -> Iterator[ResultRow]:
    votes = Vote.objects.filter(assignment__in=assignments).order_by()
    answers = {
        (assignment, query): category
        for assignment, query, category in votes.values_list(
            "assignment_id", "query_id", "category"
        )
    }
    abstentions = Abstention.objects.filter(assignment__in=assignments).order_by()
    for abstention in abstentions.values_list("assignment_id", "query_id"):
        answers[abstention] = CANNOT_TELL
    shown: defaultdict[int, list[BatchQuery]] = defaultdict(list)
    places = HITQuery.objects.filter(hit__in={one.hit_id for one in assignments})
    for place in places.select_related("query").order_by("hit", "place"):
        shown[place.hit_id].append(place.query)
    for one in assignments:
        yield ResultRow(
            about=_about(batch, one, names),
            places=[
                (query.qid, query.text, query.gold, answers.get((one.pk, query.pk), ""))
                for query in shown[one.hit_id]
            ],
        )


def _begun(rows: Iterator[_Row]) -> Iterator[_Row]:
    """The same rows, their statement begun: what is read later knows every worker in them."""
    return chain(list(islice(rows, 1)), rows)


def _about(batch: Batch, one: Assignment, names: Mapping[int, str]) -> dict[str, str]:
    """Mechanical Turk's columns of an assignment, as far as they are known here."""
    return {
        "HITId": one.hit.hit_id or "",
        "HITTypeId": batch.hit_type_id,
        "Title": batch.title,
        "Description": batch.description,
        "Keywords": batch.keywords,
        "Reward": f"${batch.reward}",
        "MaxAssignments": str(one.hit.max_assignments),
        "RequesterAnnotation": one.hit.annotation,
        "AssignmentDurationInSeconds": str(batch.duration_seconds),
        "AutoApprovalDelayInSeconds": str(batch.auto_approval_seconds),
        "Expiration": _time(one.hit.expires_at),
        "LifetimeInSeconds": str(batch.lifetime_seconds),
        "AssignmentId": one.assignment_id,
        "WorkerId": names[one.worker_id],
        "AssignmentStatus": one.state,
        "AcceptTime": _time(one.accepted_at),
        "SubmitTime": _time(one.submitted_at),
        "WorkTimeInSeconds": "" if one.seconds is None else str(round(one.seconds)),
    }


def _time(at: datetime | None) -> str:
    """As Mechanical Turk writes a time: Wed Jan 16 13:43:30 UTC 2019."""
    return "" if at is None else at.strftime("%a %b %d %H:%M:%S UTC %Y")
