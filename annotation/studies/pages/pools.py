"""Pools: the contributions of the runs' lists, and their overlap."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from annotation.core.access import pools_open_to
from annotation.core.counting import plural
from annotation.core.csv_rows import FreeCell
from annotation.core.forms import form_of, offer, speak_of
from annotation.core.names_sent import chosen
from annotation.core.parameters import ParametersError
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.labels.queries.questions import category_chosen
from annotation.labels.queries.raters import questions_for_models, study_question
from annotation.labels.queries.samples import pool_samples, sample_row
from annotation.labels.queries.stopping import stopping_of
from annotation.models import DrawnSample, Study
from annotation.vocabulary import Action, MissingRule, OrderRule, SampleDesign
from annotation.web.access import person_of, person_view, pool_view, takes
from annotation.web.charts.upset import upset_chart
from annotation.web.downloads import RAW, download_table
from annotation.web.pages import chips_of, list_filter, page_of, query_without_page
from annotation.web.sorting import Column, sorted_query, sorted_rows
from metrics.errors import InputError
from metrics.io.pair_ids import split_pair_id
from pooling.items import run_and_direction
from pooling.models import Pool, PooledQuery, group_in_words
from pooling.queries import (
    lists_of_mask,
    mask_of_lists,
    pool_groups,
    pool_list,
    pool_page,
    pooled_queries,
    shared_by_exactly,
)

_COLUMNS = {
    "name": Column("Pool", lambda pool: pool.name.casefold()),
    "queries": Column("Queries", lambda pool: pool.n_queries, is_number=True),
    "from": Column("From", lambda pool: pool.summary.get("n_queries", 0), is_number=True),
    "runs": Column("Runs", lambda pool: pool.summary.get("n_runs", 0), is_number=True),
    "cutoff": Column("Cut-off", lambda pool: pool.cutoff, is_number=True),
    "bias": Column("Sorted by", lambda pool: (not pool.of_pairs, pool.rank_cutoff, pool.magnitude)),
    "batches": Column("Batches", lambda pool: pool.n_batches, is_number=True),
}
_CHIPS = {"text": "Text or id", "run": "Run", "direction": "List", "exactly": "In exactly"}
#: A combination of lists in an address, as a number that every database has.
_LONGEST_MASK = 18
#: Queries that are read at once for a file.
_CHUNK = 2_000
_QUERY_COLUMNS = {
    "text": Column("Query", "text"),
    "place": Column("Lists and places", "best_rank"),
    "id": Column("Id", "qid"),
}
_PAIR_COLUMNS = {
    "text": Column("Query", "text"),
    "passage": Column("Passage", "passage"),
    "place": Column("Runs and ranks", "best_rank"),
    "id": Column("Ids", "qid"),
}


@person_view
@takes("name", "sort")
def pools(request: HttpRequest) -> HttpResponse:
    opened = pools_open_to(user=person_of(request), action=Action.VIEW)
    pools = opened.filter(archived_at=None, belongs__study__archived_at=None)
    filters = list_filter(request)
    matches = pool_list(pools=pools.filter(name__icontains=filters["wanted"]))
    rows, heads = sorted_rows(request, list(matches), _COLUMNS)
    return render(request, "web/pool_list.html", {"pools": rows, "heads": heads, **filters})


@pool_view(Action.VIEW)
@takes("run", "direction", "text", "exactly", "sort", "page", "as", RAW)
def pool(request: HttpRequest, pool: Pool) -> HttpResponseBase:
    """Show the pool with the queries that the address selects; with `?as=csv` send a file."""
    filters: dict[str, Any] = {
        "run": request.GET.get("run", ""),
        "direction": chosen(request.GET, "direction", pool_groups(pool)),
        "text": request.GET.get("text", ""),
        "exactly": _mask(request),
    }
    nouns = plural(pool.item_noun)
    columns = _PAIR_COLUMNS if pool.of_pairs else _QUERY_COLUMNS
    queries, heads = sorted_query(request, pooled_queries(pool=pool, **filters), columns)
    if request.GET.get("as") == "csv":
        table = _pairs if pool.of_pairs else _table
        return download_table(request, table(queries), f"{pool.name}-{nouns}.csv")
    sample = getattr(pool, "drawn", None)
    sizes = dict(sorted(pool.summary["list_sizes"].items()))
    context = {
        "pool": pool_page(pool=pool),
        "chart": upset_chart(
            "How the runs overlap" if pool.of_pairs else "How the lists overlap",
            sizes,
            shared_by_exactly(pool=pool),
            nouns,
            lambda lists: _address(pool, lists),
        ),
        "drawn": sample and sample_row(sample),
        "stopping": sample and stopping_of(sample),
        "samples": pool_samples(pool=pool),
        "draw_form": _draw_form(pool, sample),
        "has_models": pool.belongs.study.model_raters.exists(),
        "missing": MissingRule(pool.inputs.get("missing", MissingRule.ERROR)).label,
        "order": OrderRule(pool.inputs.get("order", OrderRule.DEFAULT)).label,
        "groups": ",".join(pool_groups(pool)),
        "asked": filters,
        "page": page_of(request, queries),
        "heads": heads,
        "sort": request.GET.get("sort", ""),
        "question": query_without_page(request),
        "chips": chips_of(request, _CHIPS, lambda name, value: _words(pool, name, value)),
    }
    return render(request, "web/pool.html", context)


def _table(queries: QuerySet[PooledQuery]) -> Iterator[Sequence[object]]:
    """The list as it is shown: a query with its places, as in "BM25:f 3"."""
    yield ["query_id", "query", "places"]
    for query in queries.iterator(_CHUNK):
        yield [query.qid, query.text, _places(query)]


def _pairs(pairs: QuerySet[PooledQuery]) -> Iterator[Sequence[object]]:
    """The list of pairs: both ids and texts, and the rank in each run, as in "BM25 3"."""
    yield ["query_id", "docno", "query", "passage", "places"]
    for pair in pairs.iterator(_CHUNK):
        qid, docno = split_pair_id(pair.qid)
        yield [qid, docno, pair.text, pair.passage, _places(pair)]


def _places(query: PooledQuery) -> FreeCell:
    """The places in the lists, whose names members gave their runs."""
    return FreeCell("; ".join(f"{place.list_name} {place.rank}" for place in query.places.all()))


def _mask(request: HttpRequest) -> int:
    """The combination of lists that the address asks for; 0 for any."""
    typed = request.GET.get("exactly", "") or "0"
    if not typed.isascii() or not typed.isdecimal() or len(typed) > _LONGEST_MASK:
        raise ParametersError({"exactly": ["A whole number from the picture of the overlap."]})
    return int(typed)


def _address(pool: Pool, lists: frozenset[str] | str) -> str:
    """Return the address of the queries of a list, or of a combination of lists."""
    if isinstance(lists, str):
        run, direction = run_and_direction(lists)
        parameters: Mapping[str, object] = {"run": run} | (
            {"direction": direction} if direction else {}
        )
    else:
        parameters = {"exactly": mask_of_lists(pool=pool, lists=lists)}
    return f"?{urlencode(parameters)}#queries"


def _words(pool: Pool, name: str, value: str) -> str:
    if name == "direction":
        return f"Most {group_in_words(value)} first"
    if name == "exactly":
        return ", ".join(sorted(lists_of_mask(pool=pool, mask=int(value))))
    return value


def _draw_form(pool: Pool, sample: DrawnSample | None) -> forms.Form:
    """The form of a draw; of one question of the study its options, instead of free text."""
    form = form_of(DRAW_SAMPLE)(auto_id="draw-%s", initial=_initial(pool, sample))
    speak_of(form, pool.item_noun)
    if pool.of_pairs:
        _fit_to_pairs(form)
    designs: Any = form.fields["design"]
    unfit = SampleDesign.UNEQUAL if pool.of_pairs else SampleDesign.QUERIES
    designs.choices = [(name, words) for name, words in designs.choices if name != unfit]
    try:
        question, scheme = study_question(study=pool.belongs.study)
    except InputError:
        return _with_questions(form, pool.belongs.study)
    del form.fields["question"]
    subset = category_chosen(scheme, question)
    several = [] if subset in question.codes else [("", scheme.subset.words)]
    options = [(code, question.words([code])) for code in question.codes]
    offer(form, "category", [*several, *options], initial=subset if not several else "")
    return form


def _with_questions(form: forms.Form, study: Study) -> forms.Form:
    """Offer each question that the study's batches ask, and the options of each."""
    questions = [question for question in questions_for_models(study=study) if question.is_nominal]
    if questions:
        offer(form, "question", [(question.name, question.text) for question in questions])
        usual = ("", "The subset; for a question that makes none, every option")
        options = [(question.text, [*question.labels.items()]) for question in questions]
        offer(form, "category", [usual, *options])
    return form


def _fit_to_pairs(form: forms.Form) -> None:
    """Leave out what is about biases, which pairs do not have."""
    del form.fields["run"], form.fields["width_of"]
    form.fields["size"].help_text = "Or queries, if you draw whole queries."


def _initial(pool: Pool, sample: DrawnSample | None) -> dict[str, Any]:
    """Return initial terms of a draw from the pool; continuing a sample keeps its wanted width."""
    if sample is None:
        return {"pool": pool.name}
    return {"pool": pool.name, "half_width": sample.half_width or 0, "width_of": sample.width_of}
