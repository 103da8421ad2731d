"""The log of a study and of all its batches: actor, act, time and money."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Q, QuerySet, Sum

from annotation.models import AuditEvent, Study
from annotation.models.assignments import cents
from annotation.models.audit import AuditQuerySet


@dataclass(frozen=True)
class LogFilter:
    """Filters of the log: an empty field selects everything."""

    what: str = ""
    who: str = ""
    batch: int | None = None
    money: bool = False


def study_events(*, study: Study, filters: LogFilter) -> QuerySet[AuditEvent]:
    """The events of the study and its batches, the latest first."""
    events = _events(study)
    if filters.what:
        events = events.filter(action=filters.what)
    if filters.who:
        events = events.filter(actor=filters.who)
    if filters.batch is not None:
        events = events.filter(batch=filters.batch)
    if filters.money:
        events = events.about_money()
    return events.select_related("batch").order_by("-at", "-id")


def study_event_choices(*, study: Study) -> dict[str, list[Any]]:
    """Choices of each filter."""
    events = _events(study).order_by()
    return {
        "actions": sorted(events.values_list("action", flat=True).distinct()),
        "actors": sorted(events.values_list("actor", flat=True).distinct()),
        "batches": list(study.batches.order_by("name").values_list("pk", "name")),
    }


def study_sums(*, study: Study) -> dict[str, Decimal]:
    """US dollars committed and paid by the log of the study."""
    sums = _events(study).aggregate(committed=Sum("committed"), paid=Sum("paid"))
    return {name: cents(usd) for name, usd in sums.items()}


def _events(study: Study) -> AuditQuerySet:
    return AuditEvent.objects.filter(Q(study=study) | Q(batch__study=study))
