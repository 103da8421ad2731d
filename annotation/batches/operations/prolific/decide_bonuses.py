"""Decide the outcome of uncertain bonuses."""

from dataclasses import dataclass

from django.utils import timezone

from annotation.batches.operations.prolific.bonuses import (
    READ_FOR,
    bonus_set_of,
    read_bonuses,
)
from annotation.batches.operations.prolific.study import log_study, study_at_prolific
from annotation.core.consent import Estimate
from annotation.core.moments import format_moment
from annotation.core.money import holds_money
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import ROW_NUMBER, parameter
from annotation.core.versions import State
from annotation.models import Batch, ProlificBonusSet
from annotation.prolific.calculator import in_units
from annotation.vocabulary import Action, AuditAction, BonusDecision, BonusSetState, Permit
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class DecideBonusesParameters:
    bonuses: int = parameter(**ROW_NUMBER, label="Bonuses", help_text="The number of the set.")
    decision: str = parameter(choices=BonusDecision.choices, label="Decision")


class DecideBonuses(Operation[Batch, DecideBonusesParameters]):
    """Say whether uncertain bonuses were paid, once Prolific has been read for a day.

    Look at the workspace's transactions there first. Bonuses that were not paid return to the
    budgets, and can be set up again; to say so of bonuses that were paid pays them twice.
    """

    name = "decide bonuses"
    path = "prolific/bonuses/decide"
    example = {"bonuses": 1, "decision": "paid"}
    page = "decide-bonuses"
    title = "Decide about uncertain bonuses"
    button = "Decide"
    subject = Batch
    parameters = DecideBonusesParameters
    permission = Action.PAY
    permit = Permit.RECRUIT
    calls_out = True
    states = PUBLIC_STATES
    asks_first = True

    def seen(self, subject: Batch, parameters: DecideBonusesParameters) -> State:
        bonus_set = bonus_set_of(subject, parameters.bonuses)
        listed = bonus_set.lines.filter(is_listed=True).count()
        return {"State": bonus_set.state, "Listed": str(listed)}

    def estimate(self, subject: Batch, parameters: DecideBonusesParameters) -> Estimate:
        bonus_set = bonus_set_of(subject, parameters.bonuses)
        lines = list(bonus_set.lines.all())
        listed = [line for line in lines if line.is_listed]
        rest = [line for line in lines if not line.is_listed]
        return Estimate(
            n_answers=len(rest),
            facts=(
                ("Reason", bonus_set.reason),
                ("Held", f"{in_units(bonus_set.committed)} USD, fees included"),
                ("Listed as paid", _sum_in_words([line.amount for line in listed])),
                ("Not listed", _sum_in_words([line.amount for line in rest])),
            ),
            nothing=""
            if bonus_set.state == BonusSetState.UNCERTAIN
            else f"These bonuses are {bonus_set.get_state_display().lower()}.",
        )

    def run(self, subject: Batch, parameters: DecideBonusesParameters, run: Run) -> Result:
        row, prolific, _ = study_at_prolific(subject)
        read_bonuses(study=row.pk, prolific=prolific)
        bonus_set = _decide(subject, parameters, run.actor.name)
        word = bonus_set.get_state_display().lower()
        return Result({"bonuses": bonus_set.pk, "state": bonus_set.state}, f"Decided: {word}.")


DECIDE_BONUSES = DecideBonuses()


@holds_money
def _decide(batch: Batch, parameters: DecideBonusesParameters, actor: str) -> ProlificBonusSet:
    bonus_set = bonus_set_of(batch, parameters.bonuses)
    _check_is_open(bonus_set)
    if parameters.decision == BonusDecision.PAID:
        bonus_set.state = BonusSetState.CONFIRMED
    else:
        _take_off_the_rest(bonus_set)
    bonus_set.decided_by = actor
    bonus_set.save()
    log_study(
        batch, actor, AuditAction.PROLIFIC_BONUSES_DECIDED,
        bonuses=bonus_set.pk, decision=parameters.decision,
    )  # fmt: skip
    return bonus_set


def _check_is_open(bonus_set: ProlificBonusSet) -> None:
    if bonus_set.state != BonusSetState.UNCERTAIN or bonus_set.paying_at is None:
        raise InputError(f"these bonuses are {bonus_set.get_state_display().lower()}.")
    until = bonus_set.paying_at + READ_FOR
    if timezone.now() < until:
        raise InputError(
            f"Prolific may still show them: it is read until {format_moment(until)}.",
            remedy="Refresh the study; decide after that.",
        )


def _take_off_the_rest(bonus_set: ProlificBonusSet) -> None:
    """Keep the lines that are listed as paid, and release the money of the others."""
    rest = sum(line.amount for line in bonus_set.lines.filter(is_listed=False))
    if rest == bonus_set.amount:
        bonus_set.state, bonus_set.committed = BonusSetState.NOT_PAID, 0
        return
    bonus_set.lines.filter(is_listed=False).delete()
    # With their fees: Prolific gave them for the whole set.
    bonus_set.committed -= bonus_set.committed * rest // bonus_set.amount
    bonus_set.amount -= rest
    bonus_set.total = bonus_set.committed
    bonus_set.state = BonusSetState.CONFIRMED


def _sum_in_words(amounts: list[int]) -> str:
    return f"{len(amounts):,}, {in_units(sum(amounts))} USD without fees"
