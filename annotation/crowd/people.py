"""Annotators on our own crowd service: invitations, channels, and who came."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from annotation.crowd.errors import NotThereError
from annotation.crowd.second_api import SecondApi


@dataclass(frozen=True)
class Channel:
    """A channel, and the progress of the people who came by it.

    `own` has the members of its `kind` alone, by their names in the protocol. `n_left` accepted a
    HIT, submitted none and hold none; `n_hits_submitted` counts HITs, the other numbers people.
    """

    channel_id: str
    kind: str
    note: str
    url: str
    is_open: bool
    places: int | None
    taken: int
    expires_at: datetime | None
    revoked_at: datetime | None
    own: Mapping[str, Any]
    n_came: int = 0
    n_started: int = 0
    n_submitted: int = 0
    n_left: int = 0
    n_hits_submitted: int = 0

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self:
        return cls(
            channel_id=wire["ChannelId"],
            kind=wire["Kind"],
            note=wire["Note"],
            url=wire["Url"],
            is_open=wire["Open"],
            places=wire["Places"],
            taken=wire["Taken"],
            expires_at=_moment(wire["ExpiresAt"]),
            revoked_at=_moment(wire["RevokedAt"]),
            own=wire,
            n_came=wire.get("Came", 0),
            n_started=wire.get("Started", 0),
            n_submitted=wire.get("Submitted", 0),
            n_left=wire.get("Left", 0),
            n_hits_submitted=wire.get("AssignmentsSubmitted", 0),
        )


@dataclass(frozen=True)
class Person:
    """All workers of a person at the crowd service, and reasons against forgetting them.

    `member` is the number of their account of this site, if they came from it, or "".
    """

    worker_ids: tuple[str, ...]
    member: str
    is_at_work: bool
    works_elsewhere: bool


@dataclass(frozen=True)
class Inquiry:
    """A worker's question about a HIT; `answer` is "" until somebody has answered."""

    inquiry_id: str
    worker_id: str
    hit_id: str
    text: str
    asked_at: datetime | None
    answer: str
    answered_at: datetime | None
    #: The members as received.
    wire: Mapping[str, Any]

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Self:
        return cls(
            inquiry_id=wire["InquiryId"],
            worker_id=wire["WorkerId"],
            hit_id=wire["HITId"],
            text=wire["Text"],
            asked_at=_moment(wire["AskedAt"]),
            answer=wire["Answer"],
            answered_at=_moment(wire["AnsweredAt"]),
            wire=wire,
        )


class People(SecondApi):
    """The annotators of one requester at our own crowd service."""

    def create_channel(
        self, kind: str, *, reference: str, hit_type_id: str, annotation: str, **members: Any
    ) -> Channel:
        """Open a channel of `kind` to the HITs with this beginning of their annotation; "" for all.

        `members` are those that only this kind takes.
        """
        # Not repeated: that would make a second channel.
        reply = self._once(
            f"Create{kind.title()}",
            want="Channel",
            Reference=reference,
            HITTypeId=hit_type_id,
            Annotation=annotation,
            **members,
        )
        return Channel.from_wire(reply["Channel"])

    def channels(self, *, reference: str, annotation: str) -> list[Channel]:
        """Return every channel of `reference`, the newest first."""
        reply = self._call(
            "ListChannels", want="Channels", Reference=reference, Annotation=annotation
        )
        return [Channel.from_wire(channel) for channel in reply["Channels"]]

    def revoke(self, channel_id: str) -> None:
        """Let nobody else in by this channel; doing so twice is not an error."""
        self._call("RevokeChannel", want="Revoked", ChannelId=channel_id)

    def ticket(self, person: str, *, annotations: Sequence[str]) -> str:
        """An address that signs `person` in, once, within two minutes.

        They are offered the HITs whose annotations begin with these texts, in this order.
        """
        reply = self._once("CreateTicket", want="Url", Person=person, Annotations=list(annotations))
        return str(reply["Url"])

    def find_person(self, worker_id: str) -> Person | None:
        """Return the worker's person; None if unknown to the service, or not invited by us."""
        try:
            reply = self._call("FindPerson", want="WorkerIds", WorkerId=worker_id)
        except NotThereError:
            return None
        return Person(
            worker_ids=tuple(reply["WorkerIds"]),
            member=reply["Member"],
            is_at_work=reply["AtWork"],
            works_elsewhere=reply["Elsewhere"],
        )

    def forget_person(self, worker_id: str) -> None:
        """Have the service forget the worker, in every channel; doing so twice is not an error."""
        self._call("ForgetPerson", want="Forgotten", WorkerId=worker_id)

    def withdrawals(self) -> Iterator[tuple[str, str]]:
        """(worker id, assignment id) of each answer that its worker withdrew, the oldest first.

        Without an assignment id: a worker who was erased there at their own wish.
        """
        token: str | None = ""
        while token is not None:
            page = self._call("ListWithdrawals", want="Withdrawals", NextToken=token)
            for withdrawal in page["Withdrawals"]:
                yield withdrawal["WorkerId"], withdrawal["AssignmentId"]
            token = page["NextToken"]

    def inquiries(self, *, annotation: str) -> Iterator[Inquiry]:
        """Yield questions about the HITs whose annotation begins so, the oldest first."""
        token: str | None = ""
        while token is not None:
            page = self._call(
                "ListInquiries", want="Inquiries", Annotation=annotation, NextToken=token
            )
            yield from map(Inquiry.from_wire, page["Inquiries"])
            token = page["NextToken"]

    def take_events(self, queue: str) -> list[str]:
        """Take events from `queue`; return the ids of their HITs."""
        # Not repeated: periodic collecting finds what a lost reply held.
        reply = self._once("ReceiveNotifications", want="Documents", Destination=queue)
        return [event["HITId"] for document in reply["Documents"] for event in document["Events"]]

    def answer_inquiry(self, inquiry_id: str, text: str) -> Inquiry:
        """Answer an inquiry; the same answer again is not an error, another one is refused."""
        reply = self._call("AnswerInquiry", want="Inquiry", InquiryId=inquiry_id, Text=text)
        return Inquiry.from_wire(reply["Inquiry"])


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
