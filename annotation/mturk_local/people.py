"""What Amazon's API lacks: how a requester's annotators come in, who came, who is verified.

The operations speak the same protocol at `/mturk/people/`, signed with the same keys, under the
target `CrowdPeople`. Each takes a key pair and a JSON object, and returns one. A requester sees
and closes only channels of its own.
"""

import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify

from annotation.mturk_local.correspondence import (
    answer_inquiry,
    count_inquiries,
    list_inquiries,
    receive_notifications,
)
from annotation.mturk_local.erasure import find_person, forget_person
from annotation.mturk_local.errors import CrowdError, does_not_exist
from annotation.mturk_local.lifecycle.channels import (
    channel_revoke,
    channel_token,
    is_open,
    standings,
)
from annotation.mturk_local.lifecycle.tickets import LONGEST_PERSON, ticket_make
from annotation.mturk_local.models import Channel, ChannelKind, Door, HITType, KeyPair, Panel
from annotation.mturk_local.participants import import_submissions, list_participants
from annotation.mturk_local.workers import worker_create

TARGET = "CrowdPeople"
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_MOST_PLACES, _LONGEST = 10_000, timedelta(days=365)

Params = dict[str, Any]


def create_link(key: KeyPair, params: Params) -> Params:
    """`Reference`, `Places`, `ExpiresAt` (seconds since 1970); as needed `Note`, `HITTypeId`."""
    expires_at = datetime.fromtimestamp(int(params["ExpiresAt"]), UTC)
    if not timezone.now() < expires_at <= timezone.now() + _LONGEST:
        raise ValueError("ExpiresAt is in the past, or more than a year ahead")
    places = int(params["Places"])
    if not 1 <= places <= _MOST_PLACES:
        raise ValueError(f"Places is 1 to {_MOST_PLACES}")
    return _channel_reply(
        key, _channel(key, params, ChannelKind.LINK, places=places, expires_at=expires_at)
    )


def create_account(key: KeyPair, params: Params) -> Params:
    """`Reference`, `Username`, `Password`; as needed `Country` (two letters), `HITTypeId`."""
    name, password = str(params["Username"]).strip(), str(params["Password"])
    if not name:
        raise ValueError("Username is empty")
    validate_password(password, User(username=name))  # looks at the name
    with transaction.atomic(using="crowd"):
        worker = worker_create(
            door=Door.ACCOUNT, username=name, password=password, country=params.get("Country", "")
        )
        channel = _channel(
            key, {**params, "Note": name}, ChannelKind.ACCOUNT, account=worker, places=1
        )
    return _channel_reply(key, channel)


def create_panel(key: KeyPair, params: Params) -> Params:
    """`Reference`, `Provider`, `CompletionCode` and the names of the panel's parameters.

    Those are `ParticipantParameter`, `StudyParameter` and `SessionParameter`. As needed also
    `HITTypeId`, `TasksPerVisit` (1), `CompletionUrl`, `ScreenOutCode`, `ScreenOutUrl`.
    """
    provider = str(params["Provider"]).strip()
    panel = Panel(
        slug=f"{slugify(provider)[:30] or 'panel'}-{secrets.token_hex(4)}",
        provider=provider,
        participant_parameter=params["ParticipantParameter"],
        study_parameter=params["StudyParameter"],
        session_parameter=params["SessionParameter"],
        hit_group_id=_group(key, params),
        tasks_per_visit=int(params.get("TasksPerVisit", 1)),
        completion_code=params["CompletionCode"],
        completion_url=params.get("CompletionUrl", ""),
        screen_out_code=params.get("ScreenOutCode", ""),
        screen_out_url=params.get("ScreenOutUrl", ""),
    )
    panel.full_clean()
    with transaction.atomic(using="crowd"):
        panel.save(force_insert=True)
        channel = _channel(key, {**params, "Note": provider}, ChannelKind.PANEL, panel=panel)
    return _channel_reply(key, channel)


