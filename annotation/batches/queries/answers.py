"""The answers that a worker handed in to a batch, as the page of the worker shows them."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from annotation.batches.queries.workers import WorkerRow, batch_workers
from annotation.core.versions import State, version_of
from annotation.models import Abstention, Assignment, Batch, Bonus, SchemeVote, Vote, Worker
from annotation.task_page import CANNOT_TELL
from annotation.vocabulary import AssignmentState
from metrics.errors import InputError

#: Answers on the page of a worker; nobody looks through more of them by eye.
_SHOWN = 200


@dataclass(frozen=True)
class GivenVote:
    """The worker's answer to a query, maybe "I cannot tell"; `gold` is its known category.

    An answer to a scheme has no category: `words` says it, question by question.
    """

    query_number: int
    text: str
    category: str
    gold: str
    counts: bool
    comment: str = ""
    words: str = ""


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
class WorkerDetail:
    """A worker of the batch and their answers, the first handed in first."""

    row: WorkerRow
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
    votes = _votes_by_answer(answers)
    bonuses = _bonuses_by_answer(answers)
    return WorkerDetail(
        row=rows[0],
        answers=[_answer(one, votes[one.pk], bonuses[one.pk]) for one in answers],
        n_answers=handed_in.count(),
    )


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


def _votes_by_answer(answers: list[Assignment]) -> defaultdict[int, list[GivenVote]]:
    found: defaultdict[int, list[GivenVote]] = defaultdict(list)
    votes = Vote.objects.filter(assignment__in=answers).order_by("query__position")
    columns = ("assignment_id", "query_id", "query__text", "category", "query__gold", "counts")
    for answer, *vote in votes.values_list(*columns):
        found[answer or 0].append(GivenVote(*vote))
    abstentions = Abstention.objects.filter(assignment__in=answers).select_related("query")
    for one in abstentions.order_by("query__position"):
        found[one.assignment_id or 0].append(
            GivenVote(
                one.query_id, one.query.text, CANNOT_TELL, one.query.gold, one.counts, one.comment
            )
        )
    for (answer, query, text), words in _scheme_answers(answers).items():
        said = "; ".join(f"{question}: {', '.join(codes)}" for question, codes in words.items())
        found[answer].append(GivenVote(query, text, "", "", counts=True, words=said))
    return found


def _scheme_answers(
    answers: list[Assignment],
) -> dict[tuple[int, int, str], dict[str, list[str]]]:
    """Codes and texts by question, of each answer and query."""
    found: dict[tuple[int, int, str], dict[str, list[str]]] = {}
    rows = SchemeVote.objects.filter(assignment__in=answers).order_by("query__position", "pk")
    for answer, query, text, question, option, free in rows.values_list(
        "assignment_id", "query_id", "query__text", "question", "option", "text"
    ):
        words = found.setdefault((answer, query, text), {})
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
