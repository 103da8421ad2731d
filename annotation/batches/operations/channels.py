"""Recruitment channels of a batch on our own crowd service: the part shared by its operations."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from annotation.crowd.annotations import batch_annotation
from annotation.crowd.connection import batch_people
from annotation.crowd.people import Channel, Inquiry
from annotation.models import AuditEvent, Batch, CrowdSnapshot
from annotation.vocabulary import AuditAction, Environment

__all__ = [
    "Channel",
    "Inquiry",
    "Snapshot",
    "batch_channels",
    "batch_inquiries",
    "count_waiting_inquiries",
    "has_channels",
    "stored_snapshot",
]


@dataclass(frozen=True)
class Snapshot:
    """The channels of a batch and its messages, as of `at`; None while nothing was read."""

    at: datetime | None = None
    channels: tuple[Channel, ...] = ()
    inquiries: tuple[Inquiry, ...] = ()


def has_channels(batch: Batch) -> bool:
    """Return whether people can be invited: the batch has HITs on our own crowd service."""
    return batch.environment == Environment.LOCAL and bool(batch.endpoint)


def stored_snapshot(batch: Batch) -> Snapshot:
    """The last reading of the crowd service; pages show it without waiting."""
    row = CrowdSnapshot.objects.filter(batch=batch).first()
    if row is None:
        return Snapshot()
    channels = tuple(map(Channel.from_wire, row.channels))
    return Snapshot(row.at, channels, tuple(map(Inquiry.from_wire, row.inquiries)))


def count_waiting_inquiries(batches: Iterable[Batch]) -> dict[int, int]:
    """Count unanswered messages by batch number; batches without any are left out."""
    rows = CrowdSnapshot.objects.filter(batch__in=batches).values_list("batch", "inquiries")
    counts = {
        number: sum(not inquiry["Answer"] for inquiry in inquiries) for number, inquiries in rows
    }
    return {number: n for number, n in counts.items() if n}


def batch_channels(batch: Batch) -> list[Channel]:
    """Ask the crowd service for the batch's channels, the newest first, with who came by each."""
    return batch_people(batch).channels(
        reference=batch_reference(batch), annotation=batch_annotation(batch.uid)
    )


def batch_inquiries(batch: Batch) -> list[Inquiry]:
    """Ask the crowd service for annotators' questions about the batch, the oldest first."""
    return list(batch_people(batch).inquiries(annotation=batch_annotation(batch.uid)))


def batch_reference(batch: Batch) -> str:
    """The batch's reference at the crowd service."""
    return batch.uid.hex


def log_channel(batch: Batch, actor: str, action: AuditAction, **detail: str | int | None) -> None:
    """Log who opened or closed a channel; never a password or a link."""
    AuditEvent.objects.create(batch=batch, actor=actor, action=action, detail=detail)
