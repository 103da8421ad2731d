"""The log of a study and of all its batches: who did what, when, and what it did to the money."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet, Sum

from annotation.export.pseudonyms import person
from annotation.models import AuditEvent, Study, Worker
from annotation.vocabulary import WorkerKind

_CENT = Decimal("0.01")


@dataclass(frozen=True)
class LogFilter:
    """What of the log is wanted: an empty field wants everything."""

    what: str = ""
    who: str = ""
    batch: int | None = None
    money: bool = False


@dataclass(frozen=True)
class StudyEvent:
    """An event; `batch` is the batch's number, or None for the study itself. Money in USD."""

    at: datetime
    action: str
    actor: str
    batch: int | None
    batch_name: str
    committed: Decimal
    paid: Decimal
    detail: dict[str, Any]


def study_events(*, study: Study, wanted: LogFilter) -> QuerySet[AuditEvent]:
    """The events of the study and its batches, the latest first."""
    events = _events(study)
    if wanted.what:
        events = events.filter(action=wanted.what)
    if wanted.who:
        events = events.filter(actor=wanted.who)
    if wanted.batch is not None:
        events = events.filter(batch=wanted.batch)
    if wanted.money:
        events = events.exclude(committed=0, paid=0)
    return events.select_related("batch").order_by("-at", "-id")


def study_event_choices(*, study: Study) -> dict[str, list[Any]]:
    """What can be filtered by."""
    events = _events(study).order_by()
    return {
        "actions": sorted(events.values_list("action", flat=True).distinct()),
        "actors": sorted(events.values_list("actor", flat=True).distinct()),
        "batches": list(study.batches.order_by("name").values_list("pk", "name")),
    }


def study_sums(*, study: Study) -> dict[str, Decimal]:
    """What the log of the study says is committed and paid, in USD."""
    sums = _events(study).aggregate(committed=Sum("committed"), paid=Sum("paid"))
    # SQLite sums as floating point; whole cents come back exactly.
    return {name: Decimal(usd or 0).quantize(_CENT) for name, usd in sums.items()}


def told_events(events: Iterable[AuditEvent]) -> list[StudyEvent]:
    """`events` with workers under names that may leave the house; one statement."""
    rows = list(events)
    names = _names({str(row.detail["worker"]) for row in rows if "worker" in row.detail})
    return [
        StudyEvent(
            at=row.at,
            action=row.action,
            actor=row.actor,
            batch=row.batch_id,
            batch_name=row.batch.name if row.batch else "",
            committed=row.committed,
            paid=row.paid,
            detail=row.detail
            | (
                {"worker": names.get(str(row.detail["worker"]), "a worker")}
                if "worker" in row.detail
                else {}
            ),
        )
        for row in rows
    ]


def _events(study: Study) -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(Q(study=study) | Q(batch__study=study))


def _names(ids: set[str]) -> dict[str, str]:
    """People have the same pseudonym in every batch; simulated workers are numbered per batch."""
    workers = Worker.objects.filter(worker_id__in=ids).values_list("worker_id", "kind")
    said = {WorkerKind.SIMULATED: "a simulated worker"}
    return {
        name: person(name, key=settings.SECRET_KEY)
        if kind == WorkerKind.HUMAN
        else said.get(WorkerKind(kind), name)
        for name, kind in workers
    }
