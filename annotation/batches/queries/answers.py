"""The answers that a worker handed in to a batch, as the page of the worker shows them."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from annotation.agreement.workers import WorkerQuality, without_votes
from annotation.batches.queries.codebooks import batch_scheme
from annotation.batches.queries.workers import WorkerRow, batch_workers
from annotation.core.versions import State, version_of
from annotation.labels.queries.gold import known_by_query
from annotation.labels.queries.quality import question_quality
from annotation.models import Abstention, Assignment, Batch, Bonus, SchemeVote, Vote, Worker
from annotation.schemes import JOINED
from annotation.task_page import CANNOT_TELL
from annotation.vocabulary import AssignmentState
from metrics.errors import InputError

#: Answers on the page of a worker; nobody looks through more of them by eye.
_SHOWN = 200


@dataclass(frozen=True)
class GivenVote:
    """The worker's answer to a query, maybe "I cannot tell"; `gold` is what is known about it.

    An answer to a scheme has no category: `words` says it, question by question. `is_right` tells
    whether they answered what is known, and is None where nothing is.
    """

    query_number: int
    text: str
    category: str
    gold: str
    counts: bool
    comment: str = ""
    words: str = ""
    is_right: bool | None = None


@dataclass(frozen=True)
class Answer:
    """One answer to one HIT. `cost` is its reward and fee in US dollars, `bonuses` without fees."""

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

    @property
    def version(self) -> str:
        """Of what was decided about it."""
        return version_of(_state_of(self.state))


@dataclass(frozen=True)
class QuestionQuality:
    """Quality of the worker's answers to one closed question of a scheme."""

    question: str
    quality: WorkerQuality


@dataclass(frozen=True)
class WorkerDetail:
    """A worker of the batch and their answers, the first handed in first.

    `questions` tells each question of a scheme; none where the categories were asked for.
    """

    row: WorkerRow
    questions: list[QuestionQuality]
    answers: list[Answer]
    n_answers: int


def worker_of(*, batch: Batch, number: int) -> Worker:
    """The worker of that number who worked on the batch; `InputError` if nobody did."""
    voters = Worker.objects.filter(votes__query__batch=batch, pk=number)
    found = (
        voters.first() or Worker.objects.filter(assignments__hit__batch=batch, pk=number).first()
    )
    if found is None:
        raise InputError("there is no such worker in the batch.")
    return found


def answer_of(*, batch: Batch, number: int) -> Assignment:
    """The answer of that number to a HIT of the batch; `InputError` if there is none."""
    answers = Assignment.objects.select_related("worker", "hit__batch")
    found = answers.filter(hit__batch=batch, pk=number).first()
    if found is None:
        raise InputError("there is no such answer in the batch.")
    return found


def worker_detail(*, batch: Batch, number: int) -> WorkerDetail:
    """One worker with all that is known; a fixed number of statements."""
    worker = worker_of(batch=batch, number=number)
    rows = batch_workers(batch=batch, only=worker)
    if not rows:
        raise InputError("of the worker's imported votes none counts.")
    handed_in = Assignment.objects.filter(hit__batch=batch, worker=worker)
    answers = list(handed_in.select_related("hit").order_by("submitted_at", "pk")[:_SHOWN])
    votes = _votes_by_answer(batch, answers)
    bonuses = _bonuses_by_answer(answers)
    return WorkerDetail(
        row=rows[0],
        questions=_questions(batch, worker),
        answers=[_answer(one, votes[one.pk], bonuses[one.pk]) for one in answers],
        n_answers=handed_in.count(),
    )


def _questions(batch: Batch, worker: Worker) -> list[QuestionQuality]:
    scheme = batch_scheme(batch)
    found = question_quality(batch=batch, scheme=scheme) if scheme else {}
    return [
        QuestionQuality(question, of.get(worker.worker_id) or without_votes(worker.worker_id))
        for question, of in found.items()
    ]


def _answer(one: Assignment, votes: list[GivenVote], bonuses: Decimal) -> Answer:
    return Answer(
        number=one.pk,
        hit=one.hit.index + 1,
        state=one.state,
        problem=one.problem,
        submitted_at=one.submitted_at,
        seconds=one.seconds,
        cost=one.hit.unit_cost,
        bonuses=bonuses,
        votes=votes,
        comment=one.comment,
    )


def _votes_by_answer(batch: Batch, answers: list[Assignment]) -> defaultdict[int, list[GivenVote]]:
    found: defaultdict[int, list[GivenVote]] = defaultdict(list)
    votes = Vote.objects.filter(assignment__in=answers).order_by("query__position")
    columns = ("assignment_id", "query_id", "query__text", "category", "query__gold", "counts")
    for answer, query, text, category, gold, counts in votes.values_list(*columns):
        is_right = category == gold if gold else None
        found[answer or 0].append(GivenVote(query, text, category, gold, counts, is_right=is_right))
    abstentions = Abstention.objects.filter(assignment__in=answers).select_related("query")
    for one in abstentions.order_by("query__position"):
        found[one.assignment_id or 0].append(
            GivenVote(
                *(one.query_id, one.query.text, CANNOT_TELL, one.query.gold, one.counts),
                comment=one.comment,
                is_right=False if one.query.gold else None,
            )
        )
    known = known_by_query(batch=batch) if batch.has_scheme else {}
    for (answer, query, qid, text, gold), words in _scheme_answers(answers).items():
        said = "; ".join(f"{question}: {', '.join(codes)}" for question, codes in words.items())
        is_right = None
        if gold:
            given = {question: JOINED.join(sorted(codes)) for question, codes in words.items()}
            is_right = known[qid].items() <= given.items()
        found[answer].append(
            GivenVote(query, text, "", gold, counts=True, words=said, is_right=is_right)
        )
    return found


def _scheme_answers(
    answers: list[Assignment],
) -> dict[tuple[int, int, str, str, str], dict[str, list[str]]]:
    """Codes and texts by question, of each answer and query with its id, text and known answer."""
    found: dict[tuple[int, int, str, str, str], dict[str, list[str]]] = {}
    rows = SchemeVote.objects.filter(assignment__in=answers).order_by("query__position", "pk")
    for answer, query, qid, text, gold, question, option, free in rows.values_list(
        *("assignment_id", "query_id", "query__qid", "query__text", "query__gold"),
        *("question", "option", "text"),
    ):
        words = found.setdefault((answer, query, qid, text, gold), {})
        words.setdefault(question, []).append(option or free)
    return found


def _bonuses_by_answer(answers: list[Assignment]) -> defaultdict[int, Decimal]:
    found: defaultdict[int, Decimal] = defaultdict(Decimal)
    for bonus in Bonus.objects.filter(assignment__in=answers, paid_at__isnull=False):
        found[bonus.assignment_id] += bonus.amount
    return found


def answer_state(answer: Assignment) -> State:
    """Decision about an answer until now, in words."""
    return _state_of(Assignment.objects.values_list("state", flat=True).get(pk=answer.pk))


def _state_of(state: str) -> State:
    return {"Answer": AssignmentState(state).label}
