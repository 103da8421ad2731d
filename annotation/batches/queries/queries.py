"""The queries of a batch as the pages browse them."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rest_framework.serializers import RegexField

from annotation import schemes
from annotation.batches.queries.vote_answers import (
    GivenAnswer,
    answers_in,
    codes_in,
    comment_in,
)
from annotation.core.parameters import not_a_choice, parameter
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.questions import (
    closed_question,
)
from annotation.labels.queries.scheme_results import scheme_results
from annotation.labels.queries.votes import (
    all_votes,
    study_queries,
    votes_on,
)
from annotation.models import Assignment, Batch, BatchQuery, Label, Labelling, Vote
from annotation.schemes import JOINED, LONGEST_NAME, Question, Scheme, known_answers
from annotation.schemes.released import CANNOT_TELL
from annotation.vocabulary import NO_LABEL, TIE, LabelMethod
from metrics.errors import InputError
from metrics.io.pair_ids import split_pair_id
from metrics.votes.coefficients import vote_patterns
from metrics.votes.deciding import Decision, State
from metrics.votes.patterns import Patterns
from metrics.votes.table import Votes
from pooling.models import ListPlace


@dataclass(frozen=True)
class QueryFilter:
    """Filters of queries; an omitted one selects everything."""

    label: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        help_text=f"The standing label has this option; {TIE} is a tie, {NO_LABEL} is not a label.",
    )
    pattern: str = parameter(
        "",
        kind=RegexField,
        regex=r"^[0-9]{1,3}(-[0-9]{1,3}){0,9}$",
        help_text="How the votes fell, as in 2-1.",
    )
    first: str = parameter(
        "",
        max_length=LONGEST_NAME,
        allow_blank=True,
        help_text="Somebody chose this option, and somebody `second`.",
    )
    second: str = parameter("", max_length=LONGEST_NAME, allow_blank=True)
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
    question: str = parameter(
        "",
        max_length=LONGEST_NAME,
        help_text="Question of the votes; left out, the only one with options that the batch asks.",
    )

    @property
    def is_empty(self) -> bool:
        return not any(getattr(self, field.name) for field in fields(self))


class QueryRow(NamedTuple):
    """One query or pair: its `counts` of votes by the option in `codes`, the label that stands.

    `decided` has the label of each question with options, `adjudicated` the names of those that an
    adjudicator decided.
    """

    number: int
    qid: str
    text: str
    counts: Sequence[int]
    n_cannot_tell: int
    label: str
    codes: Sequence[str]
    decided: Sequence[str]
    adjudicated: Collection[str]
    passage: str = ""

    @property
    def docno(self) -> str:
        """Id of the pair's passage; empty of a query."""
        return split_pair_id(self.qid)[1] if self.passage else ""

    @property
    def n_votes(self) -> int:
        """Number of people who answered, those who could not tell included."""
        return sum(self.counts) + self.n_cannot_tell

    @property
    def votes(self) -> tuple[tuple[str, int], ...]:
        """Votes by option, most first, and last how many could not tell."""
        counted = [(code, n) for code, n in zip(self.codes, self.counts, strict=True) if n]
        undecided = [(CANNOT_TELL, self.n_cannot_tell)] if self.n_cannot_tell else []
        return (*sorted(counted, key=lambda pair: -pair[1]), *undecided)


@dataclass(frozen=True)
class FoundQueries:
    """The selected rows; `patterns` are those that occur in the batch, most frequent first.

    `question` is the one whose votes the rows have, of all the `questions` with options.
    """

    rows: list[QueryRow]
    patterns: list[str]
    n_all: int
    question: Question
    questions: list[Question]


