"""Pages of qualifications: requests, tests and results."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from mturk_local.answers import AnswerError
from mturk_local.forms import answer_of, form_parse
from mturk_local.lifecycle.assignments import WorkError
from mturk_local.lifecycle.grants import request_start, request_submit
from mturk_local.models import QualificationRequest, QualificationType, RequestState
from mturk_local.site.pages import message
from mturk_local.site.session import Visit, worker_page


@require_GET
@worker_page
def qualification(request: HttpRequest, visit: Visit, type_id: str) -> HttpResponse:
    """A qualification, and whether the worker has it."""
    kind = _kind(type_id)
    context = {
        "worker": visit.worker,
        "kind": kind,
        "held": kind.qualifications.filter(worker=visit.worker, granted=True).first(),
    }
    return render(request, "mturk_local/qualification.html", context)


@require_POST
@worker_page
def ask(request: HttpRequest, visit: Visit, type_id: str) -> HttpResponse:
    """Ask for a qualification; its test opens, if it has one."""
    try:
        started = request_start(kind=_kind(type_id), worker=visit.worker, now=visit.now)
    except WorkError as error:
        return message(request, visit, _("Not now"), str(error), status=409)
    return redirect("crowd-test", started.request_id)


@worker_page
def test(request: HttpRequest, visit: Visit, request_id: str) -> HttpResponse:
    """The test of a qualification, and what came of it."""
    made = get_object_or_404(
        QualificationRequest.objects.select_related("type__requester", "worker"),
        request_id=request_id,
        worker=visit.worker,
    )
    problem = ""
    if request.method == "POST" and made.state == RequestState.STARTED:
        posted = {name: request.POST.getlist(name) for name in request.POST}
        try:
            answer = answer_of(form_parse(made.type.test), posted)
            request_submit(request=made, answer=answer, now=visit.now)
            return redirect("crowd-test", request_id)
        except (AnswerError, WorkError) as error:
            problem = str(error)
    context = {
        "worker": visit.worker,
        "made": made,
        "form": form_parse(made.type.test) if made.state == RequestState.STARTED else None,
        "problem": problem,
        "held": made.type.qualifications.filter(worker=visit.worker, granted=True).first(),
    }
    return render(request, "mturk_local/test.html", context)


def _kind(type_id: str) -> QualificationType:
    return get_object_or_404(
        QualificationType.objects.select_related("requester"),
        qualification_type_id=type_id,
        deleted_at=None,
    )
