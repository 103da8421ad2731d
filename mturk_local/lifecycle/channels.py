"""Places and arrivals of requesters' channels; `channels` has the kinds."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, NamedTuple

from django.core import signing
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from mturk_local.models import (
    Arrival,
    Assignment,
    AssignmentState,
    Channel,
    EntryChannel,
    PanelVisit,
    Requester,
    Worker,
)
from mturk_local.workers import worker_create

_SALT = "crowd-service.channel"
#: Time to finish work after a link has expired.
_TO_FINISH = timedelta(days=14)
_SUBMITTED = {AssignmentState.SUBMITTED, AssignmentState.APPROVED, AssignmentState.REJECTED}


class ChannelClosedError(Exception):
    """Nobody can come in by this channel any more: `why` is a code."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class Standing(NamedTuple):
    """Numbers of people of one channel who came, accepted a HIT, submitted one, or left.

    People who left have accepted a HIT, submitted none and hold none. `n_submitted` counts HITs.
    """

    came: int = 0
    started: int = 0
    submitted: int = 0
    left: int = 0
    n_submitted: int = 0


def channel_token(channel: Channel) -> str:
    """Return the signed end of the link of `channel`."""
    return signing.Signer(salt=_SALT).sign(channel.channel_id)


def channel_of(token: str) -> Channel | None:
    """The channel of a link, open or not; raises `BadSignature` for one that we did not make."""
    channel_id = signing.Signer(salt=_SALT).unsign(token)
    return Channel.objects.filter(channel_id=channel_id).first()


def channel_check_open(channel: Channel) -> None:
    """Raise `ChannelClosedError` where nobody else can come in."""
    if channel.revoked_at is not None:
        raise ChannelClosedError("revoked")
    if channel.expires_at is not None and channel.expires_at <= timezone.now():
        raise ChannelClosedError("expired")
    if channel.places is not None and channel.taken >= channel.places:
        raise ChannelClosedError("full")


def channel_is_open(channel: Channel) -> bool:
    """Return whether the channel has a place and is neither closed nor expired."""
    try:
        channel_check_open(channel)
    except ChannelClosedError:
        return False
    return True


@transaction.atomic(using="crowd")
def channel_enter(channel: Channel, worker: Worker | None) -> Worker:
    """Take a place for `worker`, or for a new worker; nobody takes a second one."""
    if worker is not None and channel.arrivals.filter(worker=worker).exists():
        channel_invite(channel, worker)
        return worker
    now = timezone.now()
    room = Q(places__isnull=True) | Q(taken__lt=F("places"))
    still = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    free = Channel.objects.filter(room, still, pk=channel.pk, revoked_at=None)
    if not free.update(taken=F("taken") + 1):
        channel.refresh_from_db()
        channel_check_open(channel)
        raise ChannelClosedError("full")
    if worker is None:
        worker = worker_create(entry_channel=EntryChannel.INVITE)
    if worker.entry_channel == EntryChannel.INVITE and channel.expires_at is not None:
        until = max(filter(None, (worker.valid_until, channel.expires_at + _TO_FINISH)))
        Worker.objects.filter(pk=worker.pk).update(valid_until=until)
    channel_invite(channel, worker)
    Arrival.objects.create(channel=channel, worker=worker, arrived_at=now)
    return worker


def channel_invite(channel: Channel, worker: Worker) -> None:
    """Offer `worker` the channel's HITs, and no others from now on."""
    worker.invited_to = channel.invited_to
    Worker.objects.filter(pk=worker.pk).update(invited_to=worker.invited_to)


def account_note_arrival(worker: Worker) -> None:
    """Remember that the owner of an account that a requester made has come."""
    for channel in Channel.objects.filter(account=worker):
        channel_invite(channel, worker)
        Arrival.objects.get_or_create(
            channel=channel, worker=worker, defaults={"arrived_at": timezone.now()}
        )


def standings(
    requester: Requester, channels: Iterable[Channel], *, annotation: str
) -> dict[int, Standing]:
    """Return the progress of each channel's people with the HITs whose annotation begins so."""
    people: dict[int, set[int]] = {channel.pk: set() for channel in channels}
    came = Arrival.objects.filter(channel__in=people)
    visits = PanelVisit.objects.filter(panel__channel__in=people)
    pairs: list[Any] = [
        *came.values_list("channel", "worker"),
        *visits.values_list("panel__channel", "worker"),
    ]
    for channel, worker in pairs:
        people[channel].add(worker)
    work: dict[int, Counter[str]] = defaultdict(Counter)
    rows: Any = Assignment.objects.filter(
        hit__requester=requester,
        hit__requester_annotation__startswith=annotation,
        worker__in=set().union(*people.values()),
    )
    for worker, state in rows.order_by().values_list("worker", "state"):
        work[worker][state] += 1
    return {channel: _standing(workers, work) for channel, workers in people.items()}


def _standing(workers: set[int], work: dict[int, Counter[str]]) -> Standing:
    begun = [work[worker] for worker in workers if worker in work]
    submitted = [sum(of[state] for state in _SUBMITTED) for of in begun]
    left = [of for of in begun if not (_SUBMITTED | {AssignmentState.ACCEPTED}) & set(of)]
    return Standing(
        came=len(workers),
        started=len(begun),
        submitted=sum(n > 0 for n in submitted),
        left=len(left),
        n_submitted=sum(submitted),
    )
