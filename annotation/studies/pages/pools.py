"""Pools: what the lists of the runs brought, and how they overlap."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.core.access import pool_study, pools_open_to
from annotation.vocabulary import Action, MissingRule, OrderRule
from annotation.web.access import person_of, person_view, pool_view, studies_to_join
from annotation.web.pages import list_filter, page_of, query_without_page
from annotation.web.sorting import Column, sorted_query, sorted_rows
from pooling.models import Pool
from pooling.selectors import pool_list, pool_page, pooled_queries

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
def pools(request: HttpRequest) -> HttpResponse:
    opened = pools_open_to(user=person_of(request), action=Action.VIEW)
    pools = opened.filter(archived_at=None, belongs__study__archived_at=None)
    filters = list_filter(request)
    found = pool_list(pools=pools.filter(name__icontains=filters["wanted"]))
    rows, heads = sorted_rows(request, list(found), _COLUMNS)
    return render(request, "web/pool_list.html", {"pools": rows, "heads": heads, **filters})


@pool_view(Action.VIEW)
def pool(request: HttpRequest, found: Pool) -> HttpResponse:
    filters = {name: request.GET.get(name, "") for name in ("run", "direction", "text")}
    queries, heads = sorted_query(request, pooled_queries(pool=found, **filters), _QUERY_COLUMNS)
    shown = {
        "pool": pool_page(pool=found),
        "missing": MissingRule(found.inputs.get("missing", MissingRule.ERROR)).label,
        "order": OrderRule(found.inputs.get("order", OrderRule.DEFAULT)).label,
        "asked": filters,
        "page": page_of(request, queries),
        "heads": heads,
        "sort": request.GET.get("sort", ""),
        "question": query_without_page(request),
        "studies": studies_to_join(request, pool_study(found)),
    }
    return render(request, "web/pool.html", shown)
