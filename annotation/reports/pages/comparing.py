"""Two reports of a study beside each other."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from annotation.core.csv_rows import FreeCell
from annotation.core.names_sent import chosen
from annotation.models import Study, StudyReport
from annotation.reports.queries.side_by_side import SideBySide, reports_side_by_side
from annotation.vocabulary import Action
from annotation.web.access import study_view, takes
from annotation.web.charts.shapes import Chart
from annotation.web.charts.slopes import Slope, slope_chart
from annotation.web.downloads import RAW, download_table
from metrics.vocabulary import MAIN_CUTOFF


@require_GET
@study_view(Action.VIEW)
@takes("left", "right", "measure", "cutoff", "as", RAW)
def report_compare(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Compare the two reports of the address, or the latest others; `?as=csv` sends a file."""
    reports = {
        str(report.pk): report for report in study.reports.exclude(made_at=None).order_by("-pk")
    }
    latest = list(reports.values())
    left = reports.get(chosen(request.GET, "left", reports))
    right = reports.get(chosen(request.GET, "right", reports)) or _other(latest, left)
    left = left or _other(latest, right)
    context = {"study": study, "reports": latest, "left": left, "right": right}
    if left is not None and right is not None:
        measure = request.GET.get("measure", "")
        both = reports_side_by_side(left, right, measure)
        if request.GET.get("as") == "csv":
            name = f"{study.name}-{left.pk}-{right.pk}.csv"
            return download_table(request, _table(both, left, right), name)
        names = [str(cutoff) for cutoff in both.cutoffs]
        usual = MAIN_CUTOFF if MAIN_CUTOFF in both.cutoffs else (both.cutoffs or [0])[0]
        cutoff = int(chosen(request.GET, "cutoff", names) or usual)
        context |= {"both": both, "cutoff": cutoff}
        context["chart"] = _slopes(both, (left, right), cutoff)
    return render(request, "web/report_compare.html", context)


def _table(both: SideBySide, left: StudyReport, right: StudyReport) -> Iterator[Sequence[object]]:
    """The means as the page lists them, in full; empty where a report has none."""
    titles = FreeCell(left.title), FreeCell(right.title)
    yield ["measure", "run", "cutoff", *titles, "right minus left"]
    for value in both.values:
        numbers = value.cutoff, value.left, value.right, value.difference
        yield [both.measure, FreeCell(value.run), *numbers]


def _slopes(
    both: SideBySide, reports: tuple[StudyReport, StudyReport], cutoff: int
) -> Chart | None:
    """The means of each run in both reports at one cut-off; None where no run is in both."""
    slopes = []
    for value in both.values:
        if value.cutoff != cutoff or value.left is None or value.right is None:
            continue
        question = urlencode({"measure": both.measure, "run": value.run, "cutoff": cutoff})
        sides = (value.left, value.right)
        slopes.append(
            Slope(
                value.run,
                *sides,
                texts=_said(value.run, reports, sides),
                addresses=_addresses(reports, question),
            )
        )
    if not slopes:
        return None
    title = f"{dict(both.measures)[both.measure]} at {cutoff} in both reports"
    runs = list(dict.fromkeys(value.run for value in both.values))
    left, right = reports
    return slope_chart(title, slopes, runs, (left.title[:24], right.title[:24]))


def _said(
    run: str, reports: tuple[StudyReport, StudyReport], values: tuple[float, float]
) -> tuple[str, str]:
    first, second = (
        f"{run}, {report.title}: {value:.4f}".replace("-", "\u2212")
        for report, value in zip(reports, values, strict=True)
    )
    return first, second


def _addresses(reports: tuple[StudyReport, StudyReport], question: str) -> tuple[str, str]:
    left, right = (
        f"{reverse('study-report', args=[report.study_id, report.pk])}?{question}#values"
        for report in reports
    )
    return left, right


def _other(latest: list[StudyReport], than: StudyReport | None) -> StudyReport | None:
    """Return the latest other report; `than` itself where there is no other."""
    return next((report for report in latest if report != than), than)
