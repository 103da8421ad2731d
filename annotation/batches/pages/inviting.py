"""Inviting annotators to a batch on our own crowd service, by the ways that there are."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import segno
from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.batches.operations.channels import Channel, batch_channels, has_channels
from annotation.batches.operations.inviting.base import AnyInvitation
from annotation.batches.operations.inviting.registry import INVITATIONS
from annotation.batches.queries.batches import batch_progress
from annotation.core.forms import form_of
from annotation.models import Batch
from annotation.vocabulary import Action
from annotation.web.access import batch_view
from annotation.web.pages import batch_page
from metrics.errors import InputError


class Shown(NamedTuple):
    """A channel as the page shows it; the kind of a newer crowd service may be unknown here."""

    channel: Channel
    invitation: AnyInvitation | None
    name: str
    address: str
    facts: Mapping[str, Any]


@never_cache
@batch_view(Action.MANAGE)
def invite_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Every way in, who came by it, and how to open another one."""
    shown: dict[str, Any] = {"has_channels": has_channels(batch), "fee": _fee(request)}
    if shown["has_channels"]:
        try:
            shown["channels"] = _shown(batch, batch_channels(batch), shown["fee"])
        except InputError as error:
            shown["problem"] = str(error)
    shown["forms"] = [
        (invitation, reverse(f"batch-invite-{kind}", args=[batch.pk]), _form(invitation))
        for kind, invitation in INVITATIONS.items()
        if batch.state in invitation.states
    ]
    return batch_page(request, "invite_annotators", batch, "invite", **shown)


@never_cache
@require_GET
@batch_view(Action.MANAGE)
def invite_poster(request: HttpRequest, batch: Batch) -> HttpResponse:
    """A page to print: what there is to do, the link, and its QR code."""
    if not has_channels(batch):
        messages.error(request, "Nobody is invited to this batch yet.")
        return redirect("batch-invite", batch.pk)
    try:
        channels = batch_channels(batch)
    except InputError as error:
        messages.error(request, str(error))
        return redirect("batch-invite", batch.pk)
    channel_id = request.GET.get("channel", "")
    channel = next((one for one in channels if one.channel_id == channel_id), None)
    if channel is None:
        raise Http404
    shown = {"channel": channel, "code": qr_code(channel.url)}
    return batch_page(request, "invite_poster", batch, "invite", **shown)


def qr_code(text: str) -> SafeString:
    """`text` as a QR code: SVG for inside a page, black on white in every colour scheme."""
    drawn = segno.make(text, error="m").svg_inline(
        dark="#000", light="#fff", svgclass="qr", lineclass=None, omitsize=True, title="QR code"
    )
    return mark_safe(drawn)  # noqa: S308 - numbers and colours; the text is in the dots alone


def _shown(batch: Batch, channels: list[Channel], fee: Decimal) -> list[Shown]:
    progress = batch_progress(batch=batch)
    missing = max(0, progress.n_assignments_expected - progress.n_assignments)
    return [_shown_one(batch, one, missing, fee) for one in channels]


def _shown_one(batch: Batch, channel: Channel, missing: int, fee: Decimal) -> Shown:
    invitation = INVITATIONS.get(channel.kind)
    if invitation is None:
        return Shown(channel, None, channel.note, channel.url, {})
    facts = invitation.facts(batch, channel, missing=missing, fee=fee)
    name, address = invitation.channel_name(channel), invitation.address(channel)
    return Shown(channel, invitation, name, address, facts)


def _fee(request: HttpRequest) -> Decimal:
    """The panel's fee in percent, as somebody has typed it; 0 where that is no number."""
    typed = request.GET.get("fee", "")
    if not typed.isascii() or not typed.isdecimal() or len(typed) > 3:  # noqa: PLR2004 - digits
        return Decimal(0)
    return Decimal(typed)


def _form(invitation: AnyInvitation) -> Form:
    form: Form = form_of(invitation)(auto_id=f"{invitation.kind}_%s")
    return form
