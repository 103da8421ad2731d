"""Answers as the crowd lists them, stored as assignments, votes and workers.

The first collected vote of a worker on a query counts; rejected answers cast no vote that counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from django.db import transaction
from django.db.models import Exists, OuterRef

from annotation.core.erased import erased_id
from annotation.crowd.answers import UnreadableAnswerError, read_fields, storable
from annotation.crowd.gateway import CrowdAssignment
from annotation.models import HIT, Assignment, Choice, Vote, Worker
from annotation.models.assignments import PANEL_PREFIX
from annotation.schemes import CANNOT_TELL, Scheme
from annotation.task_page import Answer, AnswerError, read_answer
from annotation.vocabulary import (
    AssignmentState,
    Environment,
    Verification,
    WorkerKind,
)

#: The crowd service gives ids with this start to workers that `batch simulate` plays.
SIMULATED_PREFIX = "ASIM"


@dataclass
class StoredAnswers:
    """Number of new answers, and of the votes in them."""

    new: int = 0
    votes: int = 0
    cannot_tell: int = 0
    quarantined: int = 0


def store_answers(hit: HIT, assignments: Sequence[CrowdAssignment], report: StoredAnswers) -> bool:
    """Keep the new answers of one HIT, new states of known ones, and what completes others.

    Returns whether other votes may count than before.
    """
    completed = _completed(hit, assignments)
    if completed:
        read_stored(hit, completed, {}, report)
    return _store_listed(hit, assignments, report) or bool(completed)


def _store_listed(hit: HIT, assignments: Sequence[CrowdAssignment], report: StoredAnswers) -> bool:
    """Keep the new answers of one HIT and the new states of known ones.

    Returns whether other votes may count than before.

    The number of statements does not depend on the number of answers, and rows that another
    collector stores at the same time are left as they are.
    """
    known: dict[tuple[str, str], tuple[int, str]] = {}
    erased: set[str] = set()
    for assignment_id, worker_id, is_erased, pk, state in hit.assignments.order_by().values_list(
        "assignment_id", "worker__worker_id", "worker__is_erased", "pk", "state"
    ):
        known[assignment_id, worker_id] = (pk, state)
        if is_erased:
            erased.add(assignment_id)
    # The crowd still lists the answers of erased people: they stay deleted.
    assignments = [
        assignment
        for assignment in assignments
        if erased_id(assignment.assignment_id) not in erased
    ]
    new = sorted(
        (
            assignment
            for assignment in assignments
            if (assignment.assignment_id, storable(assignment.worker_id)) not in known
        ),
        key=lambda assignment: (
            assignment.submitted_at is None,
            assignment.submitted_at,
            assignment.assignment_id,
        ),
    )
    moved: dict[str, list[int]] = {}
    for assignment in assignments:
        pk, state = known.get(
            (assignment.assignment_id, storable(assignment.worker_id)), (0, assignment.status)
        )
        if state != assignment.status:
            moved.setdefault(assignment.status, []).append(pk)
    if not new and not moved:
        return False
    votes_changed = bool(new)
    with transaction.atomic():
        for state, keys in moved.items():
            # Somebody did so at the crowd itself, without our operations.
            before = Assignment.objects.filter(pk__in=keys, state=AssignmentState.REJECTED)
            restored = list(before.values_list("pk", flat=True))
            Assignment.objects.filter(pk__in=keys).update(state=state)
            if state == AssignmentState.REJECTED:
                Vote.objects.filter(assignment__in=keys).update(counts=False)
                votes_changed = True
            else:
                votes_changed |= bool(restored)
                for answer in restored:
                    count_votes_again(answer)
        if new:
            _store_new(hit, new, report)
    return votes_changed


def _completed(hit: HIT, assignments: Sequence[CrowdAssignment]) -> list[Assignment]:
    """Unreadable answers that say more by now, as where parts of an answer come one by one."""
    if not hit.batch.uses_task_builder:
        return []
    answers = {assignment.assignment_id: assignment.answer for assignment in assignments}
    waiting = hit.assignments.exclude(problem="").filter(assignment_id__in=answers)
    changed = []
    for known in waiting.select_related("worker"):
        if known.answer_xml != (now := storable(answers[known.assignment_id])):
            known.answer_xml = now
            changed.append(known)
    Assignment.objects.bulk_update(changed, ["answer_xml"], batch_size=200)
    return changed


def count_votes_again(answer: int) -> None:
    """Let the votes of an answer count that was rejected.

    A vote does not count where the worker has another one on that query that does.
    """
    other = Vote.objects.filter(worker=OuterRef("worker"), query=OuterRef("query"), counts=True)
    Vote.objects.filter(~Exists(other), assignment=answer).update(counts=True)


def _store_new(hit: HIT, new: Sequence[CrowdAssignment], report: StoredAnswers) -> None:
    environment = hit.batch.environment
    workers = _ensure_workers(environment, {storable(assignment.worker_id) for assignment in new})
    query_ids = [place.query_id for place in hit.places.all()]
    needs_consent = bool(hit.batch.consent.strip())
    scheme = hit.batch.scheme
    read = [
        _read(assignment.answer, len(query_ids), scheme, needs_consent=needs_consent)
        for assignment in new
    ]
    Assignment.objects.bulk_create(
        (
            Assignment(
                hit=hit,
                worker_id=workers[storable(assignment.worker_id)],
                assignment_id=assignment.assignment_id,
                state=assignment.status,
                accepted_at=assignment.accepted_at,
                submitted_at=assignment.submitted_at,
                answer_xml=storable(assignment.answer),
                problem=storable(problem),
                comment=storable(answer.comment),
            )
            for assignment, (answer, problem) in zip(new, read, strict=True)
        ),
        ignore_conflicts=True,
    )
    stored = {
        (assignment_id, worker_id): pk
        for assignment_id, worker_id, pk in hit.assignments.order_by().values_list(
            "assignment_id", "worker_id", "pk"
        )
    }
    report.new += len(new)
    report.quarantined += sum(1 for _answer, problem in read if problem)
    answers = []
    for assignment, (answer, _problem) in zip(new, read, strict=True):
        worker = workers[storable(assignment.worker_id)]
        known = stored[assignment.assignment_id, worker]
        answers.append((Assignment(pk=known, worker_id=worker, state=assignment.status), answer))
    _store_votes(query_ids, answers, report)


def read_stored(
    hit: HIT, assignments: Sequence[Assignment], meanings: Mapping[str, str], report: StoredAnswers
) -> None:
    """Read unreadable answers of one HIT again, as they came in, and store the votes in them.

    `meanings` are the codes that words mean which are not an option. The report counts those read
    now as new, and the others as quarantined.
    """
    query_ids = [place.query_id for place in hit.places.all()]
    needs_consent, answers = bool(hit.batch.consent.strip()), []
    for assignment in assignments:
        answer, problem = _read(
            assignment.answer_xml,
            len(query_ids),
            hit.batch.scheme,
            needs_consent=needs_consent,
            meanings=meanings,
        )
        assignment.problem, assignment.comment = storable(problem), storable(answer.comment)
        answers += [] if problem else [(assignment, answer)]
    Assignment.objects.bulk_update(assignments, ["problem", "comment"], batch_size=200)
    report.new += len(answers)
    report.quarantined += len(assignments) - len(answers)
    _store_votes(query_ids, answers, report)


def _store_votes(
    query_ids: Sequence[int],
    answers: Sequence[tuple[Assignment, Answer]],
    report: StoredAnswers,
) -> None:
    """Store what was read of the answers to a HIT of these queries; rejected votes do not count."""
    votes = [
        (
            Vote(
                query_id=query_id,
                worker_id=assignment.worker_id,
                assignment_id=assignment.pk,
                counts=assignment.state != AssignmentState.REJECTED,
            ),
            choices,
        )
        for assignment, answer in answers
        for query_id, choices in zip(query_ids, _choices(answer), strict=False)
        if choices
    ]
    _record_votes(votes)
    n_answered = sum(
        any(choice.option != CANNOT_TELL for choice in choices) for _vote, choices in votes
    )
    report.votes += n_answered
    report.cannot_tell += len(votes) - n_answered


def _choices(answer: Answer) -> list[list[Choice]]:
    """Return the choices about the query at each place; an unanswered question has none."""
    return [
        [
            Choice(question=name, option=option, text=storable(texts.get(name, "")))
            for name in {**codes, **texts}
            for option in sorted(codes.get(name, [""]))
        ]
        for codes, texts in zip(answer.codes, answer.texts, strict=True)
    ]


def _record_votes(votes: Sequence[tuple[Vote, Sequence[Choice]]]) -> None:
    """Store the votes; a later vote of a worker on a query does not count.

    The constraint decides, so that exactly one vote of two simultaneous collectors counts. A vote
    stored by the first statement is left alone by the second: query and assignment are unique. Both
    collectors have the same choices of it.
    """
    Vote.objects.bulk_create((vote for vote, _ in votes if vote.counts), ignore_conflicts=True)
    for vote, _ in votes:
        vote.counts = False
    Vote.objects.bulk_create((vote for vote, _ in votes), ignore_conflicts=True)
    stored = Vote.objects.filter(assignment__in={vote.assignment_id for vote, _ in votes})
    keys: dict[tuple[int, int | None], int] = {
        (query, assignment): pk
        for query, assignment, pk in stored.order_by().values_list(
            "query_id", "assignment_id", "pk"
        )
    }
    for vote, choices in votes:
        for choice in choices:
            choice.vote_id = keys[vote.query_id, vote.assignment_id]
    Choice.objects.bulk_create(
        (choice for _, choices in votes for choice in choices), ignore_conflicts=True
    )


def _ensure_workers(environment: str, worker_ids: set[str]) -> dict[str, int]:
    """Return the workers' keys by id. The kind of a worker is set when first met."""
    ordered = sorted(worker_ids)
    Worker.objects.bulk_create(
        (
            Worker(
                environment=environment,
                worker_id=worker_id,
                kind=_kind(environment, worker_id),
                verification=_verification(environment, worker_id),
            )
            for worker_id in ordered
        ),
        ignore_conflicts=True,
    )
    met = Worker.objects.filter(environment=environment, worker_id__in=ordered)
    return dict(met.values_list("worker_id", "pk"))


def _kind(environment: str, worker_id: str) -> WorkerKind:
    # Only our own service issues such ids on purpose; at Amazon it would be chance.
    if environment == Environment.LOCAL and worker_id.startswith(SIMULATED_PREFIX):
        return WorkerKind.SIMULATED
    return WorkerKind.HUMAN


def _verification(environment: str, worker_id: str) -> Verification:
    """Return a worker's verification: panel participants begin without one."""
    if environment == Environment.LOCAL and worker_id.startswith(PANEL_PREFIX):
        return Verification.WAITING
    return Verification.VERIFIED


def _read(
    answer: str,
    n_places: int,
    scheme: Scheme,
    *,
    needs_consent: bool,
    meanings: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Answer, str]:
    """The answer, or an empty one and the problem with it."""
    try:
        fields = read_fields(answer)
        read = read_answer(scheme, fields, n_places, needs_consent=needs_consent, meanings=meanings)
    except (UnreadableAnswerError, AnswerError) as error:
        return Answer([], []), str(error)
    return read, ""
