"""Deleting a worker's personal data, on request or after a time, without breaking a study.

Votes, decisions and money stay, under a made-up worker: another one in each study, with a new
number and an untraceable name. Ids, texts and times of answers, notes about the worker, and our
qualifications at the crowd are deleted.
"""

import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.core.erased import PREFIX, erased_id
from annotation.crowd.connection import batch_gateway
from annotation.models import (
    Assignment,
    AuditEvent,
    Batch,
    Bonus,
    Choice,
    ComprehensionTry,
    DiscardedVotes,
    ExcludedWorker,
    Task,
    UncountedAnswer,
    Vote,
    Worker,
)
from annotation.reports.queries.bundles import bundle_folder
from annotation.vocabulary import AssignmentState, AuditAction, WorkerKind
from metrics.errors import InputError

REMOVED = "(deleted with the worker's data)"
#: Ids of crowds are longer. A shorter one, from a file, may be an ordinary word.
_SURELY_AN_ID = 10
_UNREADABLE = "it could not be read; the answer was deleted with the worker's data"


@dataclass(frozen=True)
class Erasure:
    """Number of batches in which somebody was erased, and of rows that stay under another name."""

    batches: int
    answers: int
    votes: int


def erase_worker(*, worker: Worker, batches: QuerySet[Batch], actor: str) -> Erasure:
    """Delete the personal data of `worker` in `batches`, for good; what they did stays.

    Doing it twice is not an error: then there is nobody to erase.
    """
    mine = batches_among(worker=worker, batches=batches)
    if not mine:
        raise nobody_here()
    return erase_workers(batches_by_worker={worker: mine}, gone=[worker], actor=actor)


def erase_workers(
    *,
    batches_by_worker: Mapping[Worker, list[Batch]],
    gone: Iterable[Worker],
    actor: str,
    beside: Callable[[], object] = lambda: None,
) -> Erasure:
    """Replace the workers by made-up ones in the batches of each.

    First the crowd takes back our qualifications; if it is down, nothing has happened. Rows of
    `gone` workers without a batch are deleted; `beside` is called in the transaction.
    """
    for worker, batches in batches_by_worker.items():
        check_may_be_erased(worker=worker, batches=batches)
    for worker, batches in batches_by_worker.items():
        for batch in batches:
            _take_back(worker, batch)
    with transaction.atomic():
        done = [
            _erase(worker, batches, actor)
            for worker, batches in batches_by_worker.items()
            if batches
        ]
        for worker in gone:
            if not batches_of(worker=worker).exists():
                worker.delete()
        beside()
    return Erasure(
        sum(erasure.batches for erasure in done),
        sum(erasure.answers for erasure in done),
        sum(erasure.votes for erasure in done),
    )


def nobody_here() -> InputError:
    """Return the error for a worker without data here."""
    return InputError("there are no personal data of this worker here.")


def check_may_be_erased(*, worker: Worker, batches: list[Batch]) -> None:
    """Raise `InputError` for a worker who is not a person, or who could not be paid afterwards."""
    if worker.kind != WorkerKind.HUMAN or worker.is_erased:
        raise nobody_here()
    _check_settled(worker, batches)


def batches_among(*, worker: Worker, batches: QuerySet[Batch]) -> list[Batch]:
    """Those of `batches` that hold anything about the worker."""
    return list(batches_of(worker=worker).filter(pk__in=batches.order_by().values("pk")))


def batches_of(*, worker: Worker) -> QuerySet[Batch]:
    """The batches that hold anything about the worker, those of one study together."""
    here = Q(pk__in=Vote.objects.filter(worker=worker).values("query__batch"))
    for rows in (
        Assignment.objects.filter(worker=worker).values("hit__batch"),
        DiscardedVotes.objects.filter(worker=worker).values("batch"),
        ExcludedWorker.objects.filter(worker=worker).values("batch"),
    ):
        here |= Q(pk__in=rows)
    by_id = Q(environment=worker.environment) & (
        Q(pk__in=ComprehensionTry.objects.filter(worker_id=worker.worker_id).values("batch"))
        | Q(pk__in=UncountedAnswer.objects.filter(worker=worker.worker_id).values("batch"))
    )
    return Batch.everything.filter(here | by_id).order_by("study_id", "pk")


def _erase(worker: Worker, batches: list[Batch], actor: str) -> Erasure:
    total = [_forget_in(worker, group, actor) for group in _studies(batches)]
    for study_id in {batch.study_id for batch in batches}:
        # Its votes have the old name, and could be compared with the new ones.
        shutil.rmtree(bundle_folder(study_id=study_id), ignore_errors=True)
    return Erasure(len(batches), sum(done[0] for done in total), sum(done[1] for done in total))


def _studies(batches: Iterable[Batch]) -> list[list[Batch]]:
    """The batches of each study."""
    return [list(group) for _, group in groupby(batches, key=lambda batch: batch.study_id)]


