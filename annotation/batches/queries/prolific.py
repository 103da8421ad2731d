"""The study of a batch on Prolific, as it was read last: people, their statuses, and the money."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.conf import settings
from django.db.models import Sum

from annotation.models import Batch, ProlificStudy, ProlificSubmission
from annotation.prolific.calculator import Offer, in_units
from annotation.prolific.client import LIVE

#: What our codes say, for people.
_CODES = {
    "completed": "answered here",
    "no place": "found no free HIT",
    "no consent": "did not agree",
}
#: Their submissions are paid.
_PAID = frozenset({"APPROVED", "PARTIALLY APPROVED"})


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

    @property
    def n_left(self) -> int:
        """Places that nobody holds."""
        gone = {"RETURNED", "TIMED-OUT", "REJECTED", "SCREENED OUT"}
        return max(0, self.row.places - sum(one.status not in gone for one in self.people))


def batch_recruitment(*, batch: Batch) -> Recruitment | None:
    """The study of the batch; None without one. Two statements."""
    row = ProlificStudy.objects.select_related("workspace").filter(batch=batch).first()
    now = settings.PROLIFIC_ADDRESS.rstrip("/")
    if row is None or row.workspace.address not in {LIVE, now}:
        return None  # or the market of a rehearsal that is over
    submissions = row.submissions.annotate(bonus=Sum("bonuses__amount"))
    meanings = {code: _CODES.get(kind, kind) for kind, code in row.codes.items()}
    return Recruitment(
        row=row,
        is_rehearsal=row.workspace.address != LIVE,
        reward=in_units(row.reward),
        per_hour=in_units(Offer(row.reward, row.minutes, row.places).per_hour),
        total=in_units(row.total_cost),
        fees_held=in_units(row.fees_committed),
        people=tuple(_participation(row, one, meanings) for one in submissions),
    )


def _participation(
    row: ProlificStudy, one: ProlificSubmission, meanings: dict[str, str]
) -> Participation:
    seconds = (
        (one.completed_at - one.started_at).total_seconds()
        if one.completed_at and one.started_at
        else None
    )
    return Participation(
        submission_id=one.submission_id,
        participant=one.participant,
        status=one.status,
        here=meanings.get(one.code, "another code") if one.code else "",
        started_at=one.started_at,
        minutes=None if seconds is None else round(seconds / 60, 1),
        pay=in_units(row.reward if one.status in _PAID else 0),
        bonuses=in_units(getattr(one, "bonus", 0) or 0),
    )
