"""The log of a batch as pages tell it: workers under the names that leave the house."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.models import AuditEvent, Batch, Worker
from annotation.selectors.pseudonyms import worker_names


@dataclass(frozen=True)
class ToldEvent:
    at: datetime
    action: str
    actor: str
    detail: dict[str, Any]


def told(*, batch: Batch, events: Iterable[AuditEvent]) -> list[ToldEvent]:
    """`events` with workers under their pseudonyms; a fixed number of statements."""
    rows = list(events)
    ids = {str(event.detail["worker"]) for event in rows if "worker" in event.detail}
    names = _names(batch, ids) if ids else {}
    return [
        ToldEvent(event.at, event.action, event.actor, _without_ids(event.detail, names))
        for event in rows
    ]


def _names(batch: Batch, ids: set[str]) -> dict[str, str]:
    given = worker_names(batch=batch)
    workers = Worker.objects.filter(environment=batch.environment, worker_id__in=ids)
    return {worker.worker_id: given.get(worker.pk, "a worker") for worker in workers}


def _without_ids(detail: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    if "worker" not in detail:
        return detail
    return {**detail, "worker": names.get(str(detail["worker"]), "a worker")}
