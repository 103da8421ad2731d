"""Pools: what the lists of the runs brought, and how they overlap."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.core.access import pools_open_to
from annotation.vocabulary import Action, MissingRule, OrderRule
from annotation.web.access import person_of, person_view, pool_view
from annotation.web.pages import page_of, query_without_page
from pooling.models import Pool
from pooling.selectors import pool_list, pool_page, pooled_queries


@person_view
def pools(request: HttpRequest) -> HttpResponse:
    opened = pools_open_to(user=person_of(request), action=Action.VIEW)
    pools = opened.filter(archived_at=None, belongs__study__archived_at=None)
    return render(request, "web/pool_list.html", {"pools": pool_list(pools=pools)})


@pool_view(Action.VIEW)
def pool(request: HttpRequest, found: Pool) -> HttpResponse:
    asked = {name: request.GET.get(name, "") for name in ("run", "direction", "text")}
    shown = {
        "pool": pool_page(pool=found),
        "missing": MissingRule(found.inputs.get("missing", MissingRule.ERROR)).label,
        "order": OrderRule(found.inputs.get("order", OrderRule.DEFAULT)).label,
        "asked": asked,
        "page": page_of(request, pooled_queries(pool=found, **asked)),
        "question": query_without_page(request),
    }
    return render(request, "web/pool.html", shown)
