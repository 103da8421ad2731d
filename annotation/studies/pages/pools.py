"""Pools: what the lists of the runs brought, and how they overlap."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.core.access import pools_open_to
from annotation.core.forms import form_of
from annotation.core.names_sent import chosen
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.labels.queries.samples import pool_samples, sample_row
from annotation.labels.queries.stopping import stopping_of
from annotation.models import DrawnSample
from annotation.vocabulary import Action, MissingRule, OrderRule
from annotation.web.access import person_of, person_view, pool_view, takes
from annotation.web.pages import list_filter, page_of, query_without_page
from annotation.web.sorting import Column, sorted_query, sorted_rows
from pooling.models import Direction, Pool
from pooling.queries import pool_list, pool_page, pooled_queries

_COLUMNS = {
    "name": Column("Pool", lambda pool: pool.name.casefold()),
    "queries": Column("Queries", lambda pool: pool.n_queries, is_number=True),
    "from": Column("From", lambda pool: pool.summary.get("n_queries", 0), is_number=True),
    "runs": Column("Runs", lambda pool: pool.summary.get("n_runs", 0), is_number=True),
    "cutoff": Column("Cut-off", lambda pool: pool.cutoff, is_number=True),
    "bias": Column("Sorted by", lambda pool: (pool.rank_cutoff, pool.magnitude)),
    "batches": Column("Batches", lambda pool: pool.n_batches, is_number=True),
}
_QUERY_COLUMNS = {
    "text": Column("Query", "text"),
    "place": Column("Lists and places", "best_rank"),
    "id": Column("Id", "qid"),
}


@person_view
@takes("name", "sort")
def pools(request: HttpRequest) -> HttpResponse:
    opened = pools_open_to(user=person_of(request), action=Action.VIEW)
    pools = opened.filter(archived_at=None, belongs__study__archived_at=None)
    filters = list_filter(request)
    found = pool_list(pools=pools.filter(name__icontains=filters["wanted"]))
    rows, heads = sorted_rows(request, list(found), _COLUMNS)
    return render(request, "web/pool_list.html", {"pools": rows, "heads": heads, **filters})


@pool_view(Action.VIEW)
@takes("run", "direction", "text", "sort", "page")
def pool(request: HttpRequest, found: Pool) -> HttpResponse:
    filters = {
        "run": request.GET.get("run", ""),
        "direction": chosen(request.GET, "direction", Direction.values),
        "text": request.GET.get("text", ""),
    }
    queries, heads = sorted_query(request, pooled_queries(pool=found, **filters), _QUERY_COLUMNS)
    sample = getattr(found, "drawn", None)
    shown = {
        "pool": pool_page(pool=found),
        "drawn": sample and sample_row(sample),
        "stopping": sample and stopping_of(sample),
        "samples": pool_samples(pool=found),
        "draw_form": form_of(DRAW_SAMPLE)(auto_id="draw-%s", initial=_initial(found, sample)),
        "missing": MissingRule(found.inputs.get("missing", MissingRule.ERROR)).label,
        "order": OrderRule(found.inputs.get("order", OrderRule.DEFAULT)).label,
        "asked": filters,
        "page": page_of(request, queries),
        "heads": heads,
        "sort": request.GET.get("sort", ""),
        "question": query_without_page(request),
    }
    return render(request, "web/pool.html", shown)


def _initial(pool: Pool, sample: DrawnSample | None) -> dict[str, Any]:
    """Terms of a draw from the pool; one that continues a sample keeps the width it wanted."""
    if sample is None:
        return {"pool": pool.name}
    return {"pool": pool.name, "half_width": sample.half_width or 0, "width_of": sample.width_of}
