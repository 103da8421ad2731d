"""The queries of a batch: the list with its filters, and the page of one query."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.dateparse import parse_datetime

from annotation.batches.queries.queries import (
    FoundQueries,
    QueryFilter,
    QueryRow,
    batch_queries,
    query_detail,
)
from annotation.core.moments import format_moment
from annotation.core.parameters import fields_of, read_parameters
from annotation.labels.queries.questions import closed_question
from annotation.models import Batch
from annotation.schemes import Question
from annotation.studies.queries.pool_documents import query_documents
from annotation.vocabulary import NO_LABEL, TIE, Action
from annotation.web.access import batch_view, takes
from annotation.web.downloads import RAW, download_table
from annotation.web.filters import named
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
    "question": "Question",
    "pattern": "Votes fell",
    "first": "Somebody said",
    "second": "and another",
    "worker": "Votes of worker",
    "since": "Answered from",
    "until": "Answered before",
}


#: What an address says that is not a filter.
_ABOUT_THE_LIST = ("sort", "page", "as", RAW)


@batch_view(Action.VIEW)
@takes(*fields_of(QueryFilter), *_ABOUT_THE_LIST)
def query_list(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """Show a page of the queries that the address selects, or with `?as=csv` send all as a file.

    Where the batch asks several questions and none is named, the votes are those on the question
    that makes the subset.
    """
    # A form sends its empty fields, too.
    values = {name: value for name, value in request.GET.items() if value}
    own = {name: values[name] for name in values if name not in _ABOUT_THE_LIST}
    filters = read_parameters(QueryFilter, own)
    usual = batch.scheme.subset_question.name
    question = found_or_404(closed_question, batch=batch, name=filters.question or usual)
    matches = batch_queries(batch=batch, filters=replace(filters, question=question.name))
    rows, heads = sorted_rows(request, matches.rows, _columns(matches.questions))
    if request.GET.get("as") == "csv":
        return download_table(request, _table(rows, matches), f"{batch.name}-queries.csv")
    return batch_page(
        request,
        "queries",
        batch,
        "queries",
        wanted=filters,
        found=matches,
        asked=matches.question,
        heads=heads,
        sort=request.GET.get("sort", ""),
        page=page_of(request, rows),
        question=query_without_page(request),
        chips=chips_of(request, _CHIPS, partial(_words, matches.question)),
        labels=[*matches.question.codes, TIE, NO_LABEL],
    )


def _columns(questions: Sequence[Question]) -> dict[str, Column]:
    """Query, votes, the label of each question, id."""
    if len(questions) == 1:
        return _COLUMNS
    labels = {
        f"q-{question.name}": Column(question.title, _label_at(place))
        for place, question in enumerate(questions)
    }
    return {"text": _COLUMNS["text"], "votes": _COLUMNS["votes"], **labels, "id": _COLUMNS["id"]}


def _label_at(place: int) -> Callable[[QueryRow], str]:
    return lambda row: row.decided[place]


def _words(question: Question, name: str, value: str) -> str:
    if name in {"since", "until"} and (moment := parse_datetime(value)):
        return format_moment(moment)
    return named(value, question) if name in {"label", "first", "second"} else value


def _table(rows: Sequence[QueryRow], matches: FoundQueries) -> Iterator[Sequence[object]]:
    """The list as it is shown, with a column for the votes of each answer."""
    codes = matches.rows[0].codes if matches.rows else matches.question.codes
    names = [question.name for question in matches.questions]
    labels = ["label"] if len(names) == 1 else names
    of_pairs = any(row.passage for row in matches.rows)
    texts = ["query", "docno", "passage"] if of_pairs else ["query"]
    yield ["query_id", *texts, *(f"votes_{code}" for code in codes), "cannot_tell", *labels]
    for row in rows:
        pair = [row.docno, row.passage] if of_pairs else []
        yield [row.qid, row.text, *pair, *row.counts, row.n_cannot_tell, *row.decided]


@batch_view(Action.VIEW)
def query_page(request: HttpRequest, batch: Batch, query: int) -> HttpResponse:
    detail = found_or_404(query_detail, batch=batch, number=query)
    # A pair was pooled as it was ranked, whatever the words of its passage.
    is_pair = bool(detail.query.passage)
    documents = None if is_pair else query_documents(batch=batch, query=detail.query)
    positive = positive_side(pool_groups(batch.pool)) if batch.pool and not is_pair else ""
    context = {"detail": detail, "documents": documents, "positive": positive}
    return batch_page(request, "query", batch, "queries", **context)
