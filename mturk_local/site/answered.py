"""Read-only pages of a worker's submitted answers."""

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from mturk_local.models import Assignment
from mturk_local.questions import question_parse
from mturk_local.site.frame import frame_answered, in_language_of
from mturk_local.site.session import Visit, worker_page


@require_GET
@worker_page
def answered(request: HttpRequest, visit: Visit, assignment_id: str) -> HttpResponse:
    """Show one submitted answer, with links back and on."""
    submitted = Assignment.objects.filter(worker=visit.worker, submitted_at__isnull=False).exclude(
        answer=""
    )
    mine = (
        submitted.filter(assignment_id=assignment_id)
        .select_related("hit__hit_type__requester")
        .last()
    )
    if mine is None:
        raise Http404
    at = mine.submitted_at
    earlier = submitted.filter(Q(submitted_at__lt=at) | Q(submitted_at=at, pk__lt=mine.pk))
    later = submitted.filter(Q(submitted_at__gt=at) | Q(submitted_at=at, pk__gt=mine.pk))
    is_ours = question_parse(mine.hit.question).kind != "external"
    context = {
        "worker": visit.worker,
        "answer": mine,
        "frame": frame_answered(request, mine) if is_ours else None,
        "earlier": earlier.order_by("submitted_at", "pk").last(),
        "later": later.order_by("submitted_at", "pk").first(),
    }
    with in_language_of(request, mine.hit):
        return render(request, "mturk_local/answered.html", context)
