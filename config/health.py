"""Whether this process lives, whether it can serve, and what a monitoring system wants to know."""

import hmac

from django.conf import settings
from django.db import DatabaseError, connections
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest

from annotation.core.access import is_staff
from annotation.overview.queries.operations import counts
from annotation.web.access import person_of

_TEXT = "text/plain; charset=utf-8"


@require_safe
@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers. It asks nothing else: no restart mends a database that is away."""
    return HttpResponse("ok\n", content_type=_TEXT)


@require_safe
@never_cache
def readyz(_request: HttpRequest) -> HttpResponse:
    """Both databases answer; the names of those that do not, without the reasons, else."""
    away = [name for name in ("default", "crowd") if not _answers(name)]
    if away:
        return HttpResponse(f"away: {', '.join(away)}\n", status=503, content_type=_TEXT)
    return HttpResponse("ready\n", content_type=_TEXT)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Numbers of work, in the format of Prometheus, for who knows `METRICS_TOKEN`, and for staff.

    They are read from the database, so every web process tells the same.
    """
    if not _may_read(request):
        raise Http404
    registry = CollectorRegistry()
    for name, (meaning, values) in counts().items():
        gauge = Gauge(f"fairpool_{name}", meaning, ["state"], registry=registry)
        for state, value in values.items():
            gauge.labels(state).set(value)
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    if not settings.METRICS_TOKEN:
        return is_staff(person_of(request))
    header = request.headers.get("Authorization", "")
    return hmac.compare_digest(header.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())


def _answers(name: str) -> bool:
    try:
        with connections[name].cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True
