"""Writing down what was done together with what it did to the money, to the cent."""

from typing import Any

from django.db import transaction
from django.db.models import Sum

from annotation.core.spent import batch_spent
from annotation.models import AuditEvent, Batch
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
    """An event that carries what is committed and paid beyond the amounts of all earlier events.

    So the amounts of a batch's log always add up to what it has committed and paid, also after a
    program was killed between spending and writing it down: the next event has the rest. With
    `only_if_changed`, nothing is written where nothing was spent.
    """
    with transaction.atomic():
        locked = Batch.objects.select_for_update().get(pk=batch.pk)
        noted = AuditEvent.objects.filter(batch=locked).aggregate(
            committed=Sum("committed"), paid=Sum("paid")
        )
        committed = locked.committed - cents(noted["committed"])
        paid = batch_spent(batch=locked) - cents(noted["paid"])
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
