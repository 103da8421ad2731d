"""Tickets: sign-in at the crowd service, once and without a password, for a requester's members."""

import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.core import signing
from django.db import IntegrityError, transaction
from django.utils import timezone

from mturk_local.models import EntryChannel, Requester, Ticket, Worker
from mturk_local.workers import worker_create

_SALT = "crowd-service.ticket"
_LASTS = timedelta(minutes=2)
#: Lifetime of the session; then a member needs another ticket.
_SESSION = timedelta(hours=12)
LONGEST_PERSON = 150


class DeadTicketError(Exception):
    """The ticket is not ours, was used, or has run out."""


def ticket_make(requester: Requester, person: str, *, annotations: Sequence[str]) -> str:
    """Return a ticket for `person`, as `requester` calls them; it works once, for two minutes.

    They are offered the HITs whose annotations begin so, and no others.
    """
    content = [requester.pk, person, list(annotations), secrets.token_hex(16)]
    return signing.TimestampSigner(salt=_SALT).sign_object(content, compress=True)


@transaction.atomic(using="crowd")
def ticket_use(token: str) -> Worker:
    """Use a ticket and return its worker: the same person is always the same worker."""
    try:
        content = signing.TimestampSigner(salt=_SALT).unsign_object(token, max_age=_LASTS)
    except signing.BadSignature:
        raise DeadTicketError from None
    requester_id, person, annotations, nonce = content
    requester = Requester.objects.filter(pk=requester_id).first()
    if requester is None:
        raise DeadTicketError
    Ticket.objects.filter(used_at__lt=timezone.now() - 2 * _LASTS).delete()
    try:
        with transaction.atomic(using="crowd"):
            Ticket.objects.create(requester=requester, nonce=nonce, used_at=timezone.now())
    except IntegrityError:
        raise DeadTicketError from None
    worker = _member_ensure(f"member:{requester.pk}:{person}")
    if not worker.active:
        raise DeadTicketError
    worker.valid_until = timezone.now() + _SESSION
    worker.invited_to = [(requester.pk, annotation) for annotation in annotations]
    worker.save(update_fields=["valid_until", "invited_to"])
    return worker


def _member_ensure(person: str) -> Worker:
    known = Worker.objects.filter(entry_channel=EntryChannel.MEMBER, person=person).first()
    if known is not None:
        return known
    try:
        with transaction.atomic(using="crowd"):
            return worker_create(entry_channel=EntryChannel.MEMBER, person=person)
    except IntegrityError:
        return Worker.objects.get(entry_channel=EntryChannel.MEMBER, person=person)
