"""Pools: what the lists of the runs brought, and how they overlap."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from annotation.web.access import requester_page
from annotation.web.pages import page_of, query_without_page
from pooling.models import Pool
from pooling.selectors import pool_list, pool_page, pooled_queries


@requester_page
def pools(request: HttpRequest) -> HttpResponse:
    return render(request, "web/pool_list.html", {"pools": pool_list()})


@requester_page
def pool(request: HttpRequest, number: int) -> HttpResponse:
    found = get_object_or_404(Pool, pk=number)
    asked = {name: request.GET.get(name, "") for name in ("run", "direction", "text")}
    shown = {
        "pool": pool_page(pool=found),
        "asked": asked,
        "page": page_of(request, pooled_queries(pool=found, **asked)),
        "question": query_without_page(request),
    }
    return render(request, "web/pool.html", shown)