def batch_queries(*, batch: Batch, filters: QueryFilter) -> FoundQueries:
    """The study queries that `filters` asks for, in the batch's order.

    The statements do not depend on how many queries or votes there are.
    """
    known = list(study_queries(batch=batch).values_list("pk", "qid", "text", "passage"))
    questions = batch.scheme.closed
    question = closed_question(batch=batch, name=filters.question)
    _check(filters, question)
    table = votes_on(batch=batch, question=question).counted()
    counts = table.counts()
    untold = table.untold().tolist()
    decided = _decided(batch, questions)
    at = questions.index(question)
    nothing = ("",) * len(questions)
    adjudicated = _adjudicated(batch)
    keep = _votes_match(table, filters)
    rows = [
        QueryRow(
            number=pk,
            qid=qid,
            text=text,
            counts=votes,
            n_cannot_tell=n_untold,
            label=labels[at],
            codes=table.labels,
            decided=labels,
            adjudicated=adjudicated.get(pk, ()),
            passage=passage,
        )
        for (pk, qid, text, passage), votes, n_untold, kept in zip(
            known, counts.tolist(), untold, keep.tolist(), strict=True
        )
        if kept and _text_matches(qid, f"{text}\n{passage}", filters.text)
        for labels in [decided.get(pk, nothing)]
    ]
    if filters.label:
        label = "" if filters.label == NO_LABEL else filters.label
        rows = [row for row in rows if label in row.label.split(JOINED)]
    if filters.worker:
        voted = _voted_by(batch, filters.worker)
        rows = [row for row in rows if row.number in voted]
    if filters.since or filters.until:
        voted = _voted_between(batch, filters.since, filters.until)
        rows = [row for row in rows if row.number in voted]
    patterns = [name for name, _ in vote_patterns(Patterns.of(counts))]
    return FoundQueries(rows, patterns, len(known), question, questions)


def _check(filters: QueryFilter, question: Question) -> None:
    """Raise `ParametersError` for an option that the question does not have."""
    for name, more in (("label", (TIE, NO_LABEL)), ("first", ()), ("second", ())):
        value, known = getattr(filters, name), (*question.codes, *more)
        if value and value not in known:
            raise not_a_choice(name, value, known)


def _votes_match(table: Votes, filters: QueryFilter) -> npt.NDArray[np.bool_]:
    counts = table.counts()
    keep = np.ones(len(counts), dtype=bool)
    if filters.pattern:
        shape = _shape(filters.pattern, len(table.labels))
        keep &= (-np.sort(-counts, axis=1) == shape).all(axis=1)
    if filters.first and filters.second:
        chosen = [_places_with(table, vote) for vote in (filters.first, filters.second)]
        needed = 2 if filters.first == filters.second else 1
        for places in chosen:
            keep &= counts[:, places].sum(axis=1) >= needed
    return keep


def _places_with(table: Votes, code: str) -> list[int]:
    """Places of the answers that hold an option, alone or among several."""
    return [at for at, label in enumerate(table.labels) if code in label.split(JOINED)]


def _shape(pattern: str, n_labels: int) -> npt.NDArray[np.int64]:
    """The votes of "2-1" as a row of counts; a pattern that cannot occur matches nothing."""
    parts = sorted((int(part) for part in pattern.split("-")), reverse=True)
    sizes = [part for part in parts if part > 0]
    if len(sizes) > n_labels:
        return np.full(n_labels, -1, dtype=np.int64)
    return np.array(sizes + [0] * (n_labels - len(sizes)), dtype=np.int64)


def _text_matches(qid: str, text: str, part: str) -> bool:
    is_id = part == qid or part in split_pair_id(qid)
    return not part or is_id or part.casefold() in text.casefold()


def _decided(batch: Batch, questions: Sequence[Question]) -> dict[int, tuple[str, ...]]:
    """Return the decision on each question by query number; nothing for unanswered queries."""
    only = questions[0].name
    if len(questions) == 1 and Labelling.objects.filter(batch=batch, question=only).exists():
        # Stored labels: no vote is read.
        standing = Label.objects.standing_for(batch, only).order_by()
        return {pk: (value,) for pk, value in standing.values_list("query_id", "value")}
    return {
        query.number: tuple(
            _value(question, query.decisions[question.name]) for question in questions
        )
        for query in scheme_results(batch=batch).queries
    }


