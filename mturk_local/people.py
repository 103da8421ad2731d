"""The second API, beyond Amazon's: recruitment, arrivals and verification of annotators.

The operations speak the same protocol at `/mturk/people/`, signed with the same keys, under the
target `CrowdPeople`. Each takes a key pair and a JSON object, and returns one. A requester sees
and closes only channels of its own.
"""

import re
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from mturk_local.addresses import address
from mturk_local.channels.base import ChannelKind, Params
from mturk_local.channels.registry import CHANNEL_KINDS
from mturk_local.correspondence import (
    answer_inquiry,
    list_inquiries,
    receive_notifications,
)
from mturk_local.erasure import find_person, forget_person, list_withdrawals
from mturk_local.errors import CrowdError, does_not_exist
from mturk_local.lifecycle.channels import standings
from mturk_local.lifecycle.tickets import LONGEST_PERSON, ticket_make
from mturk_local.models import Channel, KeyPair
from mturk_local.participants import check_submissions, import_submissions, list_participants

TARGET = "CrowdPeople"
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def create_channel(kind: ChannelKind) -> Callable[[KeyPair, Params], Params]:
    """The operation that opens a channel of `kind`: what every channel takes, and what it says."""

    def create(key: KeyPair, params: Params) -> Params:
        channel = kind.create(key, params)
        return {"Channel": _as_json(_mine(key).get(pk=channel.pk))}

    return create


def list_channels(key: KeyPair, params: Params) -> Params:
    """`Reference`: list its channels, the newest first, with the progress of their people.

    Only HITs whose `RequesterAnnotation` begins with `Annotation` count.
    """
    channels = list(_mine(key).filter(reference=params["Reference"]))
    stand = standings(key.requester, channels, annotation=str(params.get("Annotation", "")))
    return {
        "Channels": [
            {
                **_as_json(channel),
                "Came": stand[channel.pk].came,
                "Started": stand[channel.pk].started,
                "Submitted": stand[channel.pk].submitted,
                "Left": stand[channel.pk].left,
                "AssignmentsSubmitted": stand[channel.pk].n_submitted,
            }
            for channel in channels
        ]
    }


def revoke_channel(key: KeyPair, params: Params) -> Params:
    """`ChannelId`: let nobody else in."""
    channel = _mine(key).filter(channel_id=str(params["ChannelId"])).first()
    if channel is None:
        raise does_not_exist("Channel", str(params["ChannelId"]))
    with transaction.atomic(using="crowd"):
        Channel.objects.filter(pk=channel.pk, revoked_at=None).update(revoked_at=timezone.now())
        CHANNEL_KINDS[channel.kind].revoke(channel)
    return {"Revoked": True}


def create_ticket(key: KeyPair, params: Params) -> Params:
    """`Person`, signed in with the requester: return an address that signs them in here, once.

    `Annotations`: beginnings of the annotations of the only HITs offered, in this order; without
    it, all of the requester's.
    """
    person = str(params["Person"])
    if not 1 <= len(person) <= LONGEST_PERSON:
        raise ValueError(f"Person is 1 to {LONGEST_PERSON} characters")
    annotations = params.get("Annotations", [""])
    if not isinstance(annotations, list) or not all(
        isinstance(annotation, str) for annotation in annotations
    ):
        raise ValueError("Annotations is a list of texts")
    token = ticket_make(key.requester, person, annotations=annotations)
    return {"Url": address("crowd-join-ticket", token)}


OPERATIONS: dict[str, Callable[[KeyPair, Params], Params]] = {
    **{f"Create{name.title()}": create_channel(kind) for name, kind in CHANNEL_KINDS.items()},
    "ListChannels": list_channels,
    "RevokeChannel": revoke_channel,
    "CreateTicket": create_ticket,
    "ListParticipants": list_participants,
    "ImportSubmissions": import_submissions,
    "CheckSubmissions": check_submissions,
    "FindPerson": find_person,
    "ForgetPerson": forget_person,
    "ListWithdrawals": list_withdrawals,
    "ListInquiries": list_inquiries,
    "AnswerInquiry": answer_inquiry,
    "ReceiveNotifications": receive_notifications,
}


def carry_out(name: str, key: KeyPair, params: Any) -> Params:
    """Do the operation of that name; wrong `params` are refused."""
    if not isinstance(params, dict):
        raise CrowdError("A JSON object is expected.", code="ValidationException")
    for member, value in params.items():
        if isinstance(value, str) and _UNREADABLE.search(value):
            message = f"{member} has a character that no page can show."
            raise CrowdError(message, code="ValidationException")
    try:
        return OPERATIONS[name](key, params)
    except ValidationError as error:
        raise CrowdError(" ".join(error.messages), code="ValidationException") from None
    except IntegrityError:
        raise CrowdError("There is one of this name already.", code="NameTaken") from None
    except KeyError as error:
        raise CrowdError(f"{error.args[0]} is missing.", code="ValidationException") from None
    except (AttributeError, TypeError, ValueError, OverflowError, OSError) as error:
        raise CrowdError(f"{error}.", code="ValidationException") from None


def _mine(key: KeyPair) -> Any:
    return Channel.objects.filter(requester=key.requester).select_related("panel", "account")


def _as_json(channel: Channel) -> Params:
    """A channel as it goes over the wire; times are seconds since 1970."""
    kind = CHANNEL_KINDS[channel.kind]
    return {
        "ChannelId": channel.channel_id,
        "Kind": channel.kind,
        "Note": channel.note,
        "Url": kind.url(channel),
        "Open": kind.is_open(channel),
        "Places": channel.places,
        "Taken": channel.taken,
        "CreatedAt": channel.created_at.timestamp(),
        "ExpiresAt": channel.expires_at.timestamp() if channel.expires_at else None,
        "RevokedAt": channel.revoked_at.timestamp() if channel.revoked_at else None,
        **kind.members(channel),
    }
