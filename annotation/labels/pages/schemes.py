"""Agreement and decisions of a batch that asks the questions of a scheme."""

from django.http import Http404, HttpRequest, HttpResponse

from annotation.batches.queries.codebooks import batch_scheme
from annotation.batches.queries.scheme_results import scheme_results
from annotation.models import Batch
from annotation.web.pages import batch_page, page_of, query_without_page


def scheme_page(request: HttpRequest, batch: Batch, tab: str) -> HttpResponse:
    """The page of `tab`, agreement or labels, question by question."""
    scheme = batch_scheme(batch)
    if scheme is None:
        raise Http404
    results = scheme_results(batch=batch, scheme=scheme)
    return batch_page(
        request,
        f"scheme_{tab}",
        batch,
        tab,
        scheme=scheme,
        results=results,
        page=page_of(request, results.queries),
        question=query_without_page(request),
    )
