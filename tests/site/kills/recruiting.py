"""Recruiting on Prolific's double, as processes do it that may be killed at any moment."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.utils import timezone

from annotation.batches.operations.choose_crowd import CHOOSE_CROWD
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.prolific.add_places import ADD_PLACES
from annotation.batches.operations.prolific.approve_submissions import APPROVE_SUBMISSIONS
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.pay_bonuses import PAY_BONUSES
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.batches.operations.prolific.upload_tasks import UPLOAD_TASKS
from annotation.core.operations import Actor, AnyOperation
from annotation.core.perform import estimate, perform_here
from annotation.models import (
    Batch,
    ProlificBonusSet,
    ProlificEvent,
    ProlificStudy,
    ProlificTasks,
    ProlificWorkspace,
    Vote,
)
from annotation.overview.queries.invariants import broken_invariants
from annotation.vocabulary import BonusSetState
from tests.performing import do

_ACTOR = Actor("test")
#: Of the draft, and then.
FIRST_PLACES, ALL_PLACES = 2, 3


def recruit(batch: Batch) -> None:
    """Make the draft and publish it."""
    Batch.objects.filter(pk=batch.pk).update(budget=Decimal(1_000))
    do(DRAFT_STUDY, batch, minutes=2, places=FIRST_PLACES)
    _agree(PUBLISH_STUDY, batch)


def ask_there(batch: Batch) -> None:
    """Have Prolific ask the questions, make the draft and publish it."""
    Batch.objects.filter(pk=batch.pk).update(budget=Decimal(1_000))
    do(UPLOAD_TASKS, batch)
    do(DRAFT_STUDY, batch, minutes=2)
    _agree(PUBLISH_STUDY, batch)


def places(batch: Batch) -> None:
    missing = ALL_PLACES - ProlificStudy.objects.get(batch=batch).places
    if missing > 0:
        _agree(ADD_PLACES, batch, places=missing)


def catch_up(batch: Batch) -> None:
    """Read the study and the list of events, and collect the answers."""
    ProlificWorkspace.objects.update(caught_up_at=timezone.now() - timedelta(hours=1))
    do(READ_STUDY, batch)
    collect_batch(batch_id=batch.pk, actor="test")


def approve(batch: Batch) -> None:
    do(APPROVE_SUBMISSIONS, batch)
    do(READ_STUDY, batch)


def pay(batch: Batch, reason: str) -> None:
    """Each reason is another amount, since one that is uncertain stands in the way of its like."""
    number = int(reason)
    done = do(SET_UP_BONUSES, batch, reason=reason, amount=Decimal(10 + number) / 100)
    _agree(PAY_BONUSES, batch, bonuses=done.values["bonuses"])


def _agree(operation: AnyOperation, batch: Batch, **parameters: Any) -> None:
    cost = estimate(operation, batch, parameters, _ACTOR).cost
    perform_here(operation, batch, parameters, _ACTOR, cost)


# What is asked past the proxy


def connect(name: str, token: str) -> str:
    """The address stays that of the proxy, through which the processes go."""
    do(CONNECT_PROLIFIC, Batch.objects.get(name=name), token=token)
    return str(settings.PROLIFIC_ADDRESS)


def choose(name: str) -> None:
    do(CHOOSE_CROWD, Batch.objects.get(name=name), crowd="prolific")


def recruited(name: str) -> list[Any]:
    """What the row says once its claims are of dead processes: status, places, Prolific's id."""
    rows = ProlificStudy.objects.filter(batch__name=name)
    rows.update(draft_asked_at=None, changing_since=None)
    ProlificTasks.objects.filter(batch__name=name).update(working_since=None)
    asked = ProlificTasks.objects.filter(batch__name=name).exclude(set_up_at=None)
    asked.update(set_up_at=timezone.now() - timedelta(minutes=3))
    row = ProlificStudy.objects.filter(batch__name=name).first()
    return [row.status, row.places, row.study_id or ""] if row else ["", 0, ""]


def codes(name: str) -> dict[str, str]:
    found: dict[str, str] = ProlificStudy.objects.get(batch__name=name).codes
    return found


def hits_of(name: str) -> list[str]:
    return [str(one.hit_id) for one in Batch.objects.get(name=name).hits.order_by("index")]


def submissions(name: str) -> dict[str, str]:
    row = ProlificStudy.objects.get(batch__name=name)
    return dict(row.submissions.values_list("submission_id", "status"))


def bonus_state(name: str, reason: str) -> str:
    """As of now, after what was being paid has been given up."""
    sets = ProlificBonusSet.objects.filter(study__batch__name=name, reason=reason)
    found = sets.exclude(state=BonusSetState.NOT_PAID).first()
    if found is not None and found.state == BonusSetState.PAYING:
        sets.update(paying_at=timezone.now() - timedelta(minutes=3))
    return str(found.state) if found else ""


def bonuses(name: str) -> dict[str, str]:
    """States by Prolific's id of the set."""
    found = ProlificBonusSet.objects.filter(study__batch__name=name).exclude(set_id=None)
    return {str(one.set_id): str(one.state) for one in found}


def books(name: str) -> dict[str, Any]:
    """Votes, events and what does not hold."""
    batch = Batch.objects.get(name=name)
    votes = Vote.objects.filter(assignment__hit__batch=batch)
    doubled = (
        ProlificEvent.objects.count() - ProlificEvent.objects.values("event_id").distinct().count()
    )
    return {
        "votes": votes.filter(counts=True).count(),
        "repeated": votes.filter(counts=False).count(),
        "events twice": doubled,
        "broken": {sentence: len(list(rows)) for sentence, rows in broken_invariants().items()},
    }
