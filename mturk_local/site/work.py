"""HITs on offer, in hand and done: reads of the annotators' pages."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import reduce
from operator import or_
from typing import NamedTuple, TypeVar

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from mturk_local import money
from mturk_local.eligibility import Standing, has_left
from mturk_local.lifecycle.withdrawing import answers_to_withdraw
from mturk_local.models import (
    DONE_STATES,
    HIT,
    Assignment,
    AssignmentState,
    Block,
    Bonus,
    HITType,
    QualificationType,
    Worker,
)
from mturk_local.qualifications import SYSTEM_NAMES

Key = TypeVar("Key")

_RECENT = 200
#: Number of the oldest HITs of a group over which people are spread.
_SPREAD = 50


class Group(NamedTuple):
    """HITs of one type that the worker may see.

    `number` of them are available now, none while a qualification is missing; `may_qualify` if all
    missing ones can still be requested.
    """

    hit_type: HITType
    reward: str
    number: int
    may_qualify: bool


class Need(NamedTuple):
    """A requirement that the worker does not meet; `kind` can be asked for, if it is there."""

    name: str
    kind: QualificationType | None


class Earned(NamedTuple):
    """Totals of a worker's submitted tasks: number, pay, approved pay."""

    number: int
    amount: str
    approved: str


class Done(NamedTuple):
    """A finished assignment, and the bonuses paid for it."""

    assignment: Assignment
    reward: str
    bonuses: list[tuple[str, str]]
    may_be_withdrawn: bool


def hits_to_do(worker: Worker, now: datetime) -> QuerySet[HIT]:
    """The open HITs that `worker` was invited to and the person has not taken, oldest first.

    People who left a panel's study find none. Requirements on workers are checked elsewhere, see
    `unmet`.
    """
    if has_left(worker):
        return HIT.objects.none()
    taken = Assignment.objects.filter(
        hit=OuterRef("pk"), person=worker.person, state__in=DONE_STATES
    )
    blocked = Block.objects.filter(worker=worker).values("requester")
    return (
        HIT.objects.filter(
            invitation(worker.invited_to),
            ~Exists(taken),
            open_slots__gt=0,
            expiration__gt=now,
            expired=False,
            disposed_at=None,
        )
        .exclude(requester__in=blocked)
        .select_related("hit_type__requester")
        .order_by("pk")
    )


def invitation(invited_to: Iterable[tuple[int, str]] | None, lead: str = "") -> Q:
    """Return whether a HIT, found by way of `lead`, is one that somebody is invited to."""
    if invited_to is None:
        return Q()
    places = [
        Q(
            **{
                f"{lead}requester": requester,
                f"{lead}requester_annotation__startswith": annotation,
            }
        )
        for requester, annotation in invited_to
    ]
    return reduce(or_, places, Q(pk__in=[]))


def next_hit(worker: Worker, now: datetime, group_id: str) -> HIT | None:
    """One of the oldest HITs of a group that `worker` may do; None if there is none.

    Of hundreds who ask at the same moment, few are shown the same one.
    """
    mine = hits_to_do(worker, now).filter(hit_type__hit_group_id=group_id)
    for key in _spread(worker, list(mine.values_list("pk", flat=True)[:_SPREAD])):
        if hit := mine.filter(pk=key).first():
            return hit
    return None


def taken(worker: Worker, hit: HIT) -> Assignment | None:
    """The assignment of `hit` that the person behind `worker` has done or holds, if any."""
    return hit.assignments.filter(person=worker.person, state__in=DONE_STATES).first()


def hits_to_accept(worker: Worker, now: datetime, first: HIT) -> Iterator[HIT]:
    """Return `first`, then others of its type, in case somebody else is quicker."""
    others = hits_to_do(worker, now).filter(hit_type=first.hit_type)
    yield from others.filter(pk=first.pk)
    keys = others.exclude(pk=first.pk).values_list("pk", flat=True)[:_SPREAD]
    for key in _spread(worker, list(keys)):
        yield from others.filter(pk=key)


def _spread(worker: Worker, keys: list[Key]) -> list[Key]:
    """Rotate `keys` to begin at a place of the worker's own."""
    start = worker.pk % len(keys) if keys else 0
    return keys[start:] + keys[:start]


