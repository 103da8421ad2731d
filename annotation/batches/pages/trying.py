"""A HIT of a batch as an annotator sees it, to be tried without sending anything."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotation import task_page
from annotation.batches.queries.schemes import page_texts
from annotation.models import Batch, HITQuery
from annotation.vocabulary import Action
from annotation.web.access import batch_view, takes
from annotation.web.pages import batch_page

_LONGEST_NUMBER = 6


@require_GET
@batch_view(Action.MANAGE)
@takes("hit")
def batch_try(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The HIT of the address's number, from 1, in a frame that can run its script and send nothing.

    No assignment is made, so that nothing of it can become a vote.
    """
    typed = request.GET.get("hit", "1")
    if not typed.isascii() or not typed.isdecimal() or len(typed) > _LONGEST_NUMBER:
        raise Http404
    number = int(typed)
    places = HITQuery.objects.filter(hit__batch=batch, hit__index=number - 1).order_by("place")
    queries = list(places.values_list("query__qid", "query__text", "query__passage"))
    if not queries:
        raise Http404
    response = batch_page(
        request,
        "batch_try",
        batch,
        "try",
        hit=task_page.render(queries, page_texts(batch)),
        number=number,
        n_hits=batch.hits.count(),
    )
    response.inline_hashes = task_page.inline_hashes()  # type: ignore[attr-defined]
    return response
