"""The channels without an account: invite links, and participants of external panels."""

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from mturk_local.lifecycle.assignments import WorkError
from mturk_local.models import (
    AssignmentState,
    EntryChannel,
    Invite,
    Panel,
    PanelVisit,
    UsedLink,
    Verification,
    VisitState,
    Worker,
)
from mturk_local.signed_links import SignedLink
from mturk_local.workers import worker_create

_SALT = "crowd-service.invite"


class Participant(NamedTuple):
    """Participant that a panel has sent."""

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
    """The end of the link of `invite`; only this site can make it."""
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
    """Close the invite at once, also for people who are in. Submitted answers stay."""
    Invite.objects.filter(pk=invite.pk, revoked_at=None).update(revoked_at=now)
    Worker.objects.filter(pk=invite.worker_id).update(active=False, session=F("session") + 1)


#: Placeholders that a panel should have replaced, in the panels' notations.
_PLACEHOLDER = re.compile(
    r"\{\{.*\}\}|\{%.*%\}|%\w+%|[$#@]?\{.*\}|\[.*\]|<.*>|undefined|null|none|nan|nil", re.IGNORECASE
)


class PlaceholderError(WorkError):
    """The panel sent a placeholder instead of a value: its link is not set up correctly."""

    def __init__(self, value: str) -> None:
        self.value = value
        super().__init__(
            _(
                "The panel did not fill in its link: instead of an id it says “%(value)s”. Tell "
                "the panel or whoever runs the study; you have done nothing wrong."
            )
            % {"value": value[:60]}
        )


class OtherBrowserError(WorkError):
    """The participant belongs to another browser, and nothing proves that both are one person's."""


def visit_start(
    *,
    panel: Panel,
    who: Participant,
    now: datetime,
    browser: str = "",
    link: SignedLink | None = None,
) -> PanelVisit:
    """The visit of a participant; coming again with the same session is the same visit.

    A participant of a provider is one worker in all its studies, and belongs to the `browser` that
    came first. A `link` that the panel signed takes them to the browser that opens it first.
    """
    if not who.participant:
        raise WorkError(_("The link is incomplete: it does not say who you are."))
    for value in who:
        if _PLACEHOLDER.fullmatch(value):
            raise PlaceholderError(value)
    visit = {"panel": panel, "study": who.study, "session": who.session}
    with transaction.atomic(using="crowd"):
        if link is not None:
            _use_link(link, browser=browser, now=now)
        worker = _participant_ensure(
            f"{panel.provider}:{who.participant}", browser=browser, is_signed=link is not None
        )
        panel_visit, _is_new = PanelVisit.objects.get_or_create(
            **visit, worker=worker, defaults={"started_at": now}
        )
    return panel_visit


def _use_link(link: SignedLink, *, browser: str, now: datetime) -> None:
    """Note that `browser` opened the link; raises `OtherBrowserError` if another was first."""
    UsedLink.objects.filter(expires_at__lt=now).delete()
    used, _is_new = UsedLink.objects.get_or_create(
        digest=link.digest, defaults={"browser": browser, "expires_at": link.expires_at}
    )
    if used.browser != browser:
        raise OtherBrowserError(
            _(
                "This link has been opened in another browser. Go on there, or go back to the "
                "panel and open the study again."
            )
        )


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
    # A visitor who has only looked holds nothing that another browser could take.
    has_begun = known.assignments.exists()
    if known.browser and not is_mine and not is_signed and has_begun:
        raise OtherBrowserError(
            _("You have begun in another browser or on another device. Go on there.")
        )
    # A signature proves who is here now. What another browser has done before stays unproved.
    proves_all = is_signed and (is_mine or not has_begun)
    changed: dict[str, object] = {"browser": browser}
    if proves_all and known.verification == Verification.WAITING:
        changed["verification"] = Verification.VERIFIED
    if known.browser and not is_mine:
        changed["session"] = F("session") + 1  # the other browser is out
    mine = Worker.objects.filter(pk=known.pk, browser=known.browser)
    if known.browser and not is_mine and not is_signed:
        mine = mine.filter(assignments__isnull=True)  # nor have they begun just now
    if not mine.update(**changed):
        raise OtherBrowserError(_("You come from two browsers at once. Open the link again."))
    known.refresh_from_db()
    return known


def visit_progress(visit: PanelVisit) -> int:
    """Number of tasks submitted since the visit began."""
    return visit.worker.assignments.filter(
        submitted_at__gte=visit.started_at,
        state__in=(AssignmentState.SUBMITTED, AssignmentState.APPROVED, AssignmentState.REJECTED),
    ).count()


def visit_complete(visit: PanelVisit) -> None:
    """End a visit: its participant has earned the completion code."""
    visit.state = VisitState.COMPLETED
    visit.save(update_fields=["state"])