def _adjudicated(batch: Batch) -> dict[int, list[str]]:
    """Names of the questions that an adjudicator decided, by query number."""
    stored = Label.objects.filter(query__batch=batch, method=LabelMethod.ADJUDICATED).order_by()
    names: dict[int, list[str]] = {}
    for number, question in stored.values_list("query_id", "question"):
        names.setdefault(number, []).append(question)
    return names


def _value(question: Question, decision: Decision) -> str:
    if decision.codes:
        return JOINED.join(question.in_order(decision.codes))
    return TIE if decision.state == State.TIE else ""


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
    """A vote with its worker under a pseudonym; `seconds` is the time for the query, if known.

    `category` has the codes of all its `answers`.
    """

    worker: str
    worker_number: int
    kind: str
    kind_name: str
    category: str
    counts: bool
    seconds: float | None
    comment: str = ""
    answers: tuple[GivenAnswer, ...] = ()


@dataclass(frozen=True)
class QueryDetail:
    """All that is known about one query of a batch that asks `questions`, those with options.

    `tally` counts the votes that count by the codes of all their answers; `gold` are the known
    answers of a gold question.
    """

    query: BatchQuery
    votes: list[ShownVote]
    labels: list[Label]
    places: list[ListPlace]
    tally: tuple[tuple[str, int], ...]
    questions: list[Question]
    gold: list[GivenAnswer]

    @property
    def labels_asked(self) -> list[tuple[Label, Question]]:
        """Each label with its question."""
        by_name = {question.name: question for question in self.questions}
        return [(label, by_name[label.question]) for label in self.labels]


def query_detail(*, batch: Batch, number: int) -> QueryDetail:
    """One query of the batch, by its number; `InputError` if the batch has none such."""
    query = BatchQuery.objects.filter(batch=batch, pk=number).first()
    if query is None:
        noun = batch.scheme.item_noun
        raise InputError(f"the batch {batch.name!r} has no {noun} number {number}.")
    names = worker_names(batch=batch)
    times = {
        time.answer: time.per_query
        for time in Assignment.objects.filter(hit__places__query=query).work_times()
    }
    scheme = batch.scheme
    votes = [_shown(vote, scheme, names, times) for vote in _answers_to(query)]
    tally = Counter(vote.category for vote in votes if vote.counts)
    return QueryDetail(
        query=query,
        votes=votes,
        labels=list(query.labels.order_by("question", "method")),
        places=_places(batch, query.qid),
        tally=tuple(tally.most_common()),
        questions=batch.scheme.closed,
        gold=[
            (scheme.question(name), JOINED.join(scheme.question(name).in_order(codes)))
            for name, codes in (known_answers(scheme, query.gold) if query.gold else {}).items()
        ],
    )


def _answers_to(query: BatchQuery) -> list[Vote]:
    """The votes on the query, those that could not tell last."""
    votes = Vote.objects.filter(query=query).select_related("worker").prefetch_related("choices")
    return sorted(votes.order_by("id"), key=_is_undecided)


def _is_undecided(vote: Vote) -> bool:
    options = [choice.option for choice in vote.choices.all() if choice.option]
    return bool(options) and set(options) == {schemes.CANNOT_TELL}


def _shown(vote: Vote, scheme: Scheme, names: dict[int, str], times: dict[int, float]) -> ShownVote:
    answers = answers_in(vote, scheme)
    return ShownVote(
        worker=names[vote.worker_id],
        worker_number=vote.worker_id,
        kind=vote.worker.kind,
        kind_name=vote.worker.get_kind_display(),
        category=codes_in(answers, scheme),
        answers=answers,
        counts=vote.counts,
        seconds=times.get(vote.assignment_id or 0, vote.seconds),
        comment=comment_in(vote),
    )


def _places(batch: Batch, qid: str) -> list[ListPlace]:
    """Return the query's ranks in the lists of the batch's pool, best first."""
    places = ListPlace.objects.filter(query__pool=batch.pool_id, query__qid=qid)
    return list(places.order_by("rank", "run", "direction")) if batch.pool_id else []
