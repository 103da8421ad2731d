"""Liveness, readiness and metrics of this process."""

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest

from annotation.core.access import is_staff
from annotation.core.database_faults import LATER, fault_in
from annotation.overview.queries.operations import counts
from annotation.web.access import person_of
from config.measuring import request_times

_TEXT = "text/plain; charset=utf-8"


@require_safe
@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """Answer while the process lives. No restart mends a database that is down."""
    return HttpResponse("ok\n", content_type=_TEXT)


@require_safe
@never_cache
def readyz(_request: HttpRequest) -> HttpResponse:
    """Check that both databases can be written; otherwise name those that cannot, and why."""
    faults = {name: fault_in(name) for name in ("default", "crowd")}
    # While an upgrade is under way, processes of two versions serve side by side.
    standing = {name: fault for name, fault in faults.items() if fault and fault != LATER}
    if standing:
        text = "".join(f"{name}: {fault.name}\n" for name, fault in standing.items())
        status = max(fault.status for fault in standing.values())
        return HttpResponse(text, status=status, content_type=_TEXT)
    return HttpResponse("ready\n", content_type=_TEXT)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return metrics in the format of Prometheus, with `METRICS_TOKEN` or to staff.

    Those of work are read from the database, the same in every web process; those of requests are
    of this web server.
    """
    if not _may_read(request):
        raise Http404
    registry = CollectorRegistry()
    for name, (meaning, values) in counts().items():
        gauge = Gauge(f"fairpool_{name}", meaning, ["state"], registry=registry)
        for state, value in values.items():
            gauge.labels(state).set(value)
    text = generate_latest(registry) + request_times()
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    if not settings.METRICS_TOKEN:
        return is_staff(person_of(request))
    header = request.headers.get("Authorization", "")
    return hmac.compare_digest(header.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
