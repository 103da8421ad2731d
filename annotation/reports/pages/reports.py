"""Bias reports of a study: request, view, download."""

from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST

from annotation.core.csv_rows import safe_table
from annotation.core.forms import add_errors, is_of_several, sent_parameters
from annotation.core.parameters import ParametersError
from annotation.core.perform import perform, perform_here
from annotation.core.task_queue import task_cancel
from annotation.labels.pages.corrected import corrected_section
from annotation.models import Study, StudyReport
from annotation.reports.operations.create import CREATE_REPORT
from annotation.reports.operations.make_report import MAKE_REPORT
from annotation.reports.pages.files import FIGURE_FORMATS, TABLE_FORMATS, content_type, part_of
from annotation.reports.pages.forms import CHOICE_NAMES, ReportForm, view_of
from annotation.reports.pages.pictures import (
    address_of,
    distribution_chart,
    extreme_places,
    figure_charts,
    forest_chart,
    front_chart,
    query_rows,
    spread_chart,
)
from annotation.reports.queries.reports import (
    FOLDER,
    ListedReport,
    queries_shown,
    report_file,
    report_files_by_stem,
    report_path,
    study_report,
    study_reports,
)
from annotation.reports.queries.view import ReportView
from annotation.vocabulary import Action
from annotation.web.access import show_removed, study_view, takes, who
from annotation.web.buttons import button
from annotation.web.downloads import RAW, is_safe
from annotation.web.pages import found_or_404, page_of, query_without_page
from metrics.errors import InputError

_QUERIES_PER_PAGE = 25
#: Digits that every database takes as a number.
_LONGEST_NUMBER = 18


