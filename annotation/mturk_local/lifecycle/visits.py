"""The channels without an account: invite links, and participants of external panels."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from annotation.mturk_local.lifecycle.assignments import WorkError
from annotation.mturk_local.models import (
    AssignmentState,
    EntryChannel,
    Invite,
    Panel,
    PanelVisit,
    Verification,
    VisitState,
    Worker,
)
from annotation.mturk_local.workers import worker_create

_SALT = "crowd-service.invite"


class Participant(NamedTuple):
    """Who a panel says has come."""

    participant: str
    study: str
    session: str


@transaction.atomic(using="crowd")
def invite_create(*, note: str, person: str, lasts: timedelta, now: datetime) -> Invite:
    """A link for one person, valid from `now` for the time that it `lasts`."""
    worker = worker_create(entry_channel=EntryChannel.INVITE, person=person)
    ends = now + lasts
    Worker.objects.filter(pk=worker.pk).update(valid_until=ends)
    return Invite.objects.create(worker=worker, note=note, expires_at=ends)


def invite_token(invite: Invite) -> str:
    """What the link of `invite` ends with; only this site can make it."""
    return signing.Signer(salt=_SALT).sign(invite.invite_id)


def invite_of(token: str) -> Invite | None:
    """The invite of a link, if it is open; raises `BadSignature` for one that we did not make."""
    invite_id = signing.Signer(salt=_SALT).unsign(token)
    return (
        Invite.objects.filter(invite_id=invite_id, revoked_at=None, expires_at__gt=timezone.now())
        .select_related("worker")
        .first()
    )


@transaction.atomic(using="crowd")
def invite_revoke(*, invite: Invite, now: datetime) -> None:
    """Close the invite at once, also to who is already in. What was handed in stays."""
    Invite.objects.filter(pk=invite.pk, revoked_at=None).update(revoked_at=now)
    Worker.objects.filter(pk=invite.worker_id).update(active=False, session=F("session") + 1)


class OtherBrowserError(WorkError):
    """The participant belongs to another browser, and nothing proves that both are one person's."""


def visit_start(
    *, panel: Panel, who: Participant, now: datetime, browser: str = "", is_signed: bool = False
) -> PanelVisit:
    """The visit of a participant; coming again with the same session is the same visit.

    A participant of a provider is one worker in all its studies, and belongs to the `browser` that
    came first; with the panel's signature, to the one that brings it.
    """
    if not who.participant:
        raise WorkError("The link is incomplete: it does not say who you are.")
    visit = {"panel": panel, "study": who.study, "session": who.session}
    with transaction.atomic(using="crowd"):
        worker = _participant_ensure(
            f"{panel.provider}:{who.participant}", browser=browser, is_signed=is_signed
        )
        made, _ = PanelVisit.objects.get_or_create(
            **visit, worker=worker, defaults={"started_at": now}
        )
    return made


def _participant_ensure(person: str, *, browser: str, is_signed: bool) -> Worker:
    known = Worker.objects.filter(entry_channel=EntryChannel.PANEL, person=person).first()
    if known is None:
        try:
            with transaction.atomic(using="crowd"):
                return worker_create(
                    entry_channel=EntryChannel.PANEL,
                    person=person,
                    verification=Verification.VERIFIED if is_signed else Verification.WAITING,
                    browser=browser,
                )
        except IntegrityError:
            known = Worker.objects.get(entry_channel=EntryChannel.PANEL, person=person)
    return _bound(known, browser=browser, is_signed=is_signed)


def _bound(known: Worker, *, browser: str, is_signed: bool) -> Worker:
    """The participant, who now belongs to this browser; raises `OtherBrowserError`."""
    is_mine = known.browser == browser
    if known.browser and not is_mine and not is_signed:
        raise OtherBrowserError(
            "You have begun in another browser or on another device. Go on there."
        )
    # A signature proves who is here now. What another browser has done before stays unproved.
    proves_all = is_signed and (is_mine or not known.assignments.exists())
    changed: dict[str, object] = {"browser": browser}
    if proves_all and known.verification == Verification.WAITING:
        changed["verification"] = Verification.VERIFIED
    if known.browser and not is_mine:
        changed["session"] = F("session") + 1  # the other browser is out
    mine = Worker.objects.filter(pk=known.pk, browser=known.browser)
    if not mine.update(**changed):
        raise OtherBrowserError("You come from two browsers at once. Open the link again.")
    known.refresh_from_db()
    return known


def visit_progress(visit: PanelVisit) -> int:
    """How many tasks were handed in since the visit began."""
    return visit.worker.assignments.filter(
        submitted_at__gte=visit.started_at,
        state__in=(AssignmentState.SUBMITTED, AssignmentState.APPROVED, AssignmentState.REJECTED),
    ).count()


def visit_finish(*, visit: PanelVisit, state: VisitState) -> None:
    """End a visit; it ends once."""
    PanelVisit.objects.filter(pk=visit.pk, state=VisitState.OPEN).update(state=state)
    visit.refresh_from_db(fields=["state"])
