"""Events that Prolific sends: stored once, and handled by reading their subject.

An event is a hint: the study is read at Prolific, so that a forged, repeated or late event changes
nothing. Lost ones are found in Prolific's own list, or by periodic reading.
"""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta

import structlog
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotation.batches.operations.prolific.subscribing import look_into_refused
from annotation.core.operations import PUBLIC_STATES
from annotation.core.perform import queue_job
from annotation.models import Batch, ProlificEvent, ProlificStudy, ProlificWorkspace
from annotation.prolific.client import Prolific, RefusedError
from annotation.prolific.connection import addresses_in_force
from annotation.prolific.events import (
    Event,
    ForgedError,
    is_rightly_formed,
    moment,
    signed_event,
)
from annotation.prolific.tokens import unseal
from annotation.vocabulary import TaskKind
from metrics.errors import InputError

log = structlog.get_logger(__name__)

ACTOR = "Prolific's events"
#: Its list of events is read this often, ...
CATCH_UP_EVERY = timedelta(minutes=10)
#: ... back to here; after a longer time away, the studies are read instead.
_BACK_TO = timedelta(days=1)
#: Repetitions come within a day; later than this, events need not be recognised.
_KEPT_FOR = timedelta(days=7)


def event_receive(*, workspace_id: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Store the event of a message and ask for a reading; False where it was known already.

    `ForgedError` for a message that is not Prolific's or not recent, `InputError` for a meaningless
    one.
    """
    workspace, now = workspaces_in_force().filter(workspace_id=workspace_id).first(), timezone.now()
    try:
        event, is_of_now = signed_event(headers, body, secret=_secret(workspace), now=now)
    except ForgedError:
        if is_rightly_formed(headers, body, now=now):
            _note_refused(workspace_id)
        raise
    if workspace is None:  # which no signature fits
        raise ForgedError("the message is not signed by Prolific for this site.")
    if not is_of_now:
        if workspace.events.filter(event_id=event.event_id).exists():
            return False
        raise ForgedError("the message is too old, or from the future.")
    if workspace.n_refused:
        ProlificWorkspace.objects.filter(pk=workspace.pk).update(n_refused=0)
    with transaction.atomic():
        stored = _store_event(workspace, event)
        if stored is None:
            return False
        study = stored.study or _any_study(workspace)
        if study is not None:
            queue_job(kind=TaskKind.READ_PROLIFIC, subject=study.batch, actor=ACTOR)
    return True


def open_events(row: ProlificStudy) -> list[int]:
    """Return the events of the study that nothing was read for yet."""
    return list(row.events.filter(worked_off_at=None).values_list("pk", flat=True))


def close_events(events: list[int]) -> None:
    """Mark events as handled: their subject was read after they had arrived."""
    ProlificEvent.objects.filter(pk__in=events).update(worked_off_at=timezone.now())


def find_events(row: ProlificStudy, prolific: Prolific) -> None:
    """Catch up with Prolific's list, find the study of each event, have other studies read."""
    workspace = row.workspace
    if workspace.n_refused:
        look_into_refused(workspace, prolific)
    if workspace.is_told:
        _catch_up(workspace, prolific)
    now = timezone.now()
    workspace.events.filter(worked_off_at__lt=now - _KEPT_FOR).delete()
    unknown = workspace.events.filter(study=None, worked_off_at=None)
    for resource in dict.fromkeys(unknown.values_list("resource_id", flat=True)):
        mine = unknown.filter(resource_id=resource)
        study = _study_of(workspace, resource) or _read_study(workspace, resource, prolific)
        if study is None:
            mine.update(worked_off_at=now)  # somebody else's
        else:
            mine.update(study=study)
    others = ProlificStudy.objects.filter(workspace=workspace, batch__state__in=PUBLIC_STATES)
    waiting = workspace.events.filter(worked_off_at=None).values("study")
    for study in others.filter(pk__in=waiting).exclude(pk=row.pk):
        queue_job(kind=TaskKind.READ_PROLIFIC, subject=study.batch, actor=ACTOR)


def workspaces_in_force() -> QuerySet[ProlificWorkspace]:
    """The workspaces at the addresses of Prolific in use."""
    return ProlificWorkspace.objects.filter(address__in=addresses_in_force())


def _secret(workspace: ProlificWorkspace | None) -> str:
    """The secret of the workspace, or one that nobody knows.

    So a request for an unknown workspace takes as long as for a known one.
    """
    if workspace is not None and workspace.hook_secret:
        with suppress(InputError):  # the site's secret key has changed since
            return unseal(workspace.hook_secret)
    return secrets.token_hex()


def _note_refused(workspace_id: str) -> None:
    """Count a rightly formed event that was refused, and have the stored secret looked into.

    Anybody can send one: so it causes one reading in `CATCH_UP_EVERY` at most.
    """
    now, mine = timezone.now(), workspaces_in_force().filter(workspace_id=workspace_id)
    mine.update(n_refused=F("n_refused") + 1)
    is_due = Q(refused_at=None) | Q(refused_at__lte=now - CATCH_UP_EVERY)
    if mine.filter(is_due).update(refused_at=now):
        study = _any_study(mine.get())
        if study is not None:
            queue_job(kind=TaskKind.READ_PROLIFIC, subject=study.batch, actor=ACTOR)


def _store_event(workspace: ProlificWorkspace, event: Event) -> ProlificEvent | None:
    """The row; None where it was there."""
    try:
        with transaction.atomic():
            return ProlificEvent.objects.create(
                workspace=workspace,
                study=_study_of(workspace, event.resource_id),
                event_id=event.event_id,
                event_type=event.event_type,
                resource_id=event.resource_id,
                sent_at=event.sent_at,
            )
    except IntegrityError:
        return None


def _study_of(workspace: ProlificWorkspace, resource: str) -> ProlificStudy | None:
    """Return the study that is the resource, or that a known submission belongs to."""
    studies = ProlificStudy.objects.filter(workspace=workspace)
    return (
        studies.filter(study_id=resource).first()
        or studies.filter(submissions__submission_id=resource).first()
    )


def _read_study(
    workspace: ProlificWorkspace, resource: str, prolific: Prolific
) -> ProlificStudy | None:
    """Ask Prolific for the study of a submission that is new here."""
    try:
        study_id = prolific.submission(resource).study_id
    except RefusedError as error:
        if error.status == 404:  # noqa: PLR2004 - a study of somebody else, or gone
            return None
        raise
    return ProlificStudy.objects.filter(workspace=workspace, study_id=study_id).first()


def _any_study(workspace: ProlificWorkspace) -> ProlificStudy | None:
    """A study whose reading finds out what the workspace's events are about."""
    studies = ProlificStudy.objects.filter(workspace=workspace, study_id__isnull=False)
    return studies.filter(batch__state__in=PUBLIC_STATES).first()


def _catch_up(workspace: ProlificWorkspace, prolific: Prolific) -> None:
    """Store the events of Prolific's list that never arrived here."""
    began, last = timezone.now(), workspace.caught_up_at
    if last is not None and last > began - CATCH_UP_EVERY:
        return
    if last is None or last < began - _BACK_TO:
        _read_all(workspace)
    since = max(last or began, began - _BACK_TO) - CATCH_UP_EVERY
    for subscription in prolific.subscriptions(workspace.workspace_id):
        for wire in prolific.events(subscription.subscription_id):
            at = moment(str(wire.get("datetime_created") or "")) or began
            if at >= since:
                _store_listed(workspace, wire, at)
    ProlificWorkspace.objects.filter(pk=workspace.pk).update(caught_up_at=began)


def _store_listed(workspace: ProlificWorkspace, wire: Mapping[str, object], at: datetime) -> None:
    try:
        event = Event.from_wire(wire, event_id=str(wire.get("id") or ""), sent_at=at)
    except InputError as error:
        log.info("an event of the list says nothing", why=error.message)
        return
    _store_event(workspace, event)


def _read_all(workspace: ProlificWorkspace) -> None:
    for batch in Batch.objects.filter(
        prolific_study__workspace=workspace,
        prolific_study__study_id__isnull=False,
        state__in=PUBLIC_STATES,
    ):
        queue_job(kind=TaskKind.READ_PROLIFIC, subject=batch, actor=ACTOR)