@study_view(Action.VIEW)
@takes("like", "batch")
def report_list(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the reports, and the form of a new one.

    `?like=` fills it in as an earlier report, `?batch=` for the labels of that batch.
    """
    number = request.GET.get("like", "")
    is_number = number.isascii() and number.isdecimal() and len(number) <= _LONGEST_NUMBER
    earlier = study.reports.filter(pk=int(number)).first() if is_number else None
    like = earlier.parameters if earlier else None
    form = ReportForm(study, like=like, batch=request.GET.get("batch", ""))
    return _list(request, study, form)


@require_POST
@study_view(Action.MANAGE)
@takes(several=[name for name, field in ReportForm.base_fields.items() if is_of_several(field)])
def report_new(request: HttpRequest, study: Study) -> HttpResponse:
    form = ReportForm(study, request.POST)
    try:
        sent_parameters(form, request.POST)
        if form.is_valid():
            done = perform_here(CREATE_REPORT, study, form.parameters(), who(request))
            return redirect("study-report", study.pk, done.values["number"])
    except ParametersError as error:
        add_errors(form, error)
    except InputError as error:
        form.add_error(None, str(error))
    return _list(request, study, form)


def _list(request: HttpRequest, study: Study, form: ReportForm) -> HttpResponse:
    context = {"study": study, "reports": study_reports(study=study), "form": form}
    return render(request, "web/report_list.html", context)


@study_view(Action.VIEW)
@takes(*CHOICE_NAMES, "page")
def report_page(request: HttpRequest, study: Study, report: int) -> HttpResponse:
    removed = StudyReport.everything.filter(study=study, pk=report).exclude(removed_at=None).first()
    if removed is not None:
        return show_removed(request, removed, study)
    listed = found_or_404(study_report, study=study, number=report)
    context = {"study": study, "listed": listed, "report": listed.report}
    if listed.report.made_at is None:
        return render(request, "web/report_waiting.html", context)
    view = view_of(listed.report, request.GET)
    batches = study.batches.filter(pk__in=listed.report.parameters["batches"]).order_by("pk")
    sections = [section for batch in batches if (section := corrected_section(batch))]
    context |= {"corrected_sections": sections, **_parts(request, view)}
    response = render(request, "web/report.html", context)
    if request.headers.get("HX-Target") == "state":
        # The page that waited for the report asks: now its own page exists.
        response["HX-Refresh"] = "true"
    return response


def _parts(request: HttpRequest, view: ReportView) -> dict[str, Any]:
    page = page_of(request, view.ranked_places(), per_page=_QUERIES_PER_PAGE)
    places = list(page.object_list)
    qids = [view.stored.qids[place] for place in dict.fromkeys([*places, *extreme_places(view)])]
    queries = queries_shown(view.report, qids)
    figures = [
        {"name": name, "plot": plot, "charts": figure_charts(view, plot, name)}
        for name, plot in view.figures.items()
    ]
    return {
        "view": view,
        "figures": figures,
        "forest": forest_chart(view),
        "front": front_chart(view),
        "spreads": spread_chart(view),
        "distribution": distribution_chart(view, queries),
        "page": page,
        "is_at_queries": view.choice.run not in view.runs[:1]
        or not {"bin", "page"}.isdisjoint(request.GET),
        "rows": query_rows(view, places, queries),
        "question": query_without_page(request),
        "folder": report_files_by_stem(view.report),
        "asked_zero": address_of(view, bin="zero"),
        "asked_all": address_of(view, bin=""),
        "table_formats": TABLE_FORMATS,
        "figure_formats": FIGURE_FORMATS,
    }


@require_POST
@study_view(Action.MANAGE)
def report_cancel(request: HttpRequest, study: Study, report: int) -> HttpResponse:
    listed = found_or_404(study_report, study=study, number=report)
    if listed.task is not None:
        task_cancel(task_id=listed.task.pk)
        # Storing the report makes cancelling wait: from here on it is made or never.
        if study.reports.filter(pk=report, made_at__isnull=False).exists():
            messages.info(request, "The report was finished before.")
        else:
            messages.success(request, "The report is not made any further.")
    return redirect("study-report", study.pk, report)


def _page_of(_request: HttpRequest, study: Study, report: int) -> HttpResponse:
    return redirect("study-report", study.pk, report)


@button(study_view(Action.MANAGE), _page_of)
def report_again(request: HttpRequest, study: Study, report: int) -> str:
    found_or_404(study_report, study=study, number=report)
    perform(MAKE_REPORT, study, {"report": report}, who(request))
    return MAKE_REPORT.queued


@study_view(Action.VIEW)
@takes(*CHOICE_NAMES, "page", RAW)
def report_part(request: HttpRequest, study: Study, report: int, name: str) -> HttpResponse:
    """Send a table or figure of the view as a file."""
    view = view_of(_made(study, report).report, request.GET)
    return _download(request, name, found_or_404(part_of, view=view, name=name))


@study_view(Action.VIEW)
@takes(RAW)
def report_one_file(request: HttpRequest, study: Study, report: int, name: str) -> HttpResponse:
    """A file of the folder, with the bytes that the command `report` writes.

    In a table, names that a spreadsheet would read as formulas are safe; the zip has all as it is.
    """
    listed = _made(study, report)
    return _download(request, name, found_or_404(report_file, report=listed.report, name=name))


@study_view(Action.VIEW)
def report_folder(_request: HttpRequest, study: Study, report: int) -> HttpResponseBase:
    """All files of the folder as one zip."""
    path = found_or_404(report_path, report=_made(study, report).report, name=FOLDER)
    return FileResponse(path.open("rb"), as_attachment=True, filename=f"report-{report}.zip")


def _made(study: Study, number: int) -> ListedReport:
    listed: ListedReport = found_or_404(study_report, study=study, number=number)
    if listed.report.made_at is None:
        raise Http404("The report is not made yet.")
    return listed


def _download(request: HttpRequest, name: str, content: bytes) -> HttpResponse:
    if name.endswith(".csv") and is_safe(request):
        content = safe_table(content.decode()).encode()
    response = HttpResponse(content, content_type=content_type(name))
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    return response
