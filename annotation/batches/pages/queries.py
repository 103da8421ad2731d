"""The queries of a batch: the list with its filters, and the page of one query."""

from django.http import HttpRequest, HttpResponse

from annotation.batches.queries.queries import NO_LABEL, QueryFilter, batch_queries, query_detail
from annotation.core.parameters import fields_of, read_parameters
from annotation.models import Batch
from annotation.studies.queries.pool_documents import query_documents
from annotation.vocabulary import TIE, Action, Category
from annotation.web.access import batch_view, takes
from annotation.web.pages import (
    batch_page,
    found_or_404,
    page_of,
    query_without_page,
)
from annotation.web.sorting import Column, sorted_rows

_COLUMNS = {
    "text": Column("Query", lambda row: row.text.casefold()),
    "votes": Column("Votes", lambda row: row.n_votes),
    "label": Column("Label", lambda row: row.label),
    "id": Column("Id", lambda row: row.qid),
}


@batch_view(Action.VIEW)
@takes(*fields_of(QueryFilter), "sort", "page")
def query_list(request: HttpRequest, batch: Batch) -> HttpResponse:
    # A form sends the fields that are left empty, too.
    sent = {name: value for name, value in request.GET.items() if value}
    own = {name: sent[name] for name in sent if name not in {"sort", "page"}}
    filters = read_parameters(QueryFilter, own)
    found = batch_queries(batch=batch, filters=filters)
    rows, heads = sorted_rows(request, found.rows, _COLUMNS)
    return batch_page(
        request,
        "queries",
        batch,
        "queries",
        wanted=filters,
        found=found,
        heads=heads,
        sort=request.GET.get("sort", ""),
        page=page_of(request, rows),
        question=query_without_page(request),
        labels=[*Category.values, TIE, NO_LABEL],
        categories=Category.values,
    )


@batch_view(Action.VIEW)
def query_page(request: HttpRequest, batch: Batch, query: int) -> HttpResponse:
    detail = found_or_404(query_detail, batch=batch, number=query)
    documents = query_documents(batch=batch, query=detail.query)
    return batch_page(request, "query", batch, "queries", detail=detail, documents=documents)