def _check_settled(worker: Worker, batches: list[Batch]) -> None:
    """Check that nothing is owed: an erased worker can no longer be paid."""
    waiting = Assignment.objects.filter(
        worker=worker, hit__batch__in=batches, state=AssignmentState.SUBMITTED
    ).count()
    owed = Bonus.objects.filter(
        assignment__worker=worker, assignment__hit__batch__in=batches, paid_at=None
    ).count()
    if waiting or owed:
        raise InputError(
            f"{waiting} answers and {owed} bonuses of the worker wait for their pay.",
            remedy="Approve or reject the answers, pay the bonuses, collect, and ask again.",
        )


def _take_back(worker: Worker, batch: Batch) -> None:
    types = [
        type_id
        for type_id in (batch.exclusion_qualification_id, batch.comprehension_type_id)
        if type_id
    ]
    if types:
        gateway = batch_gateway(batch)
        for type_id in types:
            gateway.take_qualification(type_id, worker.worker_id, reason="Your data were deleted.")


def _forget_in(worker: Worker, batches: list[Batch], actor: str) -> tuple[int, int]:
    """Within one study: the numbers of answers and votes that stay."""
    stand_in = Worker.objects.create(
        environment=worker.environment,
        worker_id=PREFIX + secrets.token_hex(8),
        kind=worker.kind,
        verification=worker.verification,
        is_erased=True,
    )
    answers = _answers(worker, batches, stand_in)
    # A free answer, such as a comment, may name its author.
    written = Choice.objects.filter(vote__worker=worker, vote__query__batch__in=batches)
    written.filter(option="").delete()
    written.exclude(text="").update(text="")
    votes = Vote.objects.filter(worker=worker, query__batch__in=batches).update(worker=stand_in)
    DiscardedVotes.objects.filter(worker=worker, batch__in=batches).update(
        worker=stand_in, reason=REMOVED
    )
    ExcludedWorker.objects.filter(worker=worker, batch__in=batches).delete()
    ComprehensionTry.objects.filter(worker_id=worker.worker_id, batch__in=batches).delete()
    UncountedAnswer.objects.filter(worker=worker.worker_id, batch__in=batches).update(
        worker=stand_in.worker_id, answer=""
    )
    names = {**answers, worker.worker_id: stand_in.worker_id}
    _rename_in(AuditEvent.objects.filter(batch__in=batches), ("detail",), names)
    _rename_in(Task.objects.filter(batch__in=batches), ("arguments", "result", "error"), names)
    for batch in batches:
        AuditEvent.objects.create(
            batch=batch,
            actor=actor,
            action=AuditAction.PERSONAL_DATA_DELETED,
            detail={"worker": stand_in.worker_id},
        )
    return len(answers), votes


def _answers(worker: Worker, batches: list[Batch], stand_in: Worker) -> dict[str, str]:
    """The answers' ids at the crowd, replaced after everything in them has gone.

    Duration and day of an answer stay: pace and pay follow from them.
    """
    mine = Assignment.objects.filter(worker=worker, hit__batch__in=batches).order_by("pk")
    stored = list(mine.select_for_update(of=("self",), no_key=True))
    # Once more, as a bonus may have been begun since; from here on none is.
    _check_settled(worker, batches)
    names = {assignment.assignment_id: erased_id(assignment.assignment_id) for assignment in stored}
    for assignment in stored:
        assignment.worker = stand_in
        assignment.assignment_id = names[assignment.assignment_id]
        assignment.answer_xml = assignment.comment = ""
        assignment.problem = _UNREADABLE if assignment.problem else ""
        if assignment.submitted_at is not None:
            day = assignment.submitted_at.replace(hour=0, minute=0, second=0, microsecond=0)
            assignment.accepted_at = assignment.accepted_at and day - (
                assignment.submitted_at - assignment.accepted_at
            )
            assignment.submitted_at = day
    fields = [
        "worker", "assignment_id", "answer_xml", "comment", "problem", "accepted_at",
        "submitted_at",
    ]  # fmt: skip
    Assignment.objects.bulk_update(stored, fields, batch_size=200)
    for bonus in Bonus.objects.filter(assignment__in=stored):
        bonus.reason, bonus.request_token = REMOVED, secrets.token_hex(32)
        bonus.save(update_fields=["reason", "request_token"])
    return names


def _rename_in(rows: QuerySet[Any], fields: tuple[str, ...], names: Mapping[str, str]) -> None:
    """Replace ids by `names` in the log, and clear the reasons of decisions."""
    ids = sorted((re.escape(name) for name in names if len(name) >= _SURELY_AN_ID), reverse=True)
    pattern = re.compile(rf"\b(?:{'|'.join(ids) or '(?!)'})\b")
    for row in rows.iterator():
        before = {name: getattr(row, name) for name in fields}
        after = {name: _renamed(value, names, pattern) for name, value in before.items()}
        if after != before:
            type(row).objects.filter(pk=row.pk).update(**after)


def _renamed(value: Any, names: Mapping[str, str], pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(lambda match: names[match[0]], value)
    if isinstance(value, list):
        return [_renamed(element, names, pattern) for element in value]
    if not isinstance(value, dict):
        return value
    about = {key: names[value[key]] for key in ("worker", "assignment") if value.get(key) in names}
    renamed = {key: _renamed(element, names, pattern) for key, element in value.items()} | about
    if about and "reason" in renamed:
        renamed["reason"] = REMOVED
    return renamed
