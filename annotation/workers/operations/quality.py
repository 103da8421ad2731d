"""The votes of a worker discarded and restored: nothing is deleted, labels are decided again."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.labels.operations.decide import batch_label
from annotation.models import AuditEvent, Batch, DiscardedVotes, Labelling, Worker
from annotation.vocabulary import AuditAction, LabelMethod
from metrics.errors import InputError


def votes_discard(*, batch: Batch, worker_id: str, reason: str, actor: str) -> None:
    """From now on the worker's votes in this batch do not count; decided labels follow."""
    if not reason.strip():
        raise InputError("say why the votes are discarded.", remedy="Give a --reason.")
    worker = voter_of(batch, worker_id)
    with transaction.atomic():
        try:
            with transaction.atomic():
                DiscardedVotes.objects.create(batch=batch, worker=worker, reason=reason, by=actor)
        except IntegrityError:
            raise InputError("the votes of the worker are discarded already.") from None
        _decided_again(batch, actor, AuditAction.WORKER_SET_ASIDE, worker_id, reason)


def votes_restore(*, batch: Batch, worker_id: str, reason: str, actor: str) -> None:
    """The worker's votes in this batch count again; decided labels follow."""
    worker = voter_of(batch, worker_id)
    with transaction.atomic():
        changed = (
            DiscardedVotes.objects.active()
            .filter(batch=batch, worker=worker)
            .update(restored_at=timezone.now(), restored_by=actor)
        )
        if not changed:
            raise InputError("the votes of the worker are not discarded.")
        _decided_again(batch, actor, AuditAction.WORKER_BROUGHT_BACK, worker_id, reason)


def voter_of(batch: Batch, worker_id: str) -> Worker:
    """The worker of that id who voted in the batch."""
    found = Worker.objects.filter(worker_id=worker_id, votes__query__batch=batch).first()
    if found is None:
        raise InputError(
            f"no worker {worker_id!r} voted in the batch {batch.name!r}.",
            remedy=f"`worker_quality {batch.name}` lists them.",
        )
    return found


def _decided_again(
    batch: Batch, actor: str, action: AuditAction, worker_id: str, reason: str
) -> None:
    AuditEvent.objects.create(
        batch=batch, actor=actor, action=action, detail={"worker": worker_id, "reason": reason}
    )
    decide_again(batch=batch, actor=actor)


def decide_again(*, batch: Batch, actor: str) -> None:
    """Decide the labels of a batch once more, by its method; nothing where none were decided."""
    labelling = Labelling.objects.filter(batch=batch).first()
    if labelling is not None and labelling.method != LabelMethod.RELEASED:
        batch_label(
            batch=batch,
            method=labelling.method,
            strict=labelling.strict,
            seed=labelling.seed,
            actor=actor,
        )
