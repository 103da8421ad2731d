"""The ledger of bonuses at Prolific: what its operations share.

set up (Prolific's id of the set is stored, nothing is paid) -> being paid (committed
before the one call that pays) -> accepted -> paid, once every submission lists its cents. Without
an answer the set is uncertain: it is never sent again, and reading or a person decides what became
of it.
"""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from annotation.core.money import holds_money
from annotation.models import Batch, ProlificBonus, ProlificBonusSet
from annotation.prolific.calculator import in_units
from annotation.prolific.client import Prolific
from annotation.vocabulary import PENDING_BONUSES, BonusSetState
from metrics.errors import InputError

#: Time of reading Prolific before a person may decide.
READ_FOR = timedelta(hours=24)
#: A call ends sooner than this: one that was begun earlier has lost its process.
_CALL_ENDS_WITHIN = timedelta(minutes=2)


def bonus_set_of(batch: Batch, number: int) -> ProlificBonusSet:
    """A set of the batch's study."""
    bonus_set = ProlificBonusSet.objects.filter(study__batch=batch, pk=number).first()
    if bonus_set is None:
        raise InputError(
            f"the batch {batch.name!r} has no bonuses {number} on Prolific.",
            remedy="Set them up first.",
        )
    return bonus_set


def pending_bonus_sets(*, study: int) -> list[ProlificBonusSet]:
    """Return the sets that were sent to be paid and are not seen as paid yet."""
    return list(ProlificBonusSet.objects.filter(study=study, state__in=PENDING_BONUSES))


def check_no_equal_bonus_is_pending(bonus_set: ProlificBonusSet) -> None:
    """Refuse a bonus that, once listed, could be taken for another one of the same amount."""
    for line in bonus_set.lines.select_related("submission"):
        equal = ProlificBonus.objects.filter(
            submission=line.submission,
            amount=line.amount,
            bonus_set__state__in=PENDING_BONUSES,
        ).exclude(bonus_set=bonus_set)
        if equal.exists():
            raise InputError(
                f"another bonus of {in_units(line.amount)} USD for {line.submission} is not paid "
                "yet, and the two could not be told apart.",
                remedy="Refresh the study until it is paid, or give another amount.",
            )


def read_bonuses(*, study: int, prolific: Prolific) -> int:
    """Read the outcome of the pending sets; return the number that became paid."""
    return sum(_read_set(bonus_set, prolific) for bonus_set in pending_bonus_sets(study=study))


def _read_set(bonus_set: ProlificBonusSet, prolific: Prolific) -> bool:
    for line in bonus_set.lines.filter(is_listed=False).select_related("submission"):
        listed = prolific.submission(line.submission.submission_id).bonuses or ()
        if listed.count(line.amount) > line.listed_before:
            ProlificBonus.objects.filter(pk=line.pk).update(is_listed=True)
    return _conclude(bonus_set.study.batch, bonus_set)


@holds_money
def _conclude(_batch: Batch, bonus_set: ProlificBonusSet) -> bool:
    """Store the state that the set's lines show; return whether it became paid now."""
    mine = ProlificBonusSet.objects.filter(pk=bonus_set.pk)
    if not bonus_set.lines.filter(is_listed=False).exists():
        pending = mine.filter(state__in=PENDING_BONUSES)
        return bool(pending.update(state=BonusSetState.CONFIRMED))
    now = timezone.now()
    # Its process has ended, or Prolific has not listed an accepted set for a day.
    lost = Q(state=BonusSetState.PAYING, paying_at__lt=now - _CALL_ENDS_WITHIN) | Q(
        state=BonusSetState.ACCEPTED, paying_at__lt=now - READ_FOR
    )
    mine.filter(lost).update(state=BonusSetState.UNCERTAIN)
    return False
