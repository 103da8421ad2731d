"""The log: requests, failures, and every movement of money, to the cent."""

from typing import Any

from django.db import transaction
from django.db.models import Sum

from annotation.core.consent import Estimate
from annotation.core.money import lock_batch
from annotation.core.operations import Actor, AnyOperation, batch_of
from annotation.core.parameters import stored_parameters
from annotation.core.spent import batch_spent
from annotation.models import Assignment, AuditEvent, Batch, Study
from annotation.models.assignments import cents
from annotation.vocabulary import AuditAction


def log_money_event(
    *,
    batch: Batch,
    actor: str,
    action: AuditAction,
    detail: dict[str, Any] | None = None,
    only_if_changed: bool = False,
) -> None:
    """Log an event with the amounts committed and paid since all earlier events.

    So the amounts in a batch's log always add up to its committed and paid amounts: after a kill
    between spending and logging, the next event has the rest. With `only_if_changed`, nothing is
    written where nothing was spent.
    """
    with transaction.atomic():
        locked = lock_batch(batch.pk)
        noted = AuditEvent.objects.filter(batch=locked).aggregate(
            committed=Sum("committed"), paid=Sum("paid")
        )
        committed = locked.committed - cents(noted["committed"])
        paid = batch_spent(batch=locked).usd - cents(noted["paid"])
        if only_if_changed and not committed and not paid:
            return
        AuditEvent.objects.create(
            batch=locked,
            actor=actor,
            action=action,
            detail=detail or {},
            committed=committed,
            paid=paid,
        )


def log_answer_event(
    assignment: Assignment, actor: str, action: AuditAction, **detail: str
) -> None:
    """Log what was done about one answer, and its money, under the id that the answer has now.

    Its worker, and so its id, may have been erased since it was read.
    """
    assignment.refresh_from_db(fields=["assignment_id"])
    log_money_event(
        batch=assignment.hit.batch,
        actor=actor,
        action=action,
        detail={"assignment": assignment.assignment_id, **detail},
    )


def log_request(
    operation: AnyOperation,
    subject: Any,
    values: Any,
    actor: Actor,
    estimated: Estimate,
    **more: Any,
) -> None:
    """Log who requested what, with which parameters and for how much."""
    cost = {"cost": str(estimated.cost)} if estimated.cost else {}
    named = {"assignment": subject.assignment_id} if isinstance(subject, Assignment) else {}
    detail = {**stored_parameters(values), **named, **cost, **more}
    _log(subject, actor, f"{operation.name} requested", detail)


def log_failure(operation: AnyOperation, subject: Any, actor: Actor, error: str) -> None:
    """Log what was tried and failed."""
    _log(subject, actor, f"{operation.name} failed", {"why": error})


def _log(subject: Any, actor: Actor, action: str, detail: dict[str, Any]) -> None:
    """Write an entry of the log, which is about a batch or a study."""
    batch, study = batch_of(subject), subject if isinstance(subject, Study) else None
    if batch or study:
        AuditEvent.objects.create(
            batch=batch, study=study, actor=actor.name, action=action, detail=detail
        )
