"""The votes of a batch as files of votes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any, TypeVar

from django.db.models import Count, Exists, Max, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from annotation.core.csv_rows import safe_text
from annotation.core.parameters import parameter
from annotation.labels.export.file_formats import describe
from annotation.labels.export.formats import VOTE_FORMATS
from annotation.labels.export.votes import PlainVote, ResultRow, VoteFormat
from annotation.labels.queries.gold import known_by_query
from annotation.labels.queries.judgments import is_of_pairs
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.questions import closed_question
from annotation.models import Assignment, Batch, BatchQuery, Choice, HITQuery, Vote
from annotation.schemes import LONGEST_NAME, Question
from annotation.schemes.released import column_of, file_codes
from metrics.errors import InputError
from metrics.io.pair_ids import split_pair_id

#: Rows that are read at once.
_CHUNK = 500
_ALL_VOTES = "Use --format plain: the plain layout has all votes."
_Row = TypeVar("_Row")


@dataclass(frozen=True, kw_only=True)
class VotesParameters:
    """Format and question of a file of votes."""

    layout: str = parameter(
        next(iter(VOTE_FORMATS)),
        choices=[(layout.name, layout.title) for layout in VOTE_FORMATS.values()],
        style={"option": "format"},
        label="Format",
        help_text=describe(VOTE_FORMATS),
    )

    question: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        label="Question",
        help_text="Question of the answers; left out, the only one with options that the batch "
        "asks.",
    )

    @property
    def format(self) -> VoteFormat:
        return VOTE_FORMATS[self.layout]

    def file_name(self, batch: Batch) -> str:
        return f"{batch.name}-{self.format.stem}.{self.format.extension}"


@dataclass(frozen=True)
class _BatchVotes:
    """`is_safe`: texts of members are not formulas to a spreadsheet."""

    batch: Batch
    question: Question
    is_safe: bool

    @property
    def name(self) -> str:
        return column_of(self.question)

    def is_of_pairs(self) -> bool:
        return is_of_pairs(batch=self.batch)

    def has_suggestions(self) -> bool:
        return bool(self.batch.suggested_by)

    def votes(self) -> Iterator[PlainVote]:
        return plain_votes(batch=self.batch, question=self.question)

    def assignments(self) -> Iterator[ResultRow]:
        rows = result_rows(batch=self.batch, question=self.question)
        return map(_safe, rows) if self.is_safe else rows

    def most_queries(self) -> int:
        answered = Exists(Assignment.objects.filter(hit=OuterRef("pk")))
        hits = self.batch.hits.filter(answered).annotate(n=Count("places"))
        return int(hits.aggregate(most=Max("n", default=0))["most"])


def vote_lines(
    *, batch: Batch, parameters: VotesParameters, is_safe: bool = False
) -> Iterator[str]:
    """The file of votes, line by line, read as it is written.

    Memory does not grow with the votes of people: it holds the answers to a query, or `_CHUNK`
    assignments. With `is_safe`, what members wrote is not a formula to a spreadsheet. Raises
    `InputError` before the first line.
    """
    question = closed_question(batch=batch, name=parameters.question)
    is_table = parameters.format.content_type == "text/csv"
    return parameters.format.write(_BatchVotes(batch, question, is_safe and is_table))


def _safe(row: ResultRow) -> ResultRow:
    texts = {name: safe_text(row.about[name]) for name in ("Title", "Description", "Keywords")}
    return replace(row, about={**row.about, **texts})


def plain_votes(*, batch: Batch, question: Question | None = None) -> Iterator[PlainVote]:
    """All votes of a batch that are not repeated, in the order of the queries and pseudonyms.

    Without `question` they answer the only one that has options. "I cannot tell" is among them;
    several options of an answer are one label, joined.
    """
    question = question or closed_question(batch=batch)
    votes = Vote.objects.filter(query__batch=batch).standing()
    answers = _begun(_answers(Choice.objects.filter(vote__in=votes, question=question.name)))
    names, known = worker_names(batch=batch), known_by_query(batch=batch)
    for _, to_one_query in groupby(answers, key=itemgetter(0)):
        rows = []
        for worker, chosen in groupby(to_one_query, key=itemgetter(1)):
            answer = list(chosen)
            _, _, _, item, text, seconds, at, suggestion, passage = answer[0]
            qid, docno = split_pair_id(item) if passage else (item, "")
            label = file_codes(question, [row[2] for row in answer])
            gold = known.get(item, {}).get(question.name, "")
            vote = (qid, names[worker], label, text, gold, seconds, at, suggestion, docno, passage)
            rows.append(PlainVote(*vote))
        yield from sorted(rows, key=lambda vote: vote.worker)


def _answers(choices: QuerySet[Choice]) -> Iterator[Any]:
    """Columns of a line, the position of its query first."""
    ordered = choices.order_by("vote__query__position", "vote", "option").values_list(
        *("vote__query__position", "vote__worker_id", "option"),
        *("vote__query__qid", "vote__query__text", "vote__seconds"),
        Coalesce("vote__answered_at", "vote__assignment__submitted_at"),
        "vote__query__suggestion",
        "vote__query__passage",
    )
    return ordered.iterator(_CHUNK)


def result_rows(*, batch: Batch, question: Question | None = None) -> Iterator[ResultRow]:
    """Yield one row per submitted assignment, rejected and unreadable ones included.

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
            remedy=_ALL_VOTES,
        )
    if has_votes_of_files(batch=batch):
        raise InputError(
            f"votes of files were added to the batch {batch.name!r}: they belong to no assignment.",
            remedy=_ALL_VOTES,
        )
    closed = question or closed_question(batch=batch)
    begun = _begun(assignments.iterator(_CHUNK))
    names = worker_names(batch=batch)
    chunks = iter(lambda: list(islice(begun, _CHUNK)), [])
    return (row for chunk in chunks for row in _result_rows(batch, closed, chunk, names))


