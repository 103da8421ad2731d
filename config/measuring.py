"""Durations and outcomes of requests by view: counted here, read by `config.health`.

The processes of one web server share their counts through the files of PROMETHEUS_MULTIPROC_DIR,
which deploy/web.sh makes; without it each process counts for itself.
"""

import os
from collections.abc import Callable
from time import perf_counter

from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

_OWN = CollectorRegistry()
_SECONDS = Histogram(
    "fairpool_request_seconds",
    "How long requests took, by view and class of status; 5xx are errors.",
    ["view", "status"],
    buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30),
    registry=_OWN,
)


class MeasureRequests:
    """Counts every request by the name of its view; unknown addresses have none."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = perf_counter()
        response = self.get_response(request)
        view = request.resolver_match.view_name if request.resolver_match else ""
        status = f"{response.status_code // 100}xx"
        _SECONDS.labels(view or "none", status).observe(perf_counter() - begun)
        return response


def request_times() -> bytes:
    """The counts of this web server's processes, in the format of Prometheus."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(_OWN)
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
    return generate_latest(shared)
