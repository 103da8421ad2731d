"""Discarding a worker's votes, and restoring them: nothing is deleted, labels are decided again."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.labels.operations.decide_again import LabelChanges, decide_again
from annotation.models import AuditEvent, Batch, DiscardedVotes, Worker
from annotation.vocabulary import AuditAction
from annotation.workers.operations.about_worker import WorkerOperation
from metrics.errors import InputError


class DiscardVotes(WorkerOperation):
    """The worker's votes do not count any more; decided labels are decided again."""

    name = "discard votes"
    command = "worker discard-votes"
    example = {"reason": "Wrong on 9 of 10 gold questions."}
    title = "Discard votes"
    done = "The worker's votes no longer count."

    def decide(self, batch: Batch, worker: Worker, reason: str, actor: str) -> LabelChanges:
        return votes_discard(batch=batch, worker_id=worker.worker_id, reason=reason, actor=actor)


class RestoreVotes(WorkerOperation):
    """The worker's votes count again; decided labels are decided again."""

    name = "restore votes"
    command = "worker restore-votes"
    example = {"reason": "The gold question was wrong."}
    title = "Restore votes"
    done = "The worker's votes count again."

    def decide(self, batch: Batch, worker: Worker, reason: str, actor: str) -> LabelChanges:
        return votes_restore(batch=batch, worker_id=worker.worker_id, reason=reason, actor=actor)


def votes_discard(*, batch: Batch, worker_id: str, reason: str, actor: str) -> LabelChanges:
    """Stop counting the worker's votes in this batch; decided labels follow."""
    if not reason.strip():
        raise InputError("say why the votes are discarded.", remedy="Give a --reason.")
    worker = voter_of(batch, worker_id)
    with transaction.atomic():
        try:
            with transaction.atomic():
                DiscardedVotes.objects.create(batch=batch, worker=worker, reason=reason, by=actor)
        except IntegrityError:
            raise InputError("the votes of the worker are discarded already.") from None
        return _decide_again(batch, actor, AuditAction.VOTES_DISCARDED, worker_id, reason)


def votes_restore(*, batch: Batch, worker_id: str, reason: str, actor: str) -> LabelChanges:
    """Count the worker's votes in this batch again; decided labels follow."""
    worker = voter_of(batch, worker_id)
    with transaction.atomic():
        changed = (
            DiscardedVotes.objects.active()
            .filter(batch=batch, worker=worker)
            .update(restored_at=timezone.now(), restored_by=actor)
        )
        if not changed:
            raise InputError("the votes of the worker are not discarded.")
        return _decide_again(batch, actor, AuditAction.VOTES_RESTORED, worker_id, reason)


def voter_of(batch: Batch, worker_id: str) -> Worker:
    """The worker of that id who voted in the batch."""
    worker = Worker.objects.filter(votes__query__batch=batch, worker_id=worker_id).first()
    if worker is None:
        raise InputError(
            f"no worker {worker_id!r} voted in the batch {batch.name!r}.",
            remedy=f"`worker quality {batch.name}` lists them.",
        )
    return worker


def _decide_again(
    batch: Batch, actor: str, action: AuditAction, worker_id: str, reason: str
) -> LabelChanges:
    event = AuditEvent.objects.create(
        batch=batch, actor=actor, action=action, detail={"worker": worker_id, "reason": reason}
    )
    changes = decide_again(batch=batch, actor=actor)
    event.detail["labels_changed"] = changes.n_changed
    event.save(update_fields=["detail"])
    return changes


DISCARD_VOTES = DiscardVotes()
RESTORE_VOTES = RestoreVotes()
