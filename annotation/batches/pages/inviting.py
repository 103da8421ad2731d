"""Inviting annotators to a batch on our own crowd service."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.batches.operations.channels import Channel, has_channels, stored_snapshot
from annotation.batches.operations.inviting.base import AnyInvitation
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.queries.batches import batch_progress
from annotation.core.forms import form_of
from annotation.models import Batch
from annotation.reach import is_loopback
from annotation.vocabulary import Action
from annotation.web.access import batch_view, takes
from annotation.web.pages import batch_page
from annotation.web.qr import qr_code


class Shown(NamedTuple):
    """A channel as the page shows it; the kind of a newer crowd service may be unknown here."""

    channel: Channel
    invitation: AnyInvitation | None
    name: str
    address: str
    facts: Mapping[str, Any]

    @property
    def is_local(self) -> bool:
        """True if only this machine reaches the channel's address."""
        return _is_local(self.channel)


@never_cache
@batch_view(Action.MANAGE)
@takes("fee")
def invite_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Show every channel, who came by it, and how to open another one."""
    context: dict[str, Any] = {"has_channels": has_channels(batch), "fee": _fee(request)}
    if context["has_channels"]:
        snapshot = stored_snapshot(batch)
        context["snapshot"], fee = snapshot, context["fee"]
        ways = _shown(batch, snapshot.channels, fee)
        is_local = any(way.is_local for way in ways if way.channel.is_open)
        context |= {"channels": ways, "is_local": is_local}
    context["forms"] = [
        (invitation, reverse(f"batch-invite-{kind}", args=[batch.pk]), _form(invitation))
        for kind, invitation in INVITATIONS.items()
        if batch.state in invitation.states
    ]
    return batch_page(request, "invite_annotators", batch, "invite", **context)


@never_cache
@require_GET
@batch_view(Action.MANAGE)
@takes("channel")
def invite_poster(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Render a page to print: the task, the link, and its QR code."""
    if not has_channels(batch):
        messages.error(request, "Nobody is invited to this batch yet.")
        return redirect("batch-invite", batch.pk)
    channel_id = request.GET.get("channel", "")
    channel = next(
        (known for known in stored_snapshot(batch).channels if known.channel_id == channel_id), None
    )
    if channel is None:
        raise Http404
    context = {
        "channel": channel,
        "code": qr_code(channel.url),
        "is_local": _is_local(channel),
    }
    return batch_page(request, "invite_poster", batch, "invite", **context)


def _is_local(channel: Channel) -> bool:
    return is_loopback(urlsplit(channel.url).hostname or "")


def _shown(batch: Batch, channels: Sequence[Channel], fee: Decimal) -> list[Shown]:
    missing = batch_progress(batch=batch).n_to_come
    return [_shown_one(batch, channel, missing, fee) for channel in channels]


def _shown_one(batch: Batch, channel: Channel, missing: int, fee: Decimal) -> Shown:
    invitation = INVITATIONS.get(channel.kind)
    if invitation is None:
        return Shown(channel, None, channel.note, channel.url, {})
    facts = invitation.facts(batch, channel, missing=missing, fee=fee)
    name, address = invitation.channel_name(channel), invitation.address(channel)
    return Shown(channel, invitation, name, address, facts)


def _fee(request: HttpRequest) -> Decimal:
    """Return the panel's fee in percent, as typed; 0 where that is not a number."""
    typed = request.GET.get("fee", "")
    if not typed.isascii() or not typed.isdecimal() or len(typed) > 3:  # noqa: PLR2004 - digits
        return Decimal(0)
    return Decimal(typed)


def _form(invitation: AnyInvitation) -> Form:
    form: Form = form_of(invitation)(auto_id=f"{invitation.kind}_%s")
    return form
