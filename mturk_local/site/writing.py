"""The page on which a worker writes to the requester of a HIT."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from mturk_local.lifecycle.assignments import WorkError
from mturk_local.lifecycle.inquiries import inquiry_make
from mturk_local.models import Assignment, Inquiry
from mturk_local.site.frame import in_language_of
from mturk_local.site.session import Visit, worker_page


@require_http_methods(["GET", "HEAD", "POST"])
@worker_page
def write(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """Questions about a HIT that the worker has or had, with their answers and a form."""
    known = Assignment.objects.filter(worker=visit.worker, assignment_id=assignment_id)
    mine = known.select_related("hit__hit_type__requester").order_by("pk").last()
    if mine is None:
        raise Http404
    text, problem = request.POST.get("text", ""), ""
    with in_language_of(request, mine.hit):
        if request.method == "POST":
            try:
                inquiry_make(worker=visit.worker, hit=mine.hit, text=text, now=visit.now)
            except WorkError as error:
                problem = str(error)
            else:
                return redirect("crowd-write", assignment_id)
        context = {
            "worker": visit.worker,
            "assignment": mine,
            "inquiries": Inquiry.objects.filter(worker=visit.worker, hit=mine.hit),
            "longest": Inquiry.LONGEST,
            "text": text,
            "problem": problem,
        }
        return render(request, "mturk_local/write.html", context, status=409 if problem else 200)
