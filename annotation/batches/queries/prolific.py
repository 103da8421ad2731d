"""The study of a batch on Prolific, as last read: people, their statuses, and the money."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, Q, Sum

from annotation.models import Batch, ProlificStudy, ProlificSubmission
from annotation.prolific.calculator import Offer, in_units
from annotation.prolific.client import LIVE
from annotation.prolific.connection import addresses_in_force
from annotation.prolific.statuses import AWAITING_REVIEW, GONE, OPEN, PAID
from annotation.vocabulary import BonusSetState

#: Our codes in words.
_CODES = {
    "completed": "answered here",
    "no place": "found no free HIT",
    "no consent": "did not agree",
    "withdrawal": "withdrew",
}


#: Status of a study that people can take part in.
_IS_OUT = "ACTIVE"


@dataclass(frozen=True)
class Participation:
    """One submission; amounts are US dollars without fees. `here` is what its code says."""

    submission_id: str
    participant: str
    status: str
    here: str
    started_at: datetime | None
    minutes: float | None
    pay: Decimal
    bonuses: Decimal
    is_wanted: bool

    @property
    def is_waiting(self) -> bool:
        return self.status == AWAITING_REVIEW

    @property
    def is_open(self) -> bool:
        """True if the submission can be approved, now or once it is handed in."""
        return self.status in OPEN


@dataclass(frozen=True)
class Bonuses:
    """One set; amounts are US dollars. `n_listed` are those that Prolific lists as paid."""

    number: int
    reason: str
    state: str
    n_lines: int
    n_listed: int
    amount: Decimal
    total: Decimal
    can_be_paid: bool
    is_uncertain: bool


@dataclass(frozen=True)
class Recruitment:
    """The study; amounts are US dollars."""

    row: ProlificStudy
    is_rehearsal: bool
    reward: Decimal
    per_hour: Decimal
    total: Decimal
    fees_held: Decimal
    people: tuple[Participation, ...]
    bonus_sets: tuple[Bonuses, ...]
    #: Participants who answered here, and wait for Prolific's pay.
    n_to_approve: int

    @property
    def n_paid(self) -> int:
        """Participants whose submissions Prolific has approved."""
        return sum(person.status in PAID for person in self.people)

    @property
    def paid(self) -> Decimal:
        """Their pay, without fees and bonuses."""
        return sum((person.pay for person in self.people), Decimal(0))

    @property
    def is_approval_awaited(self) -> bool:
        """True if somebody was approved here, and Prolific does not say so yet."""
        return any(person.is_wanted and person.is_open for person in self.people)

    @property
    def is_awaited(self) -> bool:
        """True if the study changes by itself: people come, or an approval is pending."""
        return self.is_approval_awaited or self.row.status == _IS_OUT

    @property
    def is_paid(self) -> bool:
        """True if participants were paid, and no approval is outstanding."""
        return bool(self.n_paid) and not any(person.is_open for person in self.people)

    @property
    def n_left(self) -> int:
        """Places that nobody holds."""
        return max(0, self.row.places - sum(person.status not in GONE for person in self.people))


def batch_recruitment(*, batch: Batch) -> Recruitment | None:
    """The study of the batch; None without one. Four statements."""
    row = ProlificStudy.objects.select_related("workspace", "batch").filter(batch=batch).first()
    if row is None or row.workspace.address not in addresses_in_force():
        return None  # or on the market of a rehearsal that is over
    # Bonuses that Prolific lists as paid.
    paid = Sum("bonuses__amount", filter=Q(bonuses__is_listed=True))
    submissions = list(row.submissions.annotate(bonus=paid))
    words = _CODES | ({"completed": "answered"} if batch.uses_task_builder else {})
    meanings = {code: words.get(kind, kind) for kind, code in row.codes.items()}
    return Recruitment(
        row=row,
        is_rehearsal=row.workspace.address != LIVE,
        reward=in_units(row.reward),
        per_hour=in_units(Offer(row.reward, row.minutes, row.places).per_hour),
        total=in_units(row.total_cost),
        fees_held=in_units(row.fees_committed),
        people=tuple(_participation(row, submission, meanings) for submission in submissions),
        bonus_sets=_bonus_sets(row),
        n_to_approve=row.finished_submissions()
        .filter(status=AWAITING_REVIEW, approved_by="")
        .count(),
    )


def _bonus_sets(row: ProlificStudy) -> tuple[Bonuses, ...]:
    sets = row.bonus_sets.annotate(
        n_lines=Count("lines"), n_listed=Count("lines", filter=Q(lines__is_listed=True))
    )
    return tuple(
        Bonuses(
            number=bonus_set.pk,
            reason=bonus_set.reason,
            state=bonus_set.get_state_display(),
            n_lines=bonus_set.n_lines,
            n_listed=bonus_set.n_listed,
            amount=in_units(bonus_set.amount),
            total=in_units(bonus_set.total),
            can_be_paid=bonus_set.state == BonusSetState.SET_UP,
            is_uncertain=bonus_set.state == BonusSetState.UNCERTAIN,
        )
        for bonus_set in sets
    )


def _participation(
    row: ProlificStudy, submission: ProlificSubmission, meanings: dict[str, str]
) -> Participation:
    seconds = (
        (submission.completed_at - submission.started_at).total_seconds()
        if submission.completed_at and submission.started_at
        else None
    )
    return Participation(
        submission_id=submission.submission_id,
        participant=submission.participant,
        status=submission.status,
        here=meanings.get(submission.code, "another code") if submission.code else "",
        started_at=submission.started_at,
        minutes=None if seconds is None else round(seconds / 60, 1),
        pay=in_units(row.reward if submission.status in PAID else 0),
        bonuses=in_units(getattr(submission, "bonus", 0) or 0),
        is_wanted=bool(submission.approved_by),
    )
