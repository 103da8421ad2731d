"""The log of a study: every decision, and every cent of all its batches."""

from typing import Any

from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import render

from annotation.core.names_sent import chosen
from annotation.models import Study
from annotation.overview.queries.log import log_table, pseudonymised_events
from annotation.overview.queries.study_log import (
    LogFilter,
    study_event_choices,
    study_events,
    study_sums,
)
from annotation.vocabulary import Action
from annotation.web.access import study_view, takes
from annotation.web.downloads import RAW, download_table
from annotation.web.logs import EVENT_COLUMNS, page_of_log
from annotation.web.sorting import Column, sorted_query

_COLUMNS = {
    "when": EVENT_COLUMNS["when"],
    "what": EVENT_COLUMNS["what"],
    "where": Column("Where", "batch__name"),
    "who": EVENT_COLUMNS["who"],
    "committed": Column("Committed, USD", "committed", is_number=True),
    "paid": Column("Paid, USD", "paid", is_number=True),
    "details": EVENT_COLUMNS["details"],
}


@study_view(Action.VIEW)
@takes("what", "who", "batch", "money", "sort", "page", "as", RAW)
def study_log(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The log as the address filters it: a page of it, or with `?as=csv` all of it as a file."""
    choices = study_event_choices(study=study)
    filters = _log_filter(request.GET, choices)
    events = study_events(study=study, filters=filters)
    if request.GET.get("as") == "csv":
        sorted_events, _ = sorted_query(request, events, _COLUMNS)
        return download_table(request, log_table(sorted_events), f"{study.name}-log.csv")
    context = {
        "choices": choices,
        "wanted": filters,
        "sort": request.GET.get("sort", ""),
        "sums": study_sums(study=study),
        **page_of_log(request, events, pseudonymised_events, _COLUMNS),
    }
    return render(request, "web/study_log.html", context)


def _log_filter(query: QueryDict, choices: dict[str, list[Any]]) -> LogFilter:
    """The filters of the address that the log knows."""
    batch = chosen(query, "batch", [str(number) for number, _ in choices["batches"]])
    return LogFilter(
        what=chosen(query, "what", choices["actions"]),
        who=chosen(query, "who", choices["actors"]),
        batch=int(batch) if batch else None,
        money="money" in query,
    )
