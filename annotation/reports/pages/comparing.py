"""Two reports of a study beside each other."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.models import Study, StudyReport
from annotation.reports.queries.side_by_side import reports_side_by_side
from annotation.vocabulary import Action
from annotation.web.access import study_view


@require_GET
@study_view(Action.VIEW)
def report_compare(request: HttpRequest, study: Study) -> HttpResponse:
    """The two of the address; where it names none, the two that were made last."""
    made = {str(one.pk): one for one in study.reports.exclude(made_at=None).order_by("-pk")}
    latest = list(made.values())
    left = made.get(request.GET.get("left", "")) or _at(latest, 1)
    right = made.get(request.GET.get("right", "")) or _at(latest, 0)
    shown = {"study": study, "reports": latest, "left": left, "right": right}
    if left is not None and right is not None:
        measure = request.GET.get("measure", "")
        shown["both"] = reports_side_by_side(left, right, measure)
    return render(request, "web/report_compare.html", shown)


def _at(reports: list[StudyReport], place: int) -> StudyReport | None:
    """The report at that place; the last one where there are fewer."""
    return reports[min(place, len(reports) - 1)] if reports else None
