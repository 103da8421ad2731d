"""Two reports of a study beside each other."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotation.core.names_sent import chosen
from annotation.models import Study, StudyReport
from annotation.reports.queries.side_by_side import reports_side_by_side
from annotation.vocabulary import Action
from annotation.web.access import study_view, takes


@require_GET
@study_view(Action.VIEW)
@takes("left", "right", "measure")
def report_compare(request: HttpRequest, study: Study) -> HttpResponse:
    """The two of the address; where it lacks one, the latest of the others."""
    made = {str(one.pk): one for one in study.reports.exclude(made_at=None).order_by("-pk")}
    latest = list(made.values())
    left = made.get(chosen(request.GET, "left", made))
    right = made.get(chosen(request.GET, "right", made)) or _other(latest, left)
    left = left or _other(latest, right)
    shown = {"study": study, "reports": latest, "left": left, "right": right}
    if left is not None and right is not None:
        measure = request.GET.get("measure", "")
        shown["both"] = reports_side_by_side(left, right, measure)
    return render(request, "web/report_compare.html", shown)


def _other(latest: list[StudyReport], than: StudyReport | None) -> StudyReport | None:
    """The latest report but `than`; that itself where there is no other."""
    return next((one for one in latest if one != than), than)