def list_channels(key: KeyPair, params: Params) -> Params:
    """`Reference`: its channels, the newest first, with how their people stand.

    What counts are the HITs whose `RequesterAnnotation` begins with `Annotation`.
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
    channel_revoke(channel, now=timezone.now())
    return {"Revoked": True}


def create_ticket(key: KeyPair, params: Params) -> Params:
    """`Person`, who is signed in with the requester: an address that signs them in here, once."""
    person = str(params["Person"])
    if not 1 <= len(person) <= LONGEST_PERSON:
        raise ValueError(f"Person is 1 to {LONGEST_PERSON} characters")
    token = ticket_make(key.requester, person, group=_group(key, params))
    return {"Url": _address("crowd-join-ticket", token)}


OPERATIONS: dict[str, Callable[[KeyPair, Params], Params]] = {
    "CreateLink": create_link,
    "CreateAccount": create_account,
    "CreatePanel": create_panel,
    "ListChannels": list_channels,
    "RevokeChannel": revoke_channel,
    "CreateTicket": create_ticket,
    "ListParticipants": list_participants,
    "ImportSubmissions": import_submissions,
    "FindPerson": find_person,
    "ForgetPerson": forget_person,
    "ListInquiries": list_inquiries,
    "AnswerInquiry": answer_inquiry,
    "CountInquiries": count_inquiries,
    "ReceiveNotifications": receive_notifications,
}


def carry_out(name: str, key: KeyPair, params: Any) -> Params:
    """Do the operation of that name; whatever is wrong with `params` is a refusal."""
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


def _channel(key: KeyPair, params: Params, kind: ChannelKind, **more: Any) -> Channel:
    channel = Channel(
        requester=key.requester,
        kind=kind,
        reference=str(params["Reference"]),
        note=str(params.get("Note", "")),
        hit_group_id=_group(key, params),
        created_at=timezone.now(),
        **more,
    )
    channel.clean_fields()
    channel.save(force_insert=True)
    return channel


def _group(key: KeyPair, params: Params) -> str:
    """The group of HITs of `HITTypeId`, where one is named."""
    if not params.get("HITTypeId"):
        return ""
    named = str(params["HITTypeId"])
    hit_type = HITType.objects.filter(requester=key.requester, hit_type_id=named).first()
    if hit_type is None:
        raise does_not_exist("HITType", named)
    return hit_type.hit_group_id


def _channel_reply(key: KeyPair, channel: Channel) -> Params:
    return {"Channel": _as_json(_mine(key).get(pk=channel.pk))}


def _as_json(channel: Channel) -> Params:
    """A channel as it goes over the wire; times are seconds since 1970."""
    panel = channel.panel
    return {
        "ChannelId": channel.channel_id,
        "Kind": channel.kind,
        "Note": channel.note,
        "Url": _url(channel),
        "Open": is_open(channel),
        "Places": channel.places,
        "Taken": channel.taken,
        "CreatedAt": channel.created_at.timestamp(),
        "ExpiresAt": channel.expires_at.timestamp() if channel.expires_at else None,
        "RevokedAt": channel.revoked_at.timestamp() if channel.revoked_at else None,
        "TasksPerVisit": panel.tasks_per_visit if panel else None,
        "CompletionCode": panel.completion_code if panel else "",
        "CompletionUrl": panel.completion_url if panel else "",
    }


def _url(channel: Channel) -> str:
    """What people are sent to; a panel adds the values of its parameters."""
    if channel.panel is not None:
        return _address("crowd-panel", channel.panel.slug)
    if channel.kind == ChannelKind.ACCOUNT:
        return _address("crowd-sign-in")
    return _address("crowd-join-link", channel_token(channel))


def _address(name: str, *args: str) -> str:
    address: str = urljoin(settings.MTURK_LOCAL_ENDPOINT, reverse(name, args=args))
    return address
