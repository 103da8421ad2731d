"""Base of invitations: the operation that opens a channel, and its part of the page."""

from abc import abstractmethod
from decimal import Decimal
from typing import Any, ClassVar, TypeVar

from annotation.batches.operations.channels import batch_reference, log_channel
from annotation.batches.operations.refresh import snapshot_after
from annotation.core.operations import Operation, Result, Run
from annotation.crowd.annotations import batch_annotation
from annotation.crowd.connection import batch_people
from annotation.crowd.people import Channel
from annotation.models import Batch
from annotation.vocabulary import AuditAction, BatchState

Parameters = TypeVar("Parameters")


class Invitation(Operation[Batch, Parameters]):
    """Opens a channel of one `kind` at our own crowd service, which has a file of that name.

    The site needs no more than one of these in a file of this package, listed in `registry`, and
    the template `web/channels/KIND.html` for an open channel.
    """

    #: As the crowd service stores it; the page and the call stand at `invite/KIND/`.
    kind: ClassVar[str]
    #: The name of a channel, and heading and introduction of the form that makes one.
    label: ClassVar[str]
    heading: ClassVar[str]
    introduction: ClassVar[str]
    #: Whether the people who come by it are offered the HITs of this batch alone.
    is_of_one_batch: ClassVar[bool] = True
    made: ClassVar[AuditAction] = AuditAction.INVITATION_MADE
    subject = Batch
    #: States in which invited people find something to do.
    states = (BatchState.PUBLISHING, BatchState.PUBLISHED)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.path = f"invite/{cls.kind}"

    @property
    def template(self) -> str:
        """Template of an open channel."""
        return f"web/channels/{self.kind}.html"

    @abstractmethod
    def members(self, batch: Batch, parameters: Parameters) -> dict[str, Any]:
        """Members sent to the crowd service, by its names, beside those of every channel."""

    @abstractmethod
    def ready(self, parameters: Parameters) -> str:
        """Message once the channel is open."""

    def logged(self, parameters: Parameters) -> dict[str, str | int | None]:
        """Parameters for the log; never a password."""
        del parameters
        return {}

    def channel_name(self, channel: Channel) -> str:
        """Whom the channel is for."""
        return channel.note

    def address(self, channel: Channel) -> str:
        """Address to send to people, or to paste elsewhere."""
        return channel.url

    def facts(
        self, batch: Batch, channel: Channel, *, missing: int, fee: Decimal
    ) -> dict[str, Any]:
        """Context of its template beside the channel.

        `missing` is the number of answers to come; `fee` is the percentage that somebody typed on
        the page.
        """
        del batch, channel, missing, fee
        return {}

    def run(self, subject: Batch, parameters: Parameters, run: Run) -> Result:
        channel = batch_people(subject).create_channel(
            self.kind,
            reference=batch_reference(subject),
            hit_type_id=subject.hit_type_id,
            annotation=batch_annotation(subject.uid) if self.is_of_one_batch else "",
            **self.members(subject, parameters),
        )
        log_channel(
            subject,
            run.actor.name,
            self.made,
            channel=channel.channel_id,
            **self.logged(parameters),
        )
        snapshot_after(subject)
        values = {"channel": channel.channel_id, "url": channel.url}
        return Result(values, self.ready(parameters), made=channel)


AnyInvitation = Invitation[Any]
