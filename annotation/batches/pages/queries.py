"""The queries of a batch: the list with its filters, and the page of one query."""

import re

from django.http import HttpRequest, HttpResponse, QueryDict

from annotation.batches.queries.queries import NO_LABEL, QueryFilter, batch_queries, query_detail
from annotation.models import Batch
from annotation.studies.queries.pool_documents import query_documents
from annotation.vocabulary import TIE, Action, Category
from annotation.web.access import batch_view
from annotation.web.pages import (
    batch_page,
    found_or_404,
    page_of,
    query_without_page,
)
from annotation.web.sorting import Column, sorted_rows

_LABELS = {*Category.values, TIE, NO_LABEL}
_PATTERN = re.compile(r"[0-9]{1,3}(-[0-9]{1,3}){0,9}")
_NUMBER = re.compile(r"[0-9]{1,18}")
_COLUMNS = {
    "text": Column("Query", lambda row: row.text.casefold()),
    "votes": Column("Votes", lambda row: row.n_votes),
    "label": Column("Label", lambda row: row.label),
    "id": Column("Id", lambda row: row.qid),
}


@batch_view(Action.VIEW)
def query_list(request: HttpRequest, batch: Batch) -> HttpResponse:
    wanted = filter_of(request.GET)
    found = batch_queries(batch=batch, filters=wanted)
    rows, heads = sorted_rows(request, found.rows, _COLUMNS)
    return batch_page(
        request,
        "queries",
        batch,
        "queries",
        wanted=wanted,
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


def filter_of(asked: QueryDict) -> QueryFilter:
    """What the address asks for; a value that means nothing asks for nothing."""
    return QueryFilter(
        label=_one_of(asked.get("label", ""), _LABELS),
        pattern=_like(asked.get("pattern", ""), _PATTERN),
        first=_one_of(asked.get("first", ""), set(Category.values)),
        second=_one_of(asked.get("second", ""), set(Category.values)),
        worker=_like(asked.get("worker", ""), _NUMBER),
        text=asked.get("text", "").strip(),
    )


def _one_of(value: str, known: set[str]) -> str:
    return value if value in known else ""


def _like(value: str, form: re.Pattern[str]) -> str:
    return value if form.fullmatch(value) and value.isascii() else ""
