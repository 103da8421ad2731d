"""E-mail to members who have closed the browser: outcomes of batches, and refused events."""

from collections.abc import Sequence
from typing import NamedTuple

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.batches.operations.preflight import cost_to_come
from annotation.batches.queries.batches import BatchProgress, batch_progress
from annotation.core.access import actions_in
from annotation.core.marks import for_each
from annotation.core.money import budget_left
from annotation.core.site_address import site_address
from annotation.models import Batch, Notice
from annotation.vocabulary import Action, BatchEvent, BatchState

log = structlog.get_logger(__name__)


class _Mail(NamedTuple):
    """Words of a mail: what happened, `{}` being how many answers are in, and what to do where."""

    what: str
    next: str
    page: str
    arguments: tuple[str, ...] = ()


_MAILS = for_each(
    BatchEvent,
    {
        BatchEvent.FINISHED: _Mail(
            "{}, and no HITs are offered any longer.", "decide its labels", "batch-labels"
        ),
        BatchEvent.STOPPED: _Mail(
            "{}; what was accepted before may still be handed in.",
            "decide its labels, or offer it for longer",
            "batch-detail",
        ),
        BatchEvent.OUT_OF_BUDGET: _Mail(
            "Its HITs that are not published yet cost more than the budget has left.",
            "change the budget, then resume publishing",
            "batch-act",
            ("budget",),
        ),
    },
)


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
    if not _is_sent(_mail(batch, progress, event, recipients), batch=batch.pk, notice=event):
        notice.delete()


def mail_refused_events(*, batches: Sequence[Batch], n: int, is_mended: bool) -> None:
    """Tell the members who may publish that events were refused which look like Prolific's."""
    recipients = sorted({address for batch in batches for address in _recipients(batch)})
    if not recipients or not settings.EMAIL_HOST:
        return
    context = {
        "batches": batches,
        "n": n,
        "is_mended": is_mended,
        "page": site_address() + reverse("batch-prolific", args=[batches[0].pk]),
        "account": site_address() + reverse("account"),
    }
    text = render_to_string("mail/refused_events.txt", context)
    _is_sent(_message("Fairpool: events of Prolific were refused", text, recipients))


def _is_sent(message: EmailMessage, **about: object) -> bool:
    try:
        message.send()
    except (OSError, ValueError) as error:  # whatever the server replies, or an address that is
        # none; the text may contain it
        log.warning("mail not sent", why=type(error).__name__, **about)
        return False
    return True


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
    mail = _MAILS[event]
    context = {
        "batch": batch,
        "event": event,
        "what": mail.what.format(
            f"{progress.n_assignments:,} of {progress.n_assignments_expected:,} answers are in"
        ),
        "next": mail.next,
        "page": site_address() + reverse(mail.page, args=[batch.pk, *mail.arguments]),
        "account": site_address() + reverse("account"),
    }
    subject = " ".join(f"Fairpool: {batch.name} is {event.label}".split())
    return _message(subject, render_to_string("mail/batch.txt", context), recipients)


def _message(subject: str, text: str, recipients: list[str]) -> EmailMessage:
    headers = {"To": "undisclosed-recipients:;"}
    return EmailMessage(subject, text, bcc=recipients, headers=headers)
