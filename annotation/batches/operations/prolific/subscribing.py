"""Asking Prolific for events of a workspace, and the secret that they are signed with.

A failing call changes nothing that is stored: what was read from Prolific last stands.
"""

from datetime import timedelta

import structlog
from django.conf import settings
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from annotation.batches.operations.notices import mail_refused_events
from annotation.batches.operations.prolific.study import log_study
from annotation.core.operations import PUBLIC_STATES
from annotation.models import Batch, ProlificWorkspace
from annotation.prolific.client import LIVE, Prolific
from annotation.prolific.events import STUDY, SUBMISSION
from annotation.prolific.tokens import seal, unseal
from annotation.reach import is_loopback_url
from annotation.vocabulary import AuditAction
from metrics.errors import InputError

log = structlog.get_logger(__name__)

_ACTOR = "Prolific's events"
#: Members are told of refused events once in this time, whoever sends them.
_TOLD_EVERY = timedelta(days=1)


def subscribe_to_events(workspace: ProlificWorkspace, prolific: Prolific) -> str:
    """Subscribe this site to Prolific's events, if it can be reached; say what came of it."""
    every = settings.PROLIFIC_EVERY_SECONDS
    by_the_clock = f"Studies are read every {every:g} s." if every else "Studies are read by hand."
    target = settings.SITE_ADDRESS + reverse("prolific-event", args=[workspace.workspace_id])
    is_public = target.startswith("https://") and not is_loopback_url(target)
    is_rehearsed = prolific.address != LIVE and is_loopback_url(target)
    if not (is_public or is_rehearsed):
        _store(workspace, is_told=False)
        return f"{by_the_clock} Give FAIRPOOL_SITE an https address to hear of it at once."
    try:
        # Stored before the first event can come.
        _store_secret(workspace, prolific.event_secret(workspace.workspace_id))
        _subscribe(workspace, prolific, target)
    except InputError as error:
        workspace.refresh_from_db()
        known = "It tells this site what happens, as before." if workspace.is_told else by_the_clock
        return f"Prolific cannot be asked for its events: {error.message} {known}"
    return "Prolific tells this site what happens."


def look_into_refused(workspace: ProlificWorkspace, prolific: Prolific) -> None:
    """Read the secret again after refused events, which tells genuine ones from forgeries.

    Members who may publish are told of it in the log and by e-mail.
    """
    n_refused, is_mended = workspace.n_refused, False
    try:
        secret = prolific.known_event_secret(workspace.workspace_id)
        is_mended = secret is not None and _store_secret(workspace, secret)
    except InputError as error:
        log.warning("the secret of events cannot be read", why=error.message)
    now = timezone.now()
    is_due = Q(refused_told_at=None) | Q(refused_told_at__lte=now - _TOLD_EVERY)
    mine = ProlificWorkspace.objects.filter(is_due, pk=workspace.pk)
    if not mine.update(refused_told_at=now):
        return
    batches = Batch.objects.filter(
        prolific_study__workspace=workspace, state__in=PUBLIC_STATES
    ).select_related("study")
    for batch in batches:
        log_study(
            batch, _ACTOR, AuditAction.PROLIFIC_EVENTS_REFUSED,
            n=n_refused, secret="renewed" if is_mended else "unchanged",
        )  # fmt: skip
    mail_refused_events(batches=list(batches), n=n_refused, is_mended=is_mended)


def _store_secret(workspace: ProlificWorkspace, secret: str) -> bool:
    """Store Prolific's secret; return whether another one was stored here, or none."""
    if workspace.hook_secret and _is_stored(workspace, secret):
        _store(workspace, n_refused=0)
        return False
    _store(workspace, hook_secret=seal(secret), n_refused=0)
    return True


def _is_stored(workspace: ProlificWorkspace, secret: str) -> bool:
    try:
        return unseal(workspace.hook_secret) == secret
    except InputError:  # the site's secret key has changed since
        return False


def _subscribe(workspace: ProlificWorkspace, prolific: Prolific, target: str) -> None:
    before = [
        subscription
        for subscription in prolific.subscriptions(workspace.workspace_id)
        if subscription.target == target and subscription.event_type in (SUBMISSION, STUDY)
    ]
    there = {subscription.event_type for subscription in before if subscription.is_enabled}
    # Until all types are there, the studies are read by the clock as well.
    _store(workspace, is_told=there == {SUBMISSION, STUDY})
    for subscription in before:
        if not subscription.is_enabled:
            prolific.unsubscribe(subscription.subscription_id)
    for event_type in (SUBMISSION, STUDY):
        if event_type not in there:
            prolific.subscribe(workspace.workspace_id, event_type=event_type, target=target)
    # What was missed before is found in Prolific's list, back to the last catching up.
    caught_up_at = workspace.caught_up_at or timezone.now()
    _store(workspace, is_told=True, caught_up_at=caught_up_at)


def _store(workspace: ProlificWorkspace, **changed: object) -> None:
    ProlificWorkspace.objects.filter(pk=workspace.pk).update(**changed)
    for name, value in changed.items():
        setattr(workspace, name, value)
