"""Renaming, archiving and removing a study and its items; restoring them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse

from annotation.core.access import studies_open_to, studies_removed_by
from annotation.core.forms import form_of, sent_parameters
from annotation.core.perform import estimate, perform_here
from annotation.models import Batch, Study, StudyReport
from annotation.overview.operations.archive import ARCHIVE, UNARCHIVE
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.overview.operations.naming import KINDS
from annotation.overview.operations.remove import REMOVE, UNDO_REMOVAL
from annotation.overview.operations.rename import RENAME
from annotation.overview.queries.holdings import put_away as rows_put_away
from annotation.vocabulary import Action
from annotation.web.access import checks_query, person_of, person_view, study_view, who
from annotation.web.buttons import button, press, study_button
from metrics.errors import InputError
from pooling.models import Pool

#: Names of the items' pages; a file has no page but its study's.
_PAGES = {Pool.noun: "pool-detail", Batch.noun: "batch-detail", StudyReport.noun: "study-report"}


@study_view(Action.VIEW)
def put_away(request: HttpRequest, study: Study) -> HttpResponse:
    """List the archived rows of the study, and the removed ones that can be restored."""
    archived, removed = rows_put_away(study=study)
    context = {
        "archived": [(row, _address(study, row.noun, row.pk)) for row in archived],
        "removed": removed,
        "tab": "put-away",
    }
    return render(request, "web/put_away.html", context)


@person_view
def studies_put_away(request: HttpRequest) -> HttpResponse:
    """The studies that are archived or removed."""
    person = person_of(request)
    archived = studies_open_to(user=person, action=Action.VIEW).exclude(archived_at=None)
    context = {"archived": archived, "removed": studies_removed_by(user=person)}
    return render(request, "web/studies_put_away.html", context)


@study_view(Action.MANAGE)
@checks_query
def remove(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what would be removed, or why it cannot be; with POST, remove it."""
    form_data = request.POST if request.method == "POST" else request.GET
    problem, plan, values = "", None, {}
    try:
        values = sent_parameters(form_of(REMOVE), form_data)
        plan = estimate(REMOVE, study, values, who(request))
        if request.method == "POST":
            messages.success(request, press(request, REMOVE, study))
            return _after_removal(study, values["what"])
    except InputError as error:
        problem = str(error)
    kind = KINDS.get(values.get("what", ""))
    context = {
        "kind": kind.noun if kind else "",
        "what": kind.what if kind else "",
        "values": values,
        "plan": plan,
        "problem": problem,
        "back": _page_of(study, values),
    }
    return render(request, "web/remove.html", context)


def _page_after(request: HttpRequest, study: Study) -> HttpResponse:
    """Return the page of the changed item."""
    study = Study.everything.get(pk=study.pk)
    if request.POST.get("then") == "study-put-away" and study.removed_at is None:
        return redirect("study-put-away", study.pk)
    return redirect(_page_of(study, request.POST.dict()))


rename, archive, unarchive, undo_removal = (
    study_button(operation, _page_after) for operation in (RENAME, ARCHIVE, UNARCHIVE, UNDO_REMOVAL)
)


@button(study_view(Action.MANAGE))
def duplicate(request: HttpRequest, study: Study) -> HttpResponse:
    """Duplicate the study, and show the new one."""
    values = sent_parameters(form_of(DUPLICATE_STUDY), request.POST.dict())
    done = perform_here(DUPLICATE_STUDY, study, values, who(request))
    messages.success(request, done.message)
    return redirect("study-detail", done.made.pk)


def _page_of(study: Study, values: dict[str, str]) -> str:
    """Return the page of the item, or that of its study."""
    if study.removed_at is not None:
        return reverse("studies-put-away")
    kind, number = values.get("what", ""), values.get("number", "")
    is_number = number.isascii() and number.isdecimal()
    page = _address(study, kind, int(number)) if is_number else ""
    return page or reverse("study-detail", args=[study.pk])


def _address(study: Study, kind: str, number: int) -> str:
    """Return the address of the item of this kind and number; empty for a file, which has none."""
    page = _PAGES.get(kind)
    if page is None:
        return ""
    return reverse(page, args=[study.pk, number] if kind == StudyReport.noun else [number])


def _after_removal(study: Study, kind: str) -> HttpResponseRedirect:
    """Redirect to the page where it can be restored."""
    if kind == Study.noun:
        return redirect("studies-put-away")
    return redirect("study-put-away", study.pk)
