"""Pay everybody who worked on a batch a bonus."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from annotation.core.audit import log_answer_event
from annotation.core.consent import Charge, Estimate, Key
from annotation.core.counting import counted
from annotation.core.erased import check_is_known
from annotation.core.money import holds_money
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.connection import batch_gateway
from annotation.crowd.gateway import TOKEN_MEMORY, Gateway
from annotation.crowd.pricing import CENT, fee
from annotation.models import Assignment, Batch, Bonus
from annotation.vocabulary import (
    LONGEST_BONUS_REASON,
    Action,
    AssignmentState,
    AuditAction,
    TaskKind,
)
from metrics.errors import InputError


def bonus_pay(*, assignment: Assignment, amount: Decimal, reason: str, actor: str) -> bool:
    """Pay `amount` US dollars on top for an answer; False if exactly this was paid before.

    Amount and reason tell one bonus from another: asking twice for the same pays once.
    """
    if amount <= 0 or not reason.strip() or len(reason) > LONGEST_BONUS_REASON:
        raise InputError(
            "a bonus needs an amount above zero and a reason of at most "
            f"{LONGEST_BONUS_REASON} characters.",
            remedy="The worker reads the reason.",
        )
    # One amount, one token: 0.5 and 0.50 are the same bonus.
    amount = amount.quantize(CENT)
    batch = assignment.hit.batch
    gateway = batch_gateway(batch)
    bonus = _intend(batch, assignment, amount, reason)
    if bonus.paid_at is not None:
        return False
    if timezone.now() - bonus.intended_at < TOKEN_MEMORY or not _was_paid(bonus, gateway):
        gateway.send_bonus(
            worker_id=bonus.assignment.worker.worker_id,
            assignment_id=assignment.assignment_id,
            amount=amount,
            reason=reason,
            token=bonus.request_token,
        )
    with transaction.atomic():
        Bonus.objects.filter(pk=bonus.pk).update(paid_at=timezone.now())
        log_answer_event(assignment, actor, AuditAction.BONUS_PAID, amount=str(amount))
    return True


def bonus_assignments(*, batch_id: int, amount: Decimal, reason: str) -> list[Assignment]:
    """Return, for each worker without this bonus, the answer to pay it with.

    It is their first one that was not rejected. A worker who has received this bonus for any answer
    of the batch gets none again.
    """
    bonuses = Bonus.objects.filter(
        assignment__hit__batch=batch_id, amount=amount, reason=reason
    ).select_related("assignment")
    begun = {bonus.assignment.worker_id: bonus for bonus in bonuses}
    answers = Assignment.objects.filter(hit__batch=batch_id).select_related("worker", "hit__batch")
    chosen: dict[int, Assignment] = {}
    payable = answers.exclude(state=AssignmentState.REJECTED).exclude(worker__is_erased=True)
    for answer in payable.order_by("pk"):
        bonus = begun.get(answer.worker_id)
        # A bonus that was begun keeps its answer, so that its line of the ledger is found.
        if bonus is None or (bonus.paid_at is None and bonus.assignment_id == answer.pk):
            chosen.setdefault(answer.worker_id, answer)
    return list(chosen.values())


@holds_money
def _intend(batch: Batch, assignment: Assignment, amount: Decimal, reason: str) -> Bonus:
    """Return the ledger's line for this bonus; until it is paid, its worker is not erased."""
    # Erasing locks the answers too, so it comes before this check or sees the line.
    answer = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
    check_is_known(answer.worker)
    who = answer.worker.worker_id
    parts = (batch.uid.hex, answer.assignment_id, who, str(amount), reason)
    token = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    terms = {"assignment": answer, "amount": amount, "fee": fee(amount), "reason": reason}
    bonus, _is_new = Bonus.objects.get_or_create(request_token=token, defaults=terms)
    bonus.assignment = answer  # with its worker, read under the lock
    return bonus


def _was_paid(bonus: Bonus, gateway: Gateway) -> bool:
    """Return whether the crowd service, which has forgotten the token, lists the bonus."""
    this = (bonus.assignment.worker.worker_id, bonus.amount, bonus.reason)
    return this in gateway.bonuses(bonus.assignment.assignment_id)


@dataclass(frozen=True, kw_only=True)
class BonusParameters:
    amount: Decimal = parameter(
        max_digits=8,
        decimal_places=2,
        min_value=CENT,
        label="USD for each worker",
        help_text="The fee comes on top.",
    )
    reason: str = parameter(
        max_length=LONGEST_BONUS_REASON, label="What workers read as the reason", style={"rows": 3}
    )


class PayBonus(Operation[Batch, BonusParameters]):
    """Pay everybody who worked on the batch the same bonus, once each, with a reason.

    For one worker alone, see the page of the worker.
    """

    name = "bonus"
    spends = True
    path = "bonus"
    example = {"amount": "0.50", "reason": "It took longer than we had said.", "dry_run": True}
    page = "bonus"
    title = "Pay everybody a bonus"
    button = "Pay the bonus"
    queued = "Paying the bonus."
    subject = Batch
    parameters = BonusParameters
    permission = Action.PAY
    states = PUBLIC_STATES
    job = TaskKind.BONUS
    is_divisible = True

    def estimate(self, subject: Batch, parameters: BonusParameters) -> Estimate:
        """Estimate one bonus for each worker with an answer that was not rejected."""
        answers = _answers(subject, parameters)
        charge = Charge(
            parameters.amount, fee(parameters.amount), tuple(answer.pk for answer in answers)
        )
        begun = Bonus.objects.filter(
            assignment__in=answers, amount=parameters.amount, reason=parameters.reason
        ).count()
        return Estimate(
            n_answers=len(answers),
            committed=begun * (charge.unit_price + charge.fee),
            charges=(charge,) if answers else (),
            facts=(
                ("Workers who get it", f"{len(answers):,}"),
                ("Each gets", f"{parameters.amount} USD"),
            ),
            nothing="" if answers else "Everyone has already received this bonus.",
        )

    def run(self, subject: Batch, parameters: BonusParameters, run: Run) -> Result:
        among = None if run.consent is None else run.consent.subjects
        paid = 0
        for answer in _answers(subject, parameters, among):
            paid += bonus_pay(
                assignment=answer,
                amount=parameters.amount,
                reason=parameters.reason,
                actor=run.actor.name,
            )
            run.advance(1)
        return Result({"paid": paid}, f"{counted(paid, 'bonus')} of {parameters.amount} USD paid.")


def _answers(
    batch: Batch, parameters: BonusParameters, among: Collection[Key] | None = None
) -> list[Assignment]:
    chosen = bonus_assignments(
        batch_id=batch.pk, amount=parameters.amount, reason=parameters.reason
    )
    return [answer for answer in chosen if among is None or answer.pk in among]


BONUS = PayBonus()
