"""Excluding a worker from the further HITs of a batch, and readmitting them.

The decision is stored first, with its reason; the crowd is told afterwards, by a qualification that
marks the worker and HITs that ask for workers without it. What the worker has answered stays: it is
paid, and counts until somebody discards the votes.
"""

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.batches.operations.exclusion_qualification import ensure_exclusion_qualification
from annotation.batches.operations.extend import hits_lacking_answers
from annotation.batches.operations.preflight import terms_of
from annotation.core.counting import counted
from annotation.core.erased import check_is_known
from annotation.core.operations import Advance, Operation, Result, Run, no_progress
from annotation.core.parameters import NoParameters
from annotation.core.perform import queue_job
from annotation.crowd.connection import batch_gateway
from annotation.crowd.errors import CrowdRefusedError
from annotation.crowd.gateway import Gateway
from annotation.models import AuditEvent, Batch, ExcludedWorker, Worker
from annotation.vocabulary import AuditAction, Environment, TaskKind
from annotation.workers.operations.about_worker import WorkerOperation
from metrics.errors import InputError


class Exclude(WorkerOperation):
    """The worker gets no further HIT of this batch, as soon as the crowd knows."""

    name = "exclude"
    command = "worker exclude"
    example = {"reason": "Wrong on 9 of 10 gold questions."}
    title = "Exclude"
    done = "The worker gets no further HIT of this batch, as soon as the crowd knows."

    def decide(self, batch: Batch, worker: Worker, reason: str, actor: str) -> None:
        worker_exclude(batch=batch, worker=worker, reason=reason, actor=actor)
        queue_job(kind=TaskKind.EXCLUDE, subject=batch, actor=actor)


class Readmit(WorkerOperation):
    """The worker may go on, as soon as the crowd knows."""

    name = "readmit"
    command = "worker readmit"
    example = {"reason": "The gold question was wrong."}
    title = "Readmit"
    done = "The worker may go on, as soon as the crowd knows."

    def decide(self, batch: Batch, worker: Worker, reason: str, actor: str) -> None:
        worker_readmit(batch=batch, worker=worker, reason=reason, actor=actor)
        queue_job(kind=TaskKind.EXCLUDE, subject=batch, actor=actor)


class SendExclusions(Operation[Batch, NoParameters]):
    """Tell the crowd who is excluded and who is readmitted, as far as it does not know yet."""

    name = "send exclusions"
    title = "Send exclusions"
    subject = Batch
    parameters = NoParameters
    job = TaskKind.EXCLUDE

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        n_sent = send_exclusions(batch_id=subject.pk, actor=run.actor.name, advance=run.advance)
        return Result({"told": n_sent}, f"{counted(n_sent, 'decision')} sent.")


def worker_exclude(*, batch: Batch, worker: Worker, reason: str, actor: str) -> None:
    """Decide that `worker` gets no further HIT of the batch; `send_exclusions` tells the crowd."""
    if not reason.strip():
        raise InputError("say why the worker is excluded.", remedy="Give a reason.")
    check_is_known(worker)
    if batch.environment == Environment.IMPORTED:
        raise InputError(f"the batch {batch.name!r} was imported: nobody works on it.")
    try:
        with transaction.atomic():
            ExcludedWorker.objects.create(batch=batch, worker=worker, reason=reason, by=actor)
            _note(batch, actor, AuditAction.WORKER_EXCLUDED, worker, reason)
    except IntegrityError:
        raise InputError("the worker is excluded already.") from None


def worker_readmit(*, batch: Batch, worker: Worker, reason: str, actor: str) -> None:
    """Decide that `worker` may go on; `send_exclusions` tells the crowd."""
    with transaction.atomic():
        changed = (
            ExcludedWorker.objects.active()
            .filter(batch=batch, worker=worker)
            .update(readmitted_at=timezone.now(), readmitted_by=actor, sent_at=None)
        )
        if not changed:
            raise InputError("the worker is not excluded.")
        _note(batch, actor, AuditAction.WORKER_READMITTED, worker, reason)


def send_exclusions(*, batch_id: int, actor: str, advance: Advance = no_progress) -> int:
    """Tell the crowd every decision that it does not know yet; their number.

    Marking twice is not an error, so that an interrupted run begins again. Decisions made meanwhile
    are sent as well.
    """
    batch = Batch.objects.get(pk=batch_id)
    unsent = ExcludedWorker.objects.filter(batch=batch, sent_at=None).select_related("worker")
    if not unsent.exists():
        return 0
    gateway = batch_gateway(batch)
    ensure_exclusion_qualification(batch=batch, gateway=gateway)
    n_sent = 0
    while waiting := list(unsent.order_by("pk")):
        for exclusion in waiting:
            _mark(exclusion, gateway)
            # A decision that was changed meanwhile has another `readmitted_at`, and is sent again.
            ExcludedWorker.objects.filter(
                pk=exclusion.pk, readmitted_at=exclusion.readmitted_at
            ).update(sent_at=timezone.now())
            n_sent += 1
            advance(1)
    _ask_for_the_unmarked(batch, gateway, advance)
    AuditEvent.objects.create(
        batch=batch,
        actor=actor,
        action=AuditAction.EXCLUDED_AT_THE_CROWD,
        detail={"decisions": n_sent},
    )
    return n_sent


def _mark(exclusion: ExcludedWorker, gateway: Gateway) -> None:
    type_id, worker_id = exclusion.batch.exclusion_qualification_id, exclusion.worker.worker_id
    if exclusion.readmitted_at is None:
        gateway.qualification_give(type_id, worker_id)
    else:
        gateway.take_qualification(type_id, worker_id, reason="You may go on.")


def _ask_for_the_unmarked(batch: Batch, gateway: Gateway, advance: Advance) -> None:
    """Require of HITs published without the qualification that workers lack it."""
    hit_type_id = gateway.create_hit_type(terms_of(batch))
    if hit_type_id == batch.hit_type_id:
        return
    for hit in hits_lacking_answers(batch=batch):
        try:
            gateway.change_type(str(hit.hit_id), hit_type_id)
        except CrowdRefusedError:
            continue  # Disposed of: nobody can accept it.
        advance(1)
    # Last, so that an interrupted run changes the others first.
    Batch.objects.filter(pk=batch.pk).update(hit_type_id=hit_type_id)


def _note(batch: Batch, actor: str, action: AuditAction, worker: Worker, reason: str) -> None:
    detail = {"worker": worker.worker_id, "reason": reason}
    AuditEvent.objects.create(batch=batch, actor=actor, action=action, detail=detail)


EXCLUDE = Exclude()
READMIT = Readmit()
SEND_EXCLUSIONS = SendExclusions()
