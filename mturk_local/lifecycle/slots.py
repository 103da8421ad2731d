"""The open slots of a HIT: taken and freed by conditional updates, never counted in memory.

A transaction that changes slots and assignments locks the HIT first (`slot_take`, `hit_lock`), then
the assignment, then the requester's money: the fixed order prevents deadlocks.
"""

from datetime import datetime

from django.db.models import F

from mturk_local.errors import RequestError
from mturk_local.lifecycle import funds
from mturk_local.models import HIT

#: From this many assignments on, Amazon asks a higher fee; a HIT cannot grow across the line.
_MANY = 10


def hit_lock(hit_id: int) -> HIT:
    """The HIT with this primary key, locked to the end of the transaction; its long text stays."""
    return HIT.objects.select_for_update().defer("question").get(pk=hit_id)


def slot_take(hit_id: int, now: datetime) -> bool:
    """Take a slot if the HIT with this primary key still offers one, and lock it."""
    taken = HIT.objects.filter(
        pk=hit_id, open_slots__gt=0, expiration__gt=now, disposed_at=None
    ).update(open_slots=F("open_slots") - 1)
    return taken == 1


def slot_free(hit: HIT) -> None:
    """Open a slot of a locked HIT again.

    Nobody can take a slot of an expired HIT, so its money is released.
    """
    HIT.objects.filter(pk=hit.pk).update(open_slots=F("open_slots") + 1)
    if hit.expired:
        funds.release(hit.requester_id, hit.cost_cents)


def slots_add(*, hit: HIT, by: int) -> None:
    """Let a locked HIT have `by` more assignments; the HIT is open and unreviewed again."""
    if hit.max_assignments < _MANY <= hit.max_assignments + by:
        raise RequestError(
            "You cannot add assignments in a way that brings the total number of assignments of "
            f"HIT {hit.hit_id} from fewer than {_MANY} assignments to {_MANY} or more.",
            turk_code="InvalidMaximumAssignmentsIncrease",
        )
    HIT.objects.filter(pk=hit.pk).update(
        max_assignments=F("max_assignments") + by,
        open_slots=F("open_slots") + by,
        reviewing=False,
        settled=False,
    )
    if not hit.expired:
        funds.hold(hit.requester_id, hit.cost_cents * by)


def hit_reopen(*, hit: HIT, until: datetime) -> None:
    """Let a locked, expired HIT be open again; its slots hold money again."""
    HIT.objects.filter(pk=hit.pk).update(
        expiration=until, expired=False, settled=False, reviewing=False
    )
    funds.hold(hit.requester_id, hit.open_slots * hit.cost_cents)
    hit.expired = False
