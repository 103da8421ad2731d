"""Workers: created on arrival, and erased on request."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from mturk_local.ids import participant_id
from mturk_local.ids import worker_id as new_worker_id
from mturk_local.models import (
    Arrival,
    Assignment,
    AssignmentState,
    Block,
    Bonus,
    Channel,
    EntryChannel,
    Inquiry,
    Invite,
    Message,
    PanelVisit,
    Qualification,
    QualificationRequest,
    Verification,
    Worker,
)


def worker_create(
    *,
    entry_channel: EntryChannel,
    person: str = "",
    worker_id: str = "",
    username: str | None = None,
    password: str = "",
    country: str = "",
    verification: Verification = Verification.VERIFIED,
    browser: str = "",
) -> Worker:
    """A new worker. Without a `person` the worker is a person that no other channel knows."""
    if username is not None and not username.isprintable():
        # Such a name would read like another, or change the direction of text.
        raise ValidationError("The user name has a character that cannot be seen.")
    if username is not None and Worker.objects.filter(username__iexact=username).exists():
        raise IntegrityError(f"{username} differs from another user name by case at most")
    made_id = worker_id or (
        participant_id() if entry_channel == EntryChannel.PANEL else new_worker_id()
    )
    worker = Worker(
        worker_id=made_id,
        person=person or made_id,
        entry_channel=entry_channel,
        username=username,
        country=country,
        verification=verification,
        browser=browser,
    )
    if password:
        worker.set_password(password)
    worker.clean_fields(exclude=["password"])
    worker.save(force_insert=True)
    return worker


@transaction.atomic(using="crowd")
def simulated_worker_ensure(*, worker_id: str) -> Worker:
    """The simulated worker of this id, whose first visit this may be."""
    known = Worker.objects.filter(worker_id=worker_id).first()
    return known or worker_create(entry_channel=EntryChannel.SIMULATED, worker_id=worker_id)


def worker_sign_out_everywhere(*, worker: Worker) -> None:
    """End every session of the worker at once."""
    Worker.objects.filter(pk=worker.pk).update(session=worker.session + 1)


def workers_at_rest(*, since: datetime) -> QuerySet[Worker]:
    """The people who came before `since` and have accepted no HIT and heard no decision after it.

    Without simulated and erased workers.
    """
    work = Assignment.objects.filter(worker=OuterRef("pk")).filter(
        Q(accepted_at__gte=since) | Q(approved_at__gte=since) | Q(rejected_at__gte=since)
    )
    erased = Q(active=False, password="", person=F("worker_id"))  # see `worker_erase`
    at_rest = Worker.objects.filter(~Exists(work), created_at__lt=since)
    return at_rest.exclude(entry_channel=EntryChannel.SIMULATED).exclude(erased)


class AtWorkError(Exception):
    """The worker has accepted a HIT, or waits for pay."""


def is_at_work(worker: Worker) -> bool:
    """Return whether the worker has accepted a HIT, or waits for pay."""
    waiting = (AssignmentState.ACCEPTED, AssignmentState.SUBMITTED)
    return Assignment.objects.filter(worker=worker, state__in=waiting).exists()


@transaction.atomic(using="crowd")
def worker_erase(*, worker: Worker) -> None:
    """Delete the worker's identity: account, place, channels, messages, qualifications.

    The worker's id stays with submitted answers, so that requesters' records agree with ours. It is
    random, and nothing leads from it to the person any more.
    """
    if is_at_work(worker):
        raise AtWorkError
    for rows in (Block, Message, Qualification, QualificationRequest, Inquiry):
        rows.objects.filter(worker=worker).delete()
    Invite.objects.filter(worker=worker).delete()
    # Notes of a channel that only they used were about them.
    Channel.objects.filter(Q(arrivals__worker=worker, places=1) | Q(account=worker)).update(
        note="", account=None
    )
    Arrival.objects.filter(worker=worker).delete()
    PanelVisit.objects.filter(worker=worker).delete()
    Assignment.objects.filter(worker=worker).update(person=worker.worker_id, feedback="")
    Bonus.objects.filter(assignment__worker=worker).update(reason="")
    Worker.objects.filter(pk=worker.pk).update(
        person=worker.worker_id,
        username=None if worker.username is None else worker.worker_id,
        password="",
        browser="",
        country="",
        subdivision="",
        invited_to=None,
        adult=False,
        masters=False,
        failed_sign_ins=0,
        last_failed_at=None,
        active=False,
        session=F("session") + 1,
    )
