"""Logs in pages: of a batch, of its money, of a study."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from annotation.models import AuditEvent
from annotation.web.pages import page_of, query_without_page
from annotation.web.sorting import Column, sorted_query

EVENT_COLUMNS = {
    "when": Column("When", "at"),
    "what": Column("What", "action"),
    "who": Column("Who", "actor"),
    "details": Column("Details"),
}


def page_of_log(
    request: HttpRequest,
    events: QuerySet[AuditEvent],
    read: Callable[[Iterable[AuditEvent]], object],
    columns: Mapping[str, Column] = EVENT_COLUMNS,
) -> dict[str, Any]:
    """A page of a log and its heads; `read` turns its events into what is shown."""
    rows, heads = sorted_query(request, events, columns)
    page = page_of(request, rows)
    context = {"page": page, "heads": heads, "question": query_without_page(request)}
    return {**context, "events": read(page.object_list)}
