"""A worker's answers to a batch, for the page of the worker."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from annotation.batches.queries.vote_answers import (
    GivenAnswer,
    answers_in,
    codes_in,
    comment_in,
)
from annotation.batches.queries.workers import WorkerRow, batch_workers
from annotation.core.versions import State, version_of
from annotation.labels.queries.gold import known_by_query
from annotation.labels.queries.quality import question_quality
from annotation.models import Assignment, Batch, Bonus, Vote, Worker
from annotation.schemes import JOINED
from annotation.vocabulary import AssignmentState
from metrics.errors import InputError
from metrics.votes.workers import WorkerQuality, without_votes

#: Most answers on the page of a worker.
_SHOWN = 200


@dataclass(frozen=True)
class GivenVote:
    """The worker's vote on a query or pair; `category` has the codes of all its `answers`.

    `gold` is the known answer, `known` the same by question. `is_right` tells whether the vote
    agrees with it; None without one.
    """

    query_number: int
    text: str
    category: str
    gold: str
    counts: bool
    comment: str = ""
    is_right: bool | None = None
    answers: Sequence[GivenAnswer] = ()
    known: Sequence[GivenAnswer] = ()
    docno: str = ""
    passage: str = ""


@dataclass(frozen=True)
class Answer:
    """One answer to one HIT. `cost` is its reward and fee in US dollars, `bonuses` without fees.

    `raw` is an unreadable answer as it came in, `has_raw` says whether any is still there.
    """

    number: int
    hit: int
    state: str
    problem: str
    submitted_at: datetime | None
    seconds: float | None
    cost: Decimal
    bonuses: Decimal
    votes: list[GivenVote]
    comment: str
    raw: str
    has_raw: bool

    @property
    def version(self) -> str:
        """Version of the decisions about it."""
        return version_of(_state_of(self.state))


@dataclass(frozen=True)
class QuestionQuality:
    """Quality of the worker's answers to one question with options."""

    question: str
    title: str
    quality: WorkerQuality


@dataclass(frozen=True)
class WorkerDetail:
    """A worker of the batch and their answers, the first handed in first.

    `questions` has the quality by question where the batch asks several.
    """

    row: WorkerRow
    questions: list[QuestionQuality]
    answers: list[Answer]
    n_answers: int


def worker_of(*, batch: Batch, number: int) -> Worker:
    """The worker of that number who worked on the batch; `InputError` if nobody did."""
    voters = Worker.objects.filter(votes__query__batch=batch, pk=number)
    worker = (
        voters.first() or Worker.objects.filter(assignments__hit__batch=batch, pk=number).first()
    )
    if worker is None:
        raise InputError("there is no such worker in the batch.")
    return worker


def answer_of(*, batch: Batch, number: int) -> Assignment:
    """The answer of that number to a HIT of the batch; `InputError` if there is none."""
    answers = Assignment.objects.select_related("worker", "hit__batch")
    answer = answers.filter(hit__batch=batch, pk=number).first()
    if answer is None:
        raise InputError("there is no such answer in the batch.")
    return answer


def worker_detail(*, batch: Batch, number: int) -> WorkerDetail:
    """One worker with all that is known; a fixed number of statements."""
    worker = worker_of(batch=batch, number=number)
    rows = batch_workers(batch=batch, only=worker)
    if not rows:
        raise InputError("none of the worker's imported votes counts.")
    handed_in = Assignment.objects.filter(hit__batch=batch, worker=worker)
    answers = list(handed_in.select_related("hit").order_by("submitted_at", "pk")[:_SHOWN])
    votes = _votes_by_answer(batch, answers)
    bonuses = _bonuses_by_answer(answers)
    return WorkerDetail(
        row=rows[0],
        questions=_questions(batch, worker),
        answers=[_answer(answer, votes[answer.pk], bonuses[answer.pk]) for answer in answers],
        n_answers=handed_in.count(),
    )


def _questions(batch: Batch, worker: Worker) -> list[QuestionQuality]:
    if len(batch.scheme.closed) == 1:
        return []
    quality_by_question = question_quality(batch=batch)
    return [
        QuestionQuality(
            question,
            batch.scheme.question(question).title,
            of.get(worker.worker_id) or without_votes(worker.worker_id),
        )
        for question, of in quality_by_question.items()
    ]


def _answer(assignment: Assignment, votes: list[GivenVote], bonuses: Decimal) -> Answer:
    return Answer(
        number=assignment.pk,
        hit=assignment.hit.index + 1,
        state=assignment.state,
        problem=assignment.problem,
        submitted_at=assignment.submitted_at,
        seconds=assignment.seconds,
        cost=assignment.hit.unit_cost,
        bonuses=bonuses,
        votes=votes,
        comment=assignment.comment,
        raw=assignment.answer_xml if assignment.problem else "",
        has_raw=bool(assignment.answer_xml),
    )


def _votes_by_answer(batch: Batch, answers: list[Assignment]) -> defaultdict[int, list[GivenVote]]:
    votes_by_answer: defaultdict[int, list[GivenVote]] = defaultdict(list)
    scheme, known = batch.scheme, known_by_query(batch=batch)
    votes = Vote.objects.filter(assignment__in=answers).order_by("query__position")
    for vote in votes.select_related("query").prefetch_related("choices"):
        vote_answers, of_gold = answers_in(vote, scheme), known.get(vote.query.qid)
        given_vote = GivenVote(
            vote.query.pk,
            vote.query.text,
            category=codes_in(vote_answers, scheme),
            answers=vote_answers,
            gold=vote.query.gold,
            known=[(scheme.question(name), codes) for name, codes in (of_gold or {}).items()],
            counts=vote.counts,
            is_right=None if of_gold is None else of_gold.items() <= _codes(vote).items(),
            comment=comment_in(vote),
            docno=vote.query.docno,
            passage=vote.query.passage,
        )
        votes_by_answer[vote.assignment_id or 0].append(given_vote)
    return votes_by_answer


def _codes(vote: Vote) -> dict[str, str]:
    """The codes by question, several joined in alphabetical order."""
    codes: dict[str, list[str]] = {}
    for choice in vote.choices.all():
        codes.setdefault(choice.question, []).append(choice.option)
    return {question: JOINED.join(sorted(chosen)) for question, chosen in codes.items()}


def _bonuses_by_answer(answers: list[Assignment]) -> defaultdict[int, Decimal]:
    totals: defaultdict[int, Decimal] = defaultdict(Decimal)
    for bonus in Bonus.objects.filter(assignment__in=answers, paid_at__isnull=False):
        totals[bonus.assignment_id] += bonus.amount
    return totals


def answer_state(answer: Assignment) -> State:
    """Return the present decision about an answer, in words."""
    return _state_of(Assignment.objects.values_list("state", flat=True).get(pk=answer.pk))


def _state_of(state: str) -> State:
    return {"Answer": AssignmentState(state).label}
