"""Setting up bonuses on Prolific, which pays nothing yet."""

import csv
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import QuerySet

from annotation.batches.operations.prolific.study import log_study, study_at_prolific, study_row
from annotation.core.amounts import parse_amount
from annotation.core.consent import Estimate
from annotation.core.money import holds_money
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import Batch, ProlificBonus, ProlificBonusSet, ProlificStudy
from annotation.prolific.calculator import in_units
from annotation.prolific.client import MOST_BONUSES
from annotation.prolific.statuses import AWAITING_REVIEW, PAID
from annotation.prolific.wire import MarketBonuses
from annotation.vocabulary import Action, AuditAction, BonusSetState, Permit
from metrics.errors import InputError

#: The first is of versions that stored a set before Prolific had it.
_UNPAID = (BonusSetState.PLANNED, BonusSetState.SET_UP)
#: Statuses of accepted work, or of work to be reviewed.
_ELIGIBLE = PAID | {AWAITING_REVIEW}
_MOST_TEXT = 20_000


@dataclass(frozen=True, kw_only=True)
class SetUpBonusesParameters:
    reason: str = parameter(
        max_length=200, label="Reason", help_text="The reason for this set, for your own records."
    )
    amount: Decimal = parameter(
        Decimal(0),
        max_digits=8,
        decimal_places=2,
        min_value=0,
        label="USD for each",
        help_text="For everybody who answered; the fee comes on top.",
    )
    rows: str = parameter(
        "",
        max_length=_MOST_TEXT,
        allow_blank=True,
        label="Or one by one",
        help_text="A line for each: submission, comma, USD, as in 6f0…,0.50.",
        style={"rows": 4},
    )


class SetUpBonuses(Operation[Batch, SetUpBonusesParameters]):
    """Set up bonuses on Prolific, which says what they cost; nothing is paid before you agree.

    One set for each reason, up to 200 submissions. Setting it up again replaces one that was not
    paid.
    """

    name = "set up bonuses"
    path = "prolific/bonuses"
    example = {"reason": "It took longer than we had said.", "amount": "0.50"}
    page = "set-up-bonuses"
    title = "Set up bonuses on Prolific"
    button = "Set up the bonuses"
    subject = Batch
    parameters = SetUpBonusesParameters
    permission = Action.PAY
    permit = Permit.RECRUIT
    calls_out = True
    states = PUBLIC_STATES

    def estimate(self, subject: Batch, parameters: SetUpBonusesParameters) -> Estimate:
        amounts = _amounts(study_row(subject), parameters)
        total = in_units(sum(amounts.values()))
        return Estimate(
            n_answers=len(amounts),
            facts=(
                ("Submissions", f"{len(amounts):,}"),
                ("Bonuses", f"{total} USD without fees; Prolific says the fees, then you agree"),
            ),
        )

    def run(self, subject: Batch, parameters: SetUpBonusesParameters, run: Run) -> Result:
        row, prolific, market_study = study_at_prolific(subject)
        reason, amounts = parameters.reason.strip(), _amounts(row, parameters)
        _unpaid(row, reason)
        # Repeating it after a lost answer leaves a set there that nobody pays.
        made = prolific.set_up_bonuses(market_study.study_id, amounts)
        amount = sum(amounts.values())
        if made.amount != amount or made.total < amount:
            raise InputError(
                f"Prolific understood {in_units(made.amount)} USD, and "
                f"{in_units(amount)} USD were meant: nothing is paid.",
                remedy="Do not pay this set by hand at Prolific.",
            )
        number = _store(subject, row, reason, amounts, made, run.actor.name)
        log_study(
            subject, run.actor.name, AuditAction.PROLIFIC_BONUSES_SET_UP,
            bonuses=number, cents=made.total, submissions=len(amounts),
        )  # fmt: skip
        return Result(
            {"bonuses": number, "cost": str(in_units(made.total))},
            f"{len(amounts):,} bonuses are set up for {in_units(made.total)} USD, fees included; "
            "nothing is paid yet.",
        )


SET_UP_BONUSES = SetUpBonuses()


def _unpaid(row: ProlificStudy, reason: str) -> QuerySet[ProlificBonusSet]:
    """The sets of this reason that nobody began to pay; `InputError` where somebody did."""
    before = row.bonus_sets.filter(reason=reason).exclude(state=BonusSetState.NOT_PAID)
    if before.exclude(state__in=_UNPAID).exists():
        raise InputError(
            f"bonuses for “{reason}” were paid, or may have been.",
            remedy="Give further bonuses another reason.",
        )
    return before


@holds_money
def _store(
    _batch: Batch,
    row: ProlificStudy,
    reason: str,
    amounts: dict[str, int],
    made: MarketBonuses,
    actor: str,
) -> int:
    """Store Prolific's set with the ledger's lines in place of an unpaid one; return its number."""
    # Deleted with its id: a payment takes the same lock, and finds nothing to pay.
    _unpaid(row, reason).delete()
    bonus_set = ProlificBonusSet.objects.create(
        study=row, reason=reason, state=BonusSetState.SET_UP, set_id=made.set_id,
        amount=made.amount, total=made.total, planned_by=actor,
    )  # fmt: skip
    submissions = {submission.submission_id: submission for submission in row.submissions.all()}
    ProlificBonus.objects.bulk_create(
        ProlificBonus(bonus_set=bonus_set, submission=submissions[submission_id], amount=cents)
        for submission_id, cents in amounts.items()
    )
    return bonus_set.pk


def _amounts(row: ProlificStudy, parameters: SetUpBonusesParameters) -> dict[str, int]:
    """Cents by submission."""
    submissions = {submission.submission_id: submission for submission in row.submissions.all()}
    if parameters.rows.strip():
        amounts = read_bonus_rows(parameters.rows)
    else:
        amounts = {
            submission.submission_id: int(parameters.amount * 100)
            for submission in row.finished_submissions()
            if submission.status in _ELIGIBLE and parameters.amount
        }
    if not amounts:
        raise InputError(
            "nobody would get a bonus.",
            remedy="Give an amount once somebody has answered, or a line for each submission.",
        )
    if len(amounts) > MOST_BONUSES:
        raise InputError(
            f"{len(amounts)} bonuses are more than the {MOST_BONUSES} of one set.",
            remedy=f"Give up to {MOST_BONUSES} lines, and the others another reason.",
        )
    unknown = next(
        (submission_id for submission_id in amounts if submission_id not in submissions), None
    )
    if unknown is not None:
        raise InputError(
            f"{unknown} is not a submission of this study, as last read.",
            remedy="Refresh the study; give submissions, not participants.",
        )
    return amounts


def read_bonus_rows(text: str) -> dict[str, int]:
    """Read cents by submission from lines of CSV, whose amounts are decimals of the currency."""
    amounts: dict[str, int] = {}
    for number, cells in enumerate(csv.reader(text.splitlines(), skipinitialspace=True), 1):
        if not cells:
            continue
        try:
            name, amount = cells
            cents = int(parse_amount(amount.strip()) * 100)
        except (ValueError, InputError):  # not two cells, or no amount
            raise InputError(
                f"line {number}: {', '.join(cells)[:60]!r} is not a submission and an amount.",
                remedy="Write 6f0c…,1234.50: one comma, a point before the cents.",
            ) from None
        name = name.strip()
        if name in amounts:
            raise InputError(f"line {number}: {name} occurs twice.")
        if not cents:
            raise InputError(f"line {number}: a bonus has to be above zero.")
        amounts[name] = cents
    return amounts
