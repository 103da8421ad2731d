"""The log as pages and API show it: workers under the names that may leave the site."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from annotation.core.csv_rows import FreeCell
from annotation.labels.queries.pseudonyms import worker_names
from annotation.models import AuditEvent, Batch, Worker
from annotation.schemes import JOINED, Scheme
from annotation.vocabulary import LABEL_METHODS, TIE, FileKind, Role, SampleDesign

#: What words of a name alone do not say; a name that is not here is its words.
_LABELS = {
    "added": "answers requested",
    "reopened": "HITs offered again",
    "further_hits": "HITs for the rest",
    "new": "answers",
    "quarantined": "answers that cannot be read",
    "changed": "labels changed",
    "kept_out": "workers excluded",
    "hits": "HITs",
    "assignment": "answer",
    "assignments": "answers",
    "qid": "id",
    "at": "address",
    "digest": "checksum",
    "usd": "USD",
}
#: Of the crowd service and of rows, which say nothing to a person.
_LEFT_OUT = frozenset({"channel", "uid", "number", "report", "invitation"})
_CHOICES: Mapping[str, Iterable[tuple[str, Any]]] = {
    "method": LABEL_METHODS,
    "role": Role.choices,
    "before": Role.choices,
    "now": Role.choices,
    "design": SampleDesign.choices,
    "kind": FileKind.choices,
}


def in_words(detail: Mapping[str, Any], batch: Batch | None) -> tuple[tuple[str, Any], ...]:
    """Return label and value of each part of the details of an event of `batch`."""
    return tuple(_parts(detail, batch.scheme if batch and "question" in detail else None))


def _parts(detail: Mapping[str, Any], scheme: Scheme | None) -> Iterator[tuple[str, Any]]:
    by_name = {question.name: question for question in (scheme.questions if scheme else ())}
    question = by_name.get(str(detail.get("question", "")))
    for name, value in detail.items():
        if name in _LEFT_OUT:
            continue
        label = _LABELS.get(name, name.replace("_", " "))
        if question and name == "question":
            yield label, question.title
        elif question and name == "category" and question.kind.has_options:
            is_tie = value == TIE and TIE not in question.codes
            yield "answer", "Tie" if is_tie else question.words(str(value).split(JOINED))
        else:
            yield label, _labelled(name, value)


def _labelled(name: str, value: Any) -> Any:
    labels = dict(_CHOICES.get(name, ()))
    return labels.get(value, value) if isinstance(value, str) else value


@dataclass(frozen=True)
class LogEntry:
    """An event; `batch` is the batch's number. Money in USD.

    It is None for the study itself, which has no `batch_name`, and for a batch that is removed.
    """

    at: datetime
    action: str
    actor: str
    batch: int | None
    batch_name: str
    committed: Decimal
    paid: Decimal
    detail: dict[str, Any]
    #: The same for people, as labels and values.
    shown: tuple[tuple[str, Any], ...] = ()


def pseudonymised_events(events: Iterable[AuditEvent]) -> list[LogEntry]:
    """`events` with workers under the names that they have in their batch.

    The statements depend on the number of batches alone.
    """
    rows = list(events)
    named = [row for row in rows if "worker" in row.detail]
    ids = {str(row.detail["worker"]) for row in named}
    names = {batch.pk: _names(batch, ids) for batch in {row.batch for row in named if row.batch}}
    details = [_without_ids(row.detail, names.get(row.batch_id or 0, {})) for row in rows]
    return [
        LogEntry(
            at=row.at,
            action=row.action,
            actor=row.actor,
            batch=row.batch_id if row.batch and not row.batch.removed_at else None,
            batch_name=row.batch.name if row.batch else "",
            committed=row.committed,
            paid=row.paid,
            detail=detail,
            shown=in_words(detail, row.batch),
        )
        for row, detail in zip(rows, details, strict=True)
    ]


def log_table(events: Iterable[AuditEvent]) -> Iterator[Sequence[object]]:
    """The events as the rows of a file, after those of its head; details as JSON."""
    yield ["when", "what", "batch", "who", "committed_usd", "paid_usd", "details"]
    for entry in pseudonymised_events(events):
        details = json.dumps(entry.detail, ensure_ascii=False, default=str)
        moment = entry.at.isoformat(timespec="seconds")
        money = entry.committed, entry.paid
        batch, actor = FreeCell(entry.batch_name), FreeCell(entry.actor)
        yield [moment, entry.action, batch, actor, *money, FreeCell(details)]


def _names(batch: Batch, ids: set[str]) -> dict[str, str]:
    names = worker_names(batch=batch)
    workers = Worker.objects.filter(environment=batch.environment, worker_id__in=ids)
    return {worker.worker_id: names[worker.pk] for worker in workers if worker.pk in names}


def _without_ids(detail: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    if "worker" not in detail:
        return detail
    return {**detail, "worker": names.get(str(detail["worker"]), "a worker")}
