"""How annotators come to a batch on our own crowd service: what its operations share."""

from collections.abc import Iterable

from annotation.batches.operations.batches import requester_annotation
from annotation.crowd.connection import batch_people, people_at_local_crowd
from annotation.crowd.people import Channel, Inquiry
from annotation.models import AuditEvent, Batch
from annotation.vocabulary import AuditAction, Environment

__all__ = [
    "Channel",
    "Inquiry",
    "batch_channels",
    "batch_inquiries",
    "count_waiting_inquiries",
    "has_channels",
]

#: Seconds that a count on a page is worth waiting for.
_PATIENCE = 5


def has_channels(batch: Batch) -> bool:
    """Whether the batch has HITs at our own crowd service, to which people can be invited."""
    return batch.environment == Environment.LOCAL and bool(batch.endpoint)


def batch_channels(batch: Batch) -> list[Channel]:
    """Every way in to the batch, the newest first, with who came by it. Asks the crowd service."""
    return batch_people(batch).channels(
        reference=batch_reference(batch), annotation=batch_annotation(batch)
    )


def batch_inquiries(batch: Batch) -> list[Inquiry]:
    """What annotators asked about the batch, the oldest first. Asks the crowd service."""
    return list(batch_people(batch).inquiries(annotation=batch_annotation(batch)))


def count_waiting_inquiries(batches: Iterable[Batch]) -> dict[int, int]:
    """How many messages nobody has answered, by the number of each batch that has some.

    Asks the crowd service, once for all batches; not at all where none can have messages.
    """
    annotations = {batch.pk: batch_annotation(batch) for batch in batches if has_channels(batch)}
    waiting = people_at_local_crowd(_PATIENCE).waiting_inquiries() if annotations else {}
    counts = {
        number: sum(n for hit, n in waiting.items() if hit.startswith(annotation))
        for number, annotation in annotations.items()
    }
    return {number: n for number, n in counts.items() if n}


def batch_reference(batch: Batch) -> str:
    """What the crowd service calls the batch."""
    return batch.uid.hex


def batch_annotation(batch: Batch) -> str:
    """What the annotations of the batch's HITs begin with, and of no others."""
    return requester_annotation(uid=batch.uid, index=0, attempt=0).removesuffix("0:0")


def log_channel(batch: Batch, actor: str, action: AuditAction, **detail: str | int | None) -> None:
    """The log says who opened or closed which way in; never a password or a link."""
    AuditEvent.objects.create(batch=batch, actor=actor, action=action, detail=detail)
