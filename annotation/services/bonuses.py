"""Money on top of the reward, paid once however often it is asked for."""

import hashlib
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, Batch, Bonus
from annotation.mturk.gateway import Gateway
from annotation.mturk.pricing import fee
from annotation.services.crowd import gateway_of_batch
from annotation.services.money import money_commit
from annotation.services.publisher import TOKEN_MEMORY
from metrics.errors import InputError

_LONGEST_REASON = 500


def bonus_pay(*, assignment: Assignment, amount: Decimal, reason: str, actor: str) -> bool:
    """Pay `amount` US dollars on top for an answer; False if exactly this was paid before.

    Amount and reason tell one bonus from another: asking twice for the same pays once.
    """
    if amount <= 0 or not reason.strip() or len(reason) > _LONGEST_REASON:
        raise InputError(
            "a bonus needs an amount above zero and a reason of at most 500 characters.",
            remedy="The worker reads the reason.",
        )
    batch = assignment.hit.batch
    gateway = gateway_of_batch(batch)
    bonus = _intend(assignment, amount, reason)
    if bonus.paid_at is not None:
        return False
    if timezone.now() - bonus.intended_at < TOKEN_MEMORY or not _was_paid(bonus, gateway):
        gateway.send_bonus(
            worker_id=assignment.worker.worker_id,
            assignment_id=assignment.assignment_id,
            amount=amount,
            reason=reason,
            token=bonus.request_token,
        )
    with transaction.atomic():
        Bonus.objects.filter(pk=bonus.pk).update(paid_at=timezone.now())
        AuditEvent.objects.create(
            batch=batch,
            actor=actor,
            action="bonus paid",
            detail={"assignment": assignment.assignment_id, "amount": str(amount)},
        )
    return True


def _intend(assignment: Assignment, amount: Decimal, reason: str) -> Bonus:
    """The ledger's line for this bonus; the first time its money is committed with it."""
    parts = (
        assignment.hit.batch.uid.hex,
        assignment.assignment_id,
        assignment.worker.worker_id,
        str(amount),
        reason,
    )
    token = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    with transaction.atomic():
        batch = Batch.objects.select_for_update().get(pk=assignment.hit.batch_id)
        bonus, is_new = Bonus.objects.get_or_create(
            request_token=token,
            defaults={
                "assignment": assignment,
                "amount": amount,
                "fee": fee(amount),
                "reason": reason,
            },
        )
        if is_new:
            money_commit(batch=batch, amount=bonus.amount + bonus.fee)
    return bonus


def _was_paid(bonus: Bonus, gateway: Gateway) -> bool:
    """Whether the crowd, which has forgotten the token, knows of the bonus."""
    wanted = (bonus.assignment.worker.worker_id, bonus.amount, bonus.reason)
    return wanted in gateway.bonuses(bonus.assignment.assignment_id)
