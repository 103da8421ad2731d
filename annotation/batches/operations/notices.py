"""E-mail to members who have closed the browser: outcomes of batches, and refused events."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.batches.operations.preflight import cost_to_come
from annotation.batches.queries.batches import BatchProgress, batch_progress
from annotation.batches.queries.next_action import NextStep, next_action
from annotation.core.access import actions_in
from annotation.core.mail import mail_is_sent
from annotation.core.money import budget_left
from annotation.core.site_address import site_address
from annotation.models import Batch, Notice
from annotation.vocabulary import Action, BatchState


class _Event(NamedTuple):
    """An event that is told by mail: `has_come` says when.

    What happened, `{}` being how many answers are in, and what to do `next` on which page.
    """

    name: str
    has_come: Callable[[Batch, BatchProgress], bool]
    what: str
    next: str
    page: str
    arguments: tuple[str, ...] = ()


def _costs_too_much(batch: Batch, _progress: BatchProgress) -> bool:
    left = budget_left(batch=batch)
    return batch.state == BatchState.PUBLISHING and left is not None and cost_to_come(batch) > left


def _is_finished(batch: Batch, progress: BatchProgress) -> bool:
    return batch.state == BatchState.PUBLISHED and not progress.is_awaited


def _due(batch: Batch, progress: BatchProgress) -> NextStep:
    return next_action(batch=batch, progress=progress, may=Action.values).step


def _needs_round(batch: Batch, progress: BatchProgress) -> bool:
    return _is_finished(batch, progress) and _due(batch, progress) == NextStep.ASK_FURTHER


#: A new event is a row here, and nothing else.
EVENTS = (
    _Event(
        "stopped",
        lambda batch, _: batch.state == BatchState.STOPPED,
        "{}; what was accepted before may still be handed in.",
        "decide its labels, or offer it for longer",
        "batch-detail",
    ),
    _Event(
        "out of budget",
        _costs_too_much,
        "Its HITs that are not published yet cost more than the budget has left.",
        "change the budget, then resume publishing",
        "batch-act",
        ("budget",),
    ),
    _Event(
        "due for a new round",
        _needs_round,
        "{}, but do not settle everything.",
        "ask the next round",
        "batch-act",
        ("round",),
    ),
    _Event(
        "finished",
        _is_finished,
        "{}, and no HITs are offered any longer.",
        "decide its labels",
        "batch-labels",
    ),
)

#: What else than labels a finished batch may wait for, and on which page.
_FINISHED = {
    NextStep.ASK_AGAIN: ("request what is missing, or decide its labels without", "batch-detail"),
    NextStep.APPROVE_ON_PROLIFIC: ("approve on Prolific who took part", "batch-prolific"),
    NextStep.IMPORT_LIST: ("import the panel's list", "batch-workers"),
}


def notice_update(*, batch: Batch) -> None:
    """Send one mail about the event that the batch has reached, if any.

    The notice is stored before, so that only one of several workers sends the mail. If the mail
    server refuses it, the row is deleted: the next job about the batch tries again.
    """
    progress = batch_progress(batch=batch)
    event = next((event for event in EVENTS if event.has_come(batch, progress)), None)
    Notice.objects.filter(batch=batch).exclude(event=event.name if event else "").delete()
    if event is None:
        return
    notice, is_new = Notice.objects.get_or_create(batch=batch, defaults={"event": event.name})
    recipients = _recipients(batch) if is_new and settings.EMAIL_HOST else []
    if not recipients:
        return
    if not mail_is_sent(
        _mail(batch, progress, event, recipients), batch=batch.pk, notice=event.name
    ):
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
    mail_is_sent(_message("Fairpool: events of Prolific were refused", text, recipients))


def _recipients(batch: Batch) -> list[str]:
    """The addresses of the members who may publish, and so may spend what the batch needs."""
    members = User.objects.filter(studies__study=batch.study, is_active=True).exclude(email="")
    return [
        user.email
        for user in members.order_by("pk")
        if Action.PUBLISH in actions_in(user=user, study=batch.study)
    ]


def _mail(
    batch: Batch, progress: BatchProgress, event: _Event, recipients: list[str]
) -> EmailMessage:
    """Build one message for all, which shows nobody's address to others."""
    following, page = event.next, event.page
    if event.has_come is _is_finished:
        following, page = _FINISHED.get(_due(batch, progress), (following, page))
    context = {
        "batch": batch,
        "event": event.name,
        "what": event.what.format(
            f"{progress.n_assignments:,} of {progress.n_assignments_expected:,} answers are in"
        ),
        "next": following,
        "page": site_address() + reverse(page, args=[batch.pk, *event.arguments]),
        "account": site_address() + reverse("account"),
    }
    subject = " ".join(f"Fairpool: {batch.name} is {event.name}".split())
    return _message(subject, render_to_string("mail/batch.txt", context), recipients)


def _message(subject: str, text: str, recipients: list[str]) -> EmailMessage:
    headers = {"To": "undisclosed-recipients:;"}
    return EmailMessage(subject, text, bcc=recipients, headers=headers)
