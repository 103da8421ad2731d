"""The second API, beyond Amazon's: recruitment, arrivals and verification of annotators.

The operations speak the same protocol at `/mturk/people/`, signed with the same keys, under the
target `CrowdPeople`. Each takes a key pair and a JSON object, and returns one. A requester sees
and closes only channels of its own, and may ask about people who have worked for them, came by
their channels, or were sent by their site.
"""

import re
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from mturk_local.addresses import address
from mturk_local.channels.base import ChannelKind, Params
from mturk_local.channels.registry import CHANNEL_KINDS
from mturk_local.correspondence import (
    answer_inquiry,
    list_inquiries,
    receive_notifications,
)
from mturk_local.errors import CrowdError, RequestError, does_not_exist
from mturk_local.lifecycle.channels import standings
from mturk_local.lifecycle.tickets import LONGEST_PERSON, ticket_make
from mturk_local.models import (
    Assignment,
    Channel,
    EntryChannel,
    KeyPair,
    Requester,
    Withdrawal,
    Worker,
)
from mturk_local.participants import check_submissions, import_submissions, list_participants
from mturk_local.protocol.paging import page_of
from mturk_local.workers import AtWorkError, is_at_work, worker_erase

_PAGE = 1_000


def find_person(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`WorkerId`: return all workers of the same person, and reasons against forgetting them.

    `Member` is the requester's name for the person, if its site sent them, or "".
    """
    workers = _person(key.requester, str(params["WorkerId"]))
    prefix = _members(key.requester)
    members = [worker.person for worker in workers if worker.person.startswith(prefix)]
    return {
        "WorkerIds": [worker.worker_id for worker in workers],
        "Member": members[0].removeprefix(prefix) if members else "",
        "AtWork": any(is_at_work(worker) for worker in workers),
        "Elsewhere": _works_elsewhere(key.requester, workers),
    }


def forget_person(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`WorkerId`: erase the person's identity in every channel; doing it twice is not an error.

    People who also work for another requester are refused, as their account is not this requester's
    to delete.
    """
    workers = _person(key.requester, str(params["WorkerId"]))
    if _works_elsewhere(key.requester, workers):
        raise RequestError("The person works for others, too.", turk_code="WorksElsewhere")
    try:
        with transaction.atomic(using="crowd"):
            for worker in workers:
                worker_erase(worker=worker)
    except AtWorkError:
        raise RequestError("The person works, or waits for pay.", turk_code="AtWork") from None
    return {"Forgotten": [worker.worker_id for worker in workers]}


def list_withdrawals(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """Each answer that its worker has withdrawn; without `AssignmentId`, a worker who was erased.

    Those workers wished to be erased, also by the requester.
    """
    request = {"NextToken": str(params.get("NextToken") or ""), "MaxResults": _PAGE}
    withdrawals = Withdrawal.objects.filter(requester=key.requester)
    page, token = page_of(withdrawals, request, listing="withdrawals")
    return {
        "Withdrawals": [
            {"WorkerId": withdrawal.worker_id, "AssignmentId": withdrawal.assignment_id}
            for withdrawal in page
        ],
        "NextToken": token,
    }


def _person(requester: Requester, worker_id: str) -> list[Worker]:
    """Return all workers of the worker's person; refuse people whom the requester cannot know."""
    known = (
        Q(assignments__hit__requester=requester)
        | Q(arrivals__channel__requester=requester)
        | Q(visits__panel__channel__requester=requester)
        | Q(qualifications__type__requester=requester)
        | Q(person__startswith=_members(requester))
    )
    worker = (
        Worker.objects.exclude(entry_channel=EntryChannel.SIMULATED)
        .filter(known, worker_id=worker_id)
        .first()
    )
    if worker is None:
        raise does_not_exist("Worker", worker_id)
    return list(Worker.objects.filter(person=worker.person).order_by("pk"))


def _members(requester: Requester) -> str:
    """Return the prefix of persons whom the requester's own site has signed in."""
    return f"member:{requester.pk}:"


def _works_elsewhere(requester: Requester, workers: list[Worker]) -> bool:
    work = Assignment.objects.filter(worker__in=workers)
    return work.exclude(hit__requester=requester).exists()


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