def groups_to_do(worker: Worker, now: datetime) -> list[Group]:
    """The groups with something to do that `worker` may discover, best paid first."""
    rows = hits_to_do(worker, now).order_by().values_list("hit_type").annotate(Count("pk"))
    numbers: dict[int, int] = dict(rows)
    hit_types = HITType.objects.filter(pk__in=numbers).select_related("requester")
    standing = Standing(worker)
    groups = []
    for hit_type in hit_types.order_by("-reward_cents", "pk"):
        if standing.unmet(hit_type, "Discover"):
            continue
        lacking = [
            requirement["QualificationTypeId"] for requirement in standing.unmet(hit_type, "Accept")
        ]
        groups.append(
            Group(
                hit_type,
                money.amount(hit_type.reward_cents),
                0 if lacking else numbers[hit_type.pk],
                bool(lacking) and _can_be_asked_for(worker, lacking),
            )
        )
    return groups


def _can_be_asked_for(worker: Worker, type_ids: list[str]) -> bool:
    """Return whether the worker can still ask for each of these qualifications, or waits for it."""
    kinds = QualificationType.objects.filter(
        qualification_type_id__in=type_ids, active=True, deleted_at=None
    ).exclude(qualifications__worker=worker)
    return kinds.count() == len(set(type_ids))


def needs(worker: Worker, hit_type: HITType, action: str) -> list[Need]:
    """Requirements that `worker` lacks to `Accept` or `Preview` HITs of this type."""
    ids = [
        requirement["QualificationTypeId"]
        for requirement in Standing(worker).unmet(hit_type, action)
    ]
    kinds = QualificationType.objects.filter(qualification_type_id__in=ids, deleted_at=None)
    by_id = {kind.qualification_type_id: kind for kind in kinds}
    return [
        Need(
            by_id[type_id].name if type_id in by_id else SYSTEM_NAMES.get(type_id, type_id),
            by_id.get(type_id),
        )
        for type_id in ids
    ]


def in_hand(worker: Worker) -> QuerySet[Assignment]:
    """Assignments that `worker` has accepted and not finished, the most urgent first."""
    return (
        Assignment.objects.filter(worker=worker, state=AssignmentState.ACCEPTED)
        .select_related("hit__hit_type__requester")
        .order_by("deadline")
    )


def done(worker: Worker, now: datetime) -> list[Done]:
    """Assignments that `worker` has submitted, the newest first."""
    finished = list(
        Assignment.objects.filter(worker=worker, submitted_at__isnull=False)
        .select_related("hit__hit_type__requester")
        .order_by("-submitted_at")[:_RECENT]
    )
    bonuses: dict[int, list[tuple[str, str]]] = {}
    for bonus in Bonus.objects.filter(assignment__in=finished):
        paid = (money.amount(bonus.amount_cents), bonus.reason)
        bonuses.setdefault(bonus.assignment_id, []).append(paid)
    open_still = set(answers_to_withdraw(worker, now).values_list("pk", flat=True))
    return [
        Done(
            assignment,
            money.amount(assignment.hit.hit_type.reward_cents),
            bonuses.get(assignment.pk, []),
            assignment.pk in open_still,
        )
        for assignment in finished
    ]


def earned(worker: Worker) -> Earned:
    """Earnings of `worker` so far, with bonuses and without rejected assignments."""
    submitted = worker.assignments.filter(
        state__in=(AssignmentState.SUBMITTED, AssignmentState.APPROVED)
    )
    cents = dict.fromkeys((AssignmentState.SUBMITTED, AssignmentState.APPROVED), 0)
    rows = submitted.order_by().values_list("state", "hit__hit_type__reward_cents")
    number = 0
    for state, reward in rows.iterator(2_000):
        number += 1
        cents[AssignmentState(state)] += reward
    bonus = Bonus.objects.filter(assignment__worker=worker).aggregate(sum=Sum("amount_cents"))
    approved = cents[AssignmentState.APPROVED] + (bonus["sum"] or 0)
    total = approved + cents[AssignmentState.SUBMITTED]
    return Earned(number, money.amount(total), money.amount(approved))
