"""E-mail about the outcome of a batch, for people who have closed the browser."""

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.batches.operations.preflight import cost_to_come
from annotation.batches.queries.batches import BatchProgress, batch_progress
from annotation.core.access import actions_in
from annotation.core.money import budget_left
from annotation.models import Batch, Notice
from annotation.vocabulary import Action, BatchEvent, BatchState

log = structlog.get_logger(__name__)


def notice_update(*, batch: Batch) -> None:
    """Send one mail about the event that the batch has reached, if any.

    The notice is stored before, so that only one of several workers sends the mail. If the mail
    server refuses it, the row is deleted: the next job about the batch tries again.
    """
    progress = batch_progress(batch=batch)
    event = _event(batch, progress)
    Notice.objects.filter(batch=batch).exclude(event=event or "").delete()
    if event is None:
        return
    notice, is_new = Notice.objects.get_or_create(batch=batch, defaults={"event": event})
    recipients = _recipients(batch) if is_new and settings.EMAIL_HOST else []
    if not recipients:
        return
    try:
        _mail(batch, progress, event, recipients).send()
    except OSError as error:  # whatever the server replies; its text may contain an address
        log.warning("mail not sent", batch=batch.pk, notice=event, why=type(error).__name__)
        notice.delete()


def _event(batch: Batch, progress: BatchProgress) -> BatchEvent | None:
    if batch.state == BatchState.STOPPED:
        return BatchEvent.STOPPED
    left = budget_left(batch=batch)
    if batch.state == BatchState.PUBLISHING and left is not None and cost_to_come(batch) > left:
        return BatchEvent.OUT_OF_BUDGET
    if batch.state == BatchState.PUBLISHED and not progress.is_awaited:
        return BatchEvent.FINISHED
    return None


def _recipients(batch: Batch) -> list[str]:
    """The addresses of the members who may publish, and so may spend what the batch needs."""
    members = User.objects.filter(studies__study=batch.study, is_active=True).exclude(email="")
    return [
        user.email
        for user in members.order_by("pk")
        if Action.PUBLISH in actions_in(user=user, study=batch.study)
    ]


def _mail(
    batch: Batch, progress: BatchProgress, event: BatchEvent, recipients: list[str]
) -> EmailMessage:
    """Build one message for all, which shows nobody's address to others."""
    pages = {
        BatchEvent.FINISHED: reverse("batch-labels", args=[batch.pk]),
        BatchEvent.STOPPED: reverse("batch-detail", args=[batch.pk]),
        BatchEvent.OUT_OF_BUDGET: reverse("batch-act", args=[batch.pk, "budget"]),
    }
    context = {
        "batch": batch,
        "progress": progress,
        "event": event,
        "page": settings.SITE_ADDRESS + pages[event],
        "account": settings.SITE_ADDRESS + reverse("account"),
    }
    return EmailMessage(
        " ".join(f"Fairpool: {batch.name} is {event.label}".split()),
        render_to_string("mail/batch.txt", context),
        bcc=recipients,
        headers={"To": "undisclosed-recipients:;"},
    )
