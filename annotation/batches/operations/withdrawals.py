"""Withdrawals of annotators at our own crowd service."""

from collections.abc import Iterable

from django.db import transaction

from annotation.batches.operations.collected_answers import count_votes_again
from annotation.crowd.connection import people_at_local_crowd
from annotation.crowd.errors import CrowdStopError
from annotation.labels.operations.decide_again import decide_again
from annotation.models import Assignment, AuditEvent, Batch
from annotation.vocabulary import AssignmentState, AuditAction, Environment

#: Actor in the log.
ACTOR = "annotator"


def delete_withdrawn_answers(*, environment: str) -> list[str]:
    """Delete the answers that their workers withdrew, and decide labels without them.

    Their places are free again. Returns the ids of the workers who had themselves erased. Doing it
    twice changes nothing.
    """
    if environment != Environment.LOCAL:
        return []
    try:
        withdrawals = list(people_at_local_crowd().withdrawals())
    except CrowdStopError as error:
        if error.code not in {"404", "UnknownOperationException"}:
            raise
        return []  # another service, without withdrawals
    withdrawn = {(worker, answer) for worker, answer in withdrawals if answer}
    for batch, answers in _by_batch(withdrawn).items():
        _delete(batch, answers)
    return [worker for worker, answer in withdrawals if not answer]


def _by_batch(withdrawn: set[tuple[str, str]]) -> dict[Batch, list[Assignment]]:
    """Group by batch the collected answers without a review or a bonus."""
    here = Assignment.objects.filter(
        hit__batch__environment=Environment.LOCAL, state=AssignmentState.SUBMITTED, bonuses=None
    ).select_related("hit__batch", "worker")
    by_batch: dict[Batch, list[Assignment]] = {}
    for answer in here.filter(assignment_id__in={answer for _, answer in withdrawn}):
        if (answer.worker.worker_id, answer.assignment_id) in withdrawn:
            by_batch.setdefault(answer.hit.batch, []).append(answer)
    return by_batch


def _delete(batch: Batch, answers: Iterable[Assignment]) -> None:
    keys = [answer.pk for answer in answers]
    with transaction.atomic():
        n_deleted = Assignment.objects.filter(pk__in=keys).delete()[1].get("annotation.Assignment")
        if not n_deleted:  # another process has done it
            return
        # The worker's second vote on the same query counts now.
        others = Assignment.objects.filter(
            hit__batch=batch, worker__in={answer.worker_id for answer in answers}
        )
        for other in others.exclude(state=AssignmentState.REJECTED):
            count_votes_again(other.pk)
        AuditEvent.objects.create(
            batch=batch,
            actor=ACTOR,
            action=AuditAction.ANSWERS_WITHDRAWN,
            detail={
                "answers": n_deleted,
                "labels_changed": decide_again(batch=batch, actor=ACTOR).n_changed,
            },
        )