def has_votes_of_files(*, batch: Batch) -> bool:
    """Return whether the batch has votes that came from files, which are of no assignment."""
    return Vote.objects.filter(query__batch=batch, assignment=None).exists()


def _result_rows(
    batch: Batch, question: Question, assignments: list[Assignment], names: Mapping[int, str]
) -> Iterator[ResultRow]:
    choices = Choice.objects.filter(vote__assignment__in=assignments, question=question.name)
    answers: defaultdict[tuple[int | None, int], list[str]] = defaultdict(list)
    for assignment, query, option in choices.order_by("option").values_list(
        "vote__assignment_id", "vote__query_id", "option"
    ):
        answers[assignment, query].append(option)
    known = known_by_query(batch=batch)
    queries_by_hit: defaultdict[int, list[BatchQuery]] = defaultdict(list)
    places = HITQuery.objects.filter(hit__in={assignment.hit_id for assignment in assignments})
    for place in places.select_related("query").order_by("hit", "place"):
        queries_by_hit[place.hit_id].append(place.query)
    for row in assignments:
        yield ResultRow(
            about=_about(batch, row, names),
            places=[
                PlainVote(
                    query_id=split_pair_id(query.qid)[0] if query.passage else query.qid,
                    worker=names[row.worker_id],
                    label=file_codes(question, answers[row.pk, query.pk]),
                    query=query.text,
                    gold=known.get(query.qid, {}).get(question.name, ""),
                    seconds=None,
                    docno=query.docno,
                    passage=query.passage,
                )
                for query in queries_by_hit[row.hit_id]
            ],
        )


def _begun(rows: Iterator[_Row]) -> Iterator[_Row]:
    """Return the rows with their statement begun: later statements know every worker in them."""
    return chain(list(islice(rows, 1)), rows)


def _about(batch: Batch, assignment: Assignment, names: Mapping[int, str]) -> dict[str, str]:
    """Mechanical Turk's columns of an assignment, as far as they are known here."""
    return {
        "HITId": assignment.hit.hit_id or "",
        "HITTypeId": batch.hit_type_id,
        "Title": batch.title,
        "Description": batch.description,
        "Keywords": batch.keywords,
        "Reward": f"${batch.reward}",
        "MaxAssignments": str(assignment.hit.max_assignments),
        "RequesterAnnotation": assignment.hit.annotation,
        "AssignmentDurationInSeconds": str(batch.duration_seconds),
        "AutoApprovalDelayInSeconds": str(batch.auto_approval_seconds),
        "Expiration": _time(assignment.hit.expires_at),
        "LifetimeInSeconds": str(batch.lifetime_seconds),
        "AssignmentId": assignment.assignment_id,
        "WorkerId": names[assignment.worker_id],
        "AssignmentStatus": assignment.state,
        "AcceptTime": _time(assignment.accepted_at),
        "SubmitTime": _time(assignment.submitted_at),
        "WorkTimeInSeconds": "" if assignment.seconds is None else str(round(assignment.seconds)),
    }


def _time(at: datetime | None) -> str:
    """Write a time as Mechanical Turk does: Wed Jan 16 13:43:30 UTC 2019."""
    return "" if at is None else at.strftime("%a %b %d %H:%M:%S UTC %Y")
