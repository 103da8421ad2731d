"""The life of a HIT: created, extended, expired, revived, disposed of."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction

from mturk_local import money
from mturk_local.errors import CrowdError, RequestError, token_used, wrong_state
from mturk_local.ids import entity_id
from mturk_local.lifecycle import funds
from mturk_local.lifecycle.events import event_emit
from mturk_local.lifecycle.reviewable import hit_mark_reviewable
from mturk_local.lifecycle.slots import hit_lock, hit_reopen, slots_add
from mturk_local.lifecycle.tokens import token_use
from mturk_local.models import (
    HIT,
    Assignment,
    AssignmentState,
    HITType,
    Requester,
    RequestToken,
)
from mturk_local.qualifications import asks_for_masters


class HITSpec(NamedTuple):
    """Terms of a HIT that are not in its type."""

    question: str
    max_assignments: int
    lifetime_seconds: int
    annotation: str
    token: str | None
    assignment_review_policy: dict[str, Any] | None = None
    hit_review_policy: dict[str, Any] | None = None


@transaction.atomic(using="crowd")
def hit_create(*, requester: Requester, hit_type: HITType, spec: HITSpec, now: datetime) -> HIT:
    """Create a HIT and hold its money; a token that was used within a day names the earlier HIT."""
    cost = assignment_cost(hit_type, spec.max_assignments)
    made_id = entity_id()
    token_use(
        requester=requester,
        scope="CreateHIT",
        token=spec.token,
        subject=made_id,
        now=now,
        refusal=_already_exists,
    )
    funds.hold(requester.pk, cost * spec.max_assignments)
    hit = HIT.objects.create(
        hit_id=made_id,
        requester=requester,
        hit_type=hit_type,
        question=spec.question,
        requester_annotation=spec.annotation,
        max_assignments=spec.max_assignments,
        open_slots=spec.max_assignments,
        cost_cents=cost,
        expiration=now + timedelta(seconds=spec.lifetime_seconds),
        assignment_review_policy=spec.assignment_review_policy,
        hit_review_policy=spec.hit_review_policy,
        created_at=now,
    )
    event_emit(hit=hit, kind="HITCreated", at=now)
    return hit


def assignment_cost(hit_type: HITType, max_assignments: int) -> int:
    """Cents that one answer to a HIT of this type costs, fee included."""
    return money.assignment_cost(
        hit_type.reward_cents,
        max_assignments=max_assignments,
        masters=asks_for_masters(hit_type.qualification_requirements),
    )


def _already_exists(earlier: RequestToken) -> CrowdError:
    return RequestError(
        f"The HIT with ID {earlier.subject} already exists: it was created with the "
        f'UniqueRequestToken "{earlier.token}".',
        turk_code="HITAlreadyExists",
    )


@transaction.atomic(using="crowd")
def hit_extend(*, hit: HIT, by: int, token: str | None, now: datetime) -> None:
    """Ask for `by` more assignments."""
    token_use(
        requester=hit.requester,
        scope="CreateAdditionalAssignmentsForHIT",
        token=token,
        subject=hit.hit_id,
        now=now,
        refusal=lambda earlier: token_used(earlier.token),
    )
    current = hit_lock(hit.pk)
    if current.disposed_at:
        raise wrong_state("HIT", "Disposed", "Assignable, Unassignable, Reviewable, Reviewing")
    slots_add(hit=current, by=by)
    event_emit(hit=hit, kind="HITExtended", at=now)


@transaction.atomic(using="crowd")
def hit_set_expiration(*, hit: HIT, at: datetime, now: datetime) -> None:
    """Move the expiry. A past moment expires the HIT now; a future one revives an expired HIT."""
    current = hit_lock(hit.pk)
    if current.disposed_at:
        raise wrong_state("HIT", "Disposed", "Assignable, Unassignable, Reviewable, Reviewing")
    if at > now and at == current.expiration:
        raise token_used(f"{hit.hit_id}{at:%a %b %d %H:%M:%S UTC %Y}")
    if at <= now:
        _expire_now(hit, current, now)
    elif current.expired:
        hit_reopen(hit=current, until=at)
        event_emit(hit=hit, kind="HITExtended", at=now)
    else:
        HIT.objects.filter(pk=hit.pk).update(expiration=at)
        event_emit(hit=hit, kind="HITExtended", at=now)


def _expire_now(hit: HIT, current: HIT, now: datetime) -> None:
    if current.expired:
        return
    HIT.objects.filter(pk=hit.pk).update(expiration=now, expired=True)
    funds.release(hit.requester_id, current.open_slots * current.cost_cents)
    event_emit(hit=hit, kind="HITExpired", at=now)
    hit_mark_reviewable(hit_id=hit.pk, now=now)


@transaction.atomic(using="crowd")
def hit_dispose(*, hit: HIT, status: str, now: datetime) -> None:
    """Dispose of a HIT permanently, once all its answers are approved or rejected.

    `status` is the HIT's status at `now`.
    """
    current = hit_lock(hit.pk)
    unreviewed = Assignment.objects.filter(hit=hit, state=AssignmentState.SUBMITTED).exists()
    if status not in {"Reviewable", "Reviewing"} or unreviewed or current.disposed_at:
        raise wrong_state("HIT", status, "Reviewing, Reviewable")
    HIT.objects.filter(pk=hit.pk).update(disposed_at=now, expired=True)
    if not current.expired:
        funds.release(hit.requester_id, current.open_slots * current.cost_cents)
    event_emit(hit=hit, kind="HITDisposed", at=now)


@transaction.atomic(using="crowd")
def hit_mark_reviewing(*, hit: HIT, status: str, revert: bool) -> None:
    """Move a HIT from Reviewable to Reviewing, or back with `revert`."""
    expected = "Reviewing" if revert else "Reviewable"
    if status != expected:
        raise wrong_state("HIT", status, expected)
    HIT.objects.filter(pk=hit.pk).update(reviewing=not revert)


@transaction.atomic(using="crowd")
def hit_change_type(*, hit: HIT, hit_type: HITType) -> None:
    """Give a HIT the properties of another type; the money held follows the new price."""
    current = hit_lock(hit.pk)
    if current.disposed_at:
        raise wrong_state("HIT", "Disposed", "Assignable, Unassignable, Reviewable, Reviewing")
    cost = assignment_cost(hit_type, current.max_assignments)
    promised = Assignment.objects.filter(
        hit=hit, state__in=(AssignmentState.ACCEPTED, AssignmentState.SUBMITTED)
    ).count()
    if not current.expired:
        promised += current.open_slots
    funds.hold(hit.requester_id, (cost - current.cost_cents) * promised)
    HIT.objects.filter(pk=hit.pk).update(hit_type=hit_type, cost_cents=cost)
