"""The page inside the frame, and the place where its form goes."""

from django.conf import settings
from django.core.signing import BadSignature
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from mturk_local.answers import AnswerError, answer_values, answer_xml
from mturk_local.forms import answer_of, form_parse
from mturk_local.lifecycle.assignments import WorkError, assignment_submit
from mturk_local.models import HIT, Assignment
from mturk_local.questions import question_parse
from mturk_local.site.forms import completed, filled_in, previewed
from mturk_local.site.frame import (
    SANDBOX,
    SUBMIT_PATH,
    assignment_of,
    in_language_of,
    submit_to,
    task_of,
)
from mturk_local.site.moment import moment


@never_cache
@xframe_options_exempt  # the policy below says who may frame it
@require_GET
def task(_request: HttpRequest, token: str) -> HttpResponse:
    """The page of a task. Its address, not a cookie, says whose it is."""
    try:
        claim = task_of(token)
    except BadSignature:
        raise Http404 from None
    hit = get_object_or_404(HIT, pk=claim.hit)
    question = question_parse(hit.question)
    page = question.content
    if question.kind == "form":
        page = render_to_string("mturk_local/question_form.html", {"form": form_parse(page)})
    if claim.answered is not None:
        answer = get_object_or_404(Assignment, pk=claim.answered, hit=hit)
        page = filled_in(page, answer_values(answer.answer))
    elif claim.assignment is None:
        page = previewed(page)
    else:
        assignment = get_object_or_404(Assignment, pk=claim.assignment)
        address = submit_to(claim.site, assignment.pk) + SUBMIT_PATH
        page = completed(page, submit_url=address, assignment_id=assignment.assignment_id)
    response = HttpResponse(page)
    response["Content-Security-Policy"] = _policy(claim.site)
    response["Referrer-Policy"] = "no-referrer"
    return response


def _policy(site: str) -> str:
    """The page comes from a requester: it may show itself and answer here, and nothing else."""
    sources = "'unsafe-inline' https: data:"
    return "; ".join(
        [
            f"default-src {sources}",
            "base-uri 'none'",
            "object-src 'none'",
            f"form-action {site}",
            f"frame-ancestors {site}",
            f"sandbox {SANDBOX}",
        ]
    )


@never_cache
@csrf_exempt  # the signed address stands in for the token: the frame has no cookies
@xframe_options_exempt
@require_POST
def submit(request: HttpRequest, token: str) -> HttpResponse:
    """Take the answer of a task's form, exactly once."""
    if token == "preview":  # noqa: S105 - a word in an address, no secret
        return _outcome(request, _("You have to accept the task before you can answer it."), 403)
    try:
        assignment = get_object_or_404(
            Assignment.objects.select_related("hit__hit_type", "hit__requester"),
            pk=assignment_of(token),
        )
    except BadSignature:
        raise Http404 from None
    if request.POST.get("assignmentId") != assignment.assignment_id:
        return _outcome(request, "The page was sent without its assignmentId.", 400)
    now = moment()
    with in_language_of(request, assignment.hit):
        try:
            answer = _answer(request, assignment.hit)
            assignment_submit(assignment=assignment, answer=answer, now=now)
        except (AnswerError, WorkError) as error:
            return _outcome(request, str(error), 409)
        return _outcome(request, "", 200)


def _answer(request: HttpRequest, hit: HIT) -> str:
    question = question_parse(hit.question)
    posted = {name: request.POST.getlist(name) for name in request.POST}
    if question.kind == "form":
        return answer_of(form_parse(question.content), posted)
    fields = [(name, str(value)) for name, values in posted.items() for value in values]
    return answer_xml(fields, duplicates=settings.MTURK_LOCAL_DUPLICATE_FIELDS)


def _outcome(request: HttpRequest, refusal: str, status: int) -> HttpResponse:
    return render(request, "mturk_local/outcome.html", {"refusal": refusal}, status=status)
