"""Rename, archive and remove what a study holds, and the study; see it again, bring it back."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.core.access import studies_open_to, studies_removed_by
from annotation.core.forms import form_of, sent_parameters
from annotation.core.perform import estimate, perform_here
from annotation.models import Study
from annotation.overview.operations.adopt import ADOPT
from annotation.overview.operations.archive import ARCHIVE, UNARCHIVE
from annotation.overview.operations.duplicate_study import DUPLICATE_STUDY
from annotation.overview.operations.remove import REMOVE
from annotation.overview.operations.rename import RENAME
from annotation.overview.operations.undo_removal import UNDO_REMOVAL
from annotation.overview.queries.things import things_put_away
from annotation.vocabulary import Action, ThingKind
from annotation.web.access import person_of, person_view, staff_view, study_view, who
from annotation.web.buttons import button, do_and_tell, number_sent, press, study_button
from metrics.errors import InputError

#: Where a thing of each kind is looked at; a file has no page but its study's.
_PAGES = {
    ThingKind.POOL: "pool-detail",
    ThingKind.BATCH: "batch-detail",
    ThingKind.REPORT: "study-report",
}


@study_view(Action.VIEW)
def put_away(request: HttpRequest, study: Study) -> HttpResponse:
    """What of the study is archived, and what is removed and can be brought back."""
    archived, removed = things_put_away(study=study)
    shown = {
        "archived": [(thing, _address(study, thing.kind, thing.row.pk)) for thing in archived],
        "removed": removed,
        "tab": "put-away",
    }
    return render(request, "web/put_away.html", shown)


@person_view
def studies_put_away(request: HttpRequest) -> HttpResponse:
    """The studies that are archived or removed."""
    person = person_of(request)
    archived = studies_open_to(user=person, action=Action.VIEW).exclude(archived_at=None)
    shown = {"archived": archived, "removed": studies_removed_by(user=person)}
    return render(request, "web/studies_put_away.html", shown)


@study_view(Action.MANAGE)
def remove(request: HttpRequest, study: Study) -> HttpResponse:
    """With GET what would be removed, or why it cannot be; with POST it is."""
    sent = request.POST if request.method == "POST" else request.GET
    problem, plan, values = "", None, {}
    try:
        values = sent_parameters(form_of(REMOVE), sent.dict())
        plan = estimate(REMOVE, study, values, who(request))
        if request.method == "POST":
            messages.success(request, press(request, REMOVE, study))
            return _after_removal(study, values["what"])
    except InputError as error:
        problem = str(error)
    shown = {
        "kind": ThingKind(values["what"]) if values.get("what") in ThingKind else None,
        "values": values,
        "plan": plan,
        "problem": problem,
        "back": _page_of(study, values),
    }
    return render(request, "web/remove.html", shown)


def _page_after(request: HttpRequest, study: Study) -> HttpResponse:
    """The page of the thing that was changed."""
    study = Study.everything.get(pk=study.pk)
    if request.POST.get("then") == "study-put-away" and study.removed_at is None:
        return redirect("study-put-away", study.pk)
    return redirect(_page_of(study, request.POST.dict()))


rename, archive, unarchive, undo_removal = (
    study_button(operation, _page_after) for operation in (RENAME, ARCHIVE, UNARCHIVE, UNDO_REMOVAL)
)


@button(study_view(Action.MANAGE))
def duplicate(request: HttpRequest, study: Study) -> HttpResponse:
    """Begin a study like this one, and show it."""
    values = sent_parameters(form_of(DUPLICATE_STUDY), request.POST.dict())
    done = perform_here(DUPLICATE_STUDY, study, values, who(request))
    messages.success(request, done.message)
    return redirect("study-detail", done.made.pk)


@require_POST
@staff_view
def adopt(request: HttpRequest) -> HttpResponse:
    """Put what belongs to no study into the chosen one, and show its page again."""
    studies = studies_open_to(user=person_of(request), action=Action.MANAGE)
    study = get_object_or_404(studies, pk=number_sent(request, "study"))
    sent = {name: value for name, value in request.POST.items() if name != "study"}
    values = sent_parameters(form_of(ADOPT), sent)
    do_and_tell(request, lambda: perform_here(ADOPT, study, values, who(request)).message)
    return redirect(_page_of(study, values))


def _page_of(study: Study, values: dict[str, str]) -> str:
    """The page of the thing that is meant, or that of its study."""
    if study.removed_at is not None:
        return reverse("studies-put-away")
    kind, number = values.get("what", ""), values.get("number", "")
    is_number = number.isascii() and number.isdecimal()
    page = _address(study, kind, int(number)) if is_number else ""
    return page or reverse("study-detail", args=[study.pk])


def _address(study: Study, kind: str, number: int) -> str:
    """The page of a thing; empty for a file, which has none."""
    page = _PAGES.get(ThingKind(kind)) if kind in ThingKind else None
    if page is None:
        return ""
    return reverse(page, args=[study.pk, number] if kind == ThingKind.REPORT else [number])


def _after_removal(study: Study, kind: str) -> HttpResponseRedirect:
    """Where it can be brought back."""
    if kind == ThingKind.STUDY:
        return redirect("studies-put-away")
    return redirect("study-put-away", study.pk)
