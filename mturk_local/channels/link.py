"""A link with places, by which people come in without an account."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from mturk_local import money
from mturk_local.addresses import address
from mturk_local.channels.base import ChannelKind, Params
from mturk_local.lifecycle.channels import (
    ChannelClosedError,
    channel_check_open,
    channel_enter,
    channel_invite,
    channel_of,
    channel_token,
)
from mturk_local.models import Channel, HITType, KeyPair, Worker
from mturk_local.site import session
from mturk_local.site.joining import go_to_work, show_dead_link

_TWO_MINUTES = 120
_MOST_PLACES, _LONGEST = 10_000, timedelta(days=365)


@never_cache
@require_http_methods(["GET", "POST"])
def join_by_link(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show the offer without taking a place, since programs that preview links open it, too."""
    try:
        channel = channel_of(token)
    except BadSignature:
        channel = None
    if channel is None:
        return show_dead_link(request)
    here = session.signed_in(request)
    if here is not None and channel.arrivals.filter(worker=here).exists():
        channel_invite(channel, here)
        return go_to_work(here, channel.hit_group_id)
    try:
        channel_check_open(channel)
        if request.method == "POST":
            return _join(channel, here if "stay" in request.POST else None)
    except ChannelClosedError as error:
        return show_dead_link(request, error.why)
    return render(request, "mturk_local/join.html", {"here": here, **_offer(channel)})


def _offer(channel: Channel) -> dict[str, Any]:
    """Return the work on offer, before somebody takes a place; pay in US dollars."""
    offer: dict[str, Any] = {"channel": channel}
    hit_type = HITType.objects.filter(
        requester=channel.requester, hit_group_id=channel.hit_group_id
    ).first()
    if hit_type is not None:
        offer["hit_type"] = hit_type
        offer["minutes"] = -(-hit_type.assignment_duration // 60)
        if channel.seconds is not None:
            offer["about"] = _about(channel.seconds)
        offer["reward"] = money.amount(hit_type.reward_cents)
    return offer


def _about(seconds: int) -> str:
    """The time in the one unit that people would use."""
    if seconds < _TWO_MINUTES:
        text = ngettext("About %(seconds)s second", "About %(seconds)s seconds", seconds)
        return text % {"seconds": seconds}
    return _("About %(minutes)s minutes") % {"minutes": round(seconds / 60)}


def _join(channel: Channel, here: Worker | None) -> HttpResponseBase:
    worker = channel_enter(channel, here)
    response = go_to_work(worker, channel.hit_group_id)
    session.sign_in(response, worker)
    return response


class Link(ChannelKind):
    """`Places`, `ExpiresAt` (seconds since 1970). It distinguishes devices, not people."""

    name = "link"
    routes = [path("join/link/<str:token>/", join_by_link, name="crowd-join-link")]

    def create(self, key: KeyPair, params: Params) -> Channel:
        expires_at = datetime.fromtimestamp(int(params["ExpiresAt"]), UTC)
        if not timezone.now() < expires_at <= timezone.now() + _LONGEST:
            raise ValueError("ExpiresAt is in the past, or more than a year ahead")
        places = int(params["Places"])
        if not 1 <= places <= _MOST_PLACES:
            raise ValueError(f"Places is 1 to {_MOST_PLACES}")
        return self.store(key, params, places=places, expires_at=expires_at)

    def url(self, channel: Channel) -> str:
        return address("crowd-join-link", channel_token(channel))


LINK = Link()
