"""Invariants of the crowd service's tables."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.db import IntegrityError, connections
from django.db.models import Case, Count, F, IntegerField, Q, QuerySet, Value, When

from mturk_local.models import (
    HIT,
    LIVE_STATES,
    Assignment,
    AssignmentState,
    EntryChannel,
    Requester,
    RequestToken,
    Worker,
)

Found = Iterator[str]


def broken_invariants() -> dict[str, list[str]]:
    """Return the broken invariants by name, with the offending rows; empty when all is well."""
    breaches_by_sentence = {sentence: list(search()) for sentence, search in INVARIANTS.items()}
    return {sentence: breaches for sentence, breaches in breaches_by_sentence.items() if breaches}


def _references() -> Found:
    try:
        connections["crowd"].check_constraints()
    except IntegrityError as error:
        yield str(error)


def _repeated(rows: QuerySet[Any], *fields: str) -> Found:
    repeated = rows.order_by().values(*fields).annotate(n=Count("pk")).filter(n__gt=1)
    for row in repeated:
        yield f"{row.pop('n')} rows with " + ", ".join(f"{name} {row[name]}" for name in fields)


def _slots() -> Found:
    live = Count("assignments", filter=Q(assignments__state__in=LIVE_STATES))
    for hit in HIT.objects.annotate(live=live).exclude(max_assignments=F("open_slots") + F("live")):
        yield (
            f"HIT {hit.hit_id}: {hit.open_slots} open and {hit.live} taken slots of "
            f"{hit.max_assignments}"
        )


def _one_go() -> Found:
    live = Assignment.objects.filter(state__in=LIVE_STATES)
    yield from _repeated(live, "hit", "worker")
    yield from _repeated(live, "hit", "person")
    yield from _repeated(live, "assignment_id")


def _answers() -> Found:
    done = (AssignmentState.SUBMITTED, AssignmentState.APPROVED, AssignmentState.REJECTED)
    for row in Assignment.objects.filter(state__in=done).filter(
        Q(submitted_at__isnull=True) | Q(answer="")
    ):
        yield f"assignment {row.assignment_id} is {row.state} without an answer or its time"
    for row in Assignment.objects.filter(state=AssignmentState.APPROVED, approved_at__isnull=True):
        yield f"assignment {row.assignment_id} is approved without its time"


def _money_covered() -> Found:
    for payer in Requester.objects.filter(
        Q(held_cents__lt=0) | Q(balance_cents__lt=F("held_cents"))
    ):
        yield f"{payer.name} has {payer.balance_cents} cents and holds {payer.held_cents}"


def _money_held() -> Found:
    """Check that the money held is the price of open slots and of answers not reviewed yet."""
    waiting = (AssignmentState.ACCEPTED, AssignmentState.SUBMITTED)
    open_slots = Case(
        When(expired=False, disposed_at=None, then=F("open_slots")),
        default=Value(0),
        output_field=IntegerField(),
    )
    held: dict[int, int] = {}
    for hit in HIT.objects.annotate(
        offered=open_slots, waiting=Count("assignments", filter=Q(assignments__state__in=waiting))
    ):
        owed = hit.cost_cents * (hit.offered + hit.waiting)
        held[hit.requester_id] = held.get(hit.requester_id, 0) + owed
    for payer in Requester.objects.all():
        if payer.held_cents != held.get(payer.pk, 0):
            yield f"{payer.name} holds {payer.held_cents} cents for {held.get(payer.pk, 0)}"


def _tokens() -> Found:
    yield from _repeated(RequestToken.objects.all(), "requester", "scope", "token")
    hit_ids = RequestToken.objects.filter(scope="CreateHIT").values_list("subject", flat=True)
    for subject in set(hit_ids) - set(HIT.objects.values_list("hit_id", flat=True)):
        yield f"a token names the HIT {subject}, which does not exist"
    yield from _repeated(RequestToken.objects.filter(scope="CreateHIT"), "subject")


def _simulated_are_marked() -> Found:
    unmarked = Worker.objects.filter(worker_id__startswith="ASIM").exclude(
        entry_channel=EntryChannel.SIMULATED
    )
    for worker in unmarked:
        yield f"worker {worker.worker_id} is simulated and came in by {worker.entry_channel}"


INVARIANTS: Mapping[str, Callable[[], Found]] = {
    "crowd: every row that another one names exists": _references,
    "crowd: open and taken slots make up each HIT": _slots,
    "crowd: one go per worker, person and HIT": _one_go,
    "crowd: what is handed in has an answer and its time": _answers,
    "crowd: the balance covers what is held": _money_covered,
    "crowd: what is held is what HITs may still cost": _money_held,
    "crowd: a token made one HIT": _tokens,
    "crowd: simulated workers are marked": _simulated_are_marked,
}
