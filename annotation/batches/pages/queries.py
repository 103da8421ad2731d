"""The queries of a batch: the list with its filters, and the page of one query."""

from collections.abc import Iterator, Sequence
from datetime import UTC

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.dateparse import parse_datetime

from annotation.batches.queries.codebooks import batch_scheme
from annotation.batches.queries.queries import (
    NO_LABEL,
    QueryFilter,
    QueryRow,
    batch_queries,
    query_detail,
)
from annotation.batches.queries.scheme_results import answers_to_query, scheme_results
from annotation.core.csv_rows import csv_lines
from annotation.core.parameters import fields_of, read_parameters
from annotation.models import Batch
from annotation.studies.queries.pool_documents import query_documents
from annotation.vocabulary import TIE, Action, Category
from annotation.web.access import batch_view, takes
from annotation.web.downloads import download_lines
from annotation.web.filters import category
from annotation.web.pages import (
    batch_page,
    chips_of,
    found_or_404,
    page_of,
    query_without_page,
)
from annotation.web.sorting import Column, sorted_rows
from pooling.queries import pool_groups, positive_side

_COLUMNS = {
    "text": Column("Query", lambda row: row.text.casefold()),
    "votes": Column("Votes", lambda row: row.n_votes),
    "label": Column("Label", lambda row: row.label),
    "id": Column("Id", lambda row: row.qid),
}


_CHIPS = {
    "text": "Text or id",
    "label": "Label",
    "pattern": "Votes fell",
    "first": "Somebody said",
    "second": "and another",
    "worker": "Votes of worker",
    "since": "Answered from",
    "until": "Answered before",
}


@batch_view(Action.VIEW)
@takes(*fields_of(QueryFilter), "sort", "page", "as")
def query_list(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """The queries that the address asks for: a page of them, or with `?as=csv` all as a file."""
    if scheme := batch_scheme(batch):
        results = scheme_results(batch=batch, scheme=scheme)
        shown = {"results": results, "page": page_of(request, results.queries)}
        return batch_page(request, "scheme_queries", batch, "queries", question="", **shown)
    # A form sends the fields that are left empty, too.
    sent = {name: value for name, value in request.GET.items() if value}
    own = {name: sent[name] for name in sent if name not in {"sort", "page", "as"}}
    filters = read_parameters(QueryFilter, own)
    found = batch_queries(batch=batch, filters=filters)
    rows, heads = sorted_rows(request, found.rows, _COLUMNS)
    if request.GET.get("as") == "csv":
        return download_lines(csv_lines(_table(rows)), f"{batch.name}-queries.csv", "text/csv")
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
        chips=chips_of(request, _CHIPS, _words),
        labels=[*Category.values, TIE, NO_LABEL],
        categories=Category.values,
    )


def _words(name: str, value: str) -> str:
    if name in {"since", "until"} and (moment := parse_datetime(value)):
        return f"{moment.astimezone(UTC):%d %b %Y, %H:%M} UTC"
    return category(value) if name in {"label", "first", "second"} else value


def _table(rows: Sequence[QueryRow]) -> Iterator[Sequence[object]]:
    """The list as it is shown, with a column for the votes of each category."""
    yield [
        "query_id",
        "query",
        *(f"votes_{code}" for code in Category.values),
        "cannot_tell",
        "label",
    ]
    for row in rows:
        yield [row.qid, row.text, *row.counts, row.n_cannot_tell, row.label]


@batch_view(Action.VIEW)
def query_page(request: HttpRequest, batch: Batch, query: int) -> HttpResponse:
    detail = found_or_404(query_detail, batch=batch, number=query)
    documents = query_documents(batch=batch, query=detail.query)
    scheme = batch_scheme(batch)
    answers = scheme and answers_to_query(batch=batch, scheme=scheme, query=query)
    positive = positive_side(pool_groups(batch.pool)) if batch.pool else ""
    shown = {"detail": detail, "documents": documents, "answers": answers, "positive": positive}
    return batch_page(request, "query", batch, "queries", **shown)
