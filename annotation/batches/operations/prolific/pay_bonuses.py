"""Pay a set of bonuses on Prolific, once."""

from dataclasses import dataclass

from django.utils import timezone

from annotation.batches.operations.prolific.bonuses import (
    bonus_set_of,
    check_no_equal_bonus_is_pending,
)
from annotation.batches.operations.prolific.study import (
    check_balance,
    log_study,
    market_name,
    study_at_prolific,
)
from annotation.core.consent import Charge, Estimate
from annotation.core.money import holds_money
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import ROW_NUMBER, parameter
from annotation.core.versions import State
from annotation.models import Batch, ProlificBonus, ProlificBonusSet
from annotation.prolific.calculator import in_units
from annotation.prolific.client import OutcomeUnknownError, Prolific, RefusedError
from annotation.vocabulary import Action, AuditAction, BonusSetState, Permit
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class PayBonusesParameters:
    bonuses: int = parameter(
        **ROW_NUMBER, label="Bonuses", help_text="The number of the set, which setting up shows."
    )


class PayBonuses(Operation[Batch, PayBonusesParameters]):
    """Pay bonuses that were set up. Prolific is asked once, whatever becomes of its answer.

    Without an answer they are uncertain: they are never sent again, their cost stays reserved, and
    reading the study shows whether they were paid.
    """

    name = "pay bonuses"
    path = "prolific/bonuses/pay"
    example = {"bonuses": 1}
    page = "pay-bonuses"
    title = "Pay bonuses on Prolific"
    button = "Pay the bonuses"
    subject = Batch
    parameters = PayBonusesParameters
    permission = Action.PAY
    permit = Permit.RECRUIT
    calls_out = True
    states = PUBLIC_STATES
    spends = True

    def is_real(self, subject: Batch) -> bool:
        return True

    def seen(self, subject: Batch, parameters: PayBonusesParameters) -> State:
        return {"State": bonus_set_of(subject, parameters.bonuses).state}

    def clean(self, subject: Batch, parameters: PayBonusesParameters) -> PayBonusesParameters:
        bonus_set = bonus_set_of(subject, parameters.bonuses)
        if bonus_set.state != BonusSetState.SET_UP:
            raise InputError(
                f"these bonuses are {bonus_set.get_state_display().lower()}: nothing was sent.",
                remedy="Refresh the study: Prolific says which were paid.",
            )
        return parameters

    def estimate(self, subject: Batch, parameters: PayBonusesParameters) -> Estimate:
        bonus_set = bonus_set_of(subject, parameters.bonuses)
        total = in_units(bonus_set.total)
        return Estimate(
            n_answers=bonus_set.lines.count(),
            charges=(Charge(total, in_units(0), (str(bonus_set.set_id),)),),
            facts=(
                ("Market", market_name(bonus_set.study.workspace)),
                ("Reason", bonus_set.reason),
                ("Bonuses", f"{bonus_set.lines.count():,}, {in_units(bonus_set.amount)} USD"),
            ),
        )

    def run(self, subject: Batch, parameters: PayBonusesParameters, run: Run) -> Result:
        bonus_set = bonus_set_of(subject, parameters.bonuses)
        row, prolific, _ = study_at_prolific(subject)
        check_balance(prolific, row.workspace, bonus_set.total)
        listed = _listed(bonus_set, prolific)
        _begin(subject, bonus_set, listed, run.actor.name)
        bonus_set.refresh_from_db()
        _pay(subject, bonus_set, prolific)
        total = in_units(bonus_set.total)
        return Result(
            {"bonuses": bonus_set.pk, "state": BonusSetState.ACCEPTED},
            f"Prolific has accepted bonuses for {total} USD; reading shows when they are paid.",
        )


PAY_BONUSES = PayBonuses()


def _listed(bonus_set: ProlificBonusSet, prolific: Prolific) -> dict[int, int]:
    """Count, by line, the bonuses of its amount that its submission has received already."""
    lines = bonus_set.lines.select_related("submission")
    return {
        line.pk: (prolific.submission(line.submission.submission_id).bonuses or ()).count(
            line.amount
        )
        for line in lines
    }


@holds_money
def _begin(batch: Batch, bonus_set: ProlificBonusSet, listed: dict[int, int], actor: str) -> None:
    """Commit that it is being paid, with its cost; a second attempt is refused."""
    check_no_equal_bonus_is_pending(bonus_set)
    begun = ProlificBonusSet.objects.filter(
        pk=bonus_set.pk, state=BonusSetState.SET_UP, total=bonus_set.total
    ).update(state=BonusSetState.PAYING, paying_at=timezone.now(), committed=bonus_set.total)
    if not begun:
        raise InputError(
            "somebody else is paying these bonuses, or has set them up again: nothing was sent.",
            remedy="Look at the bonuses of this study again.",
        )
    for line, before in listed.items():
        ProlificBonus.objects.filter(pk=line).update(listed_before=before)
    log_study(
        batch, actor, AuditAction.PROLIFIC_BONUSES_PAID,
        bonuses=bonus_set.pk, cents=bonus_set.total,
    )  # fmt: skip


def _pay(batch: Batch, bonus_set: ProlificBonusSet, prolific: Prolific) -> None:
    """Make the one call."""
    try:
        prolific.pay_bonuses(str(bonus_set.set_id))
    except RefusedError as error:
        if not error.is_certain:
            _end(batch, bonus_set, state=BonusSetState.UNCERTAIN)
            raise _uncertain(error) from error
        _end(batch, bonus_set, state=BonusSetState.SET_UP, committed=0)
        raise
    except OutcomeUnknownError as error:
        _end(batch, bonus_set, state=BonusSetState.UNCERTAIN)
        raise _uncertain(error) from error
    _end(batch, bonus_set, state=BonusSetState.ACCEPTED)


@holds_money
def _end(_batch: Batch, /, bonus_set: ProlificBonusSet, **became: str | int) -> None:
    """Store the outcome of the call, unless reading has found it already."""
    mine = ProlificBonusSet.objects.filter(pk=bonus_set.pk, state=BonusSetState.PAYING)
    mine.update(**became)


def _uncertain(error: InputError) -> OutcomeUnknownError:
    return OutcomeUnknownError(
        f"{error.message} It is not known whether the bonuses were paid.",
        remedy="They are not sent again. Refresh the study: for a day Prolific may show them.",
    )
