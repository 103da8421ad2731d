"""The log of a study: every decision, and every cent of all its batches."""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from annotation.models import Study
from annotation.overview.queries.study_log import (
    LogFilter,
    study_event_choices,
    study_events,
    study_sums,
)
from annotation.vocabulary import Action
from annotation.web.access import study_view
from annotation.web.logs import EVENT_COLUMNS, page_of_log
from annotation.web.sorting import Column

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
def study_log(request: HttpRequest, study: Study) -> HttpResponse:
    choices = study_event_choices(study=study)
    filters = _log_filter(
        request.GET, known={str(number): number for number, _ in choices["batches"]}
    )
    shown = {
        "choices": choices,
        "wanted": filters,
        "sort": request.GET.get("sort", ""),
        "sums": study_sums(study=study),
        **page_of_log(request, study_events(study=study, filters=filters), _COLUMNS),
    }
    return render(request, "web/study_log.html", shown)


def _log_filter(query: QueryDict, known: dict[str, int]) -> LogFilter:
    """What the address asks for; a batch that the study does not have asks for nothing."""
    return LogFilter(
        what=query.get("what", "").replace("\x00", ""),
        who=query.get("who", "").replace("\x00", ""),
        batch=known.get(query.get("batch", "")),
        money="money" in query,
    )
