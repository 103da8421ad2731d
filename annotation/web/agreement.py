"""The review of agreement: every number with its interval, every mark with its queries."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from annotation.models import Batch, Worker
from annotation.selectors.agreement import batch_agreement
from annotation.selectors.workers import batch_workers
from annotation.services.quality import worker_bring_back, worker_set_aside
from annotation.web.access import actor_of, requester_page
from annotation.web.figures import agreement_figures
from annotation.web.pages import batch_act, batch_or_404, batch_page
from metrics.errors import InputError


@requester_page
def agreement_review(request: HttpRequest, number: int) -> HttpResponse:
    batch = batch_or_404(number)
    found = batch_agreement(batch=batch)
    order = request.GET.get("sort", "-votes")
    return batch_page(
        request,
        "agreement",
        batch,
        "agreement",
        agreement=found,
        figures=agreement_figures(found),
        workers=batch_workers(batch=batch, order=order),
        columns=_columns(order),
    )


@batch_act
def worker_set_aside_act(request: HttpRequest, batch: Batch) -> str:
    worker = _worker(request, batch)
    reason = request.POST.get("reason", "")
    worker_set_aside(batch=batch, worker_id=worker, reason=reason, actor=actor_of(request))
    return "The worker's votes do not count any more; decided labels were decided again."


@batch_act
def worker_bring_back_act(request: HttpRequest, batch: Batch) -> str:
    worker = _worker(request, batch)
    reason = request.POST.get("reason", "")
    worker_bring_back(batch=batch, worker_id=worker, reason=reason, actor=actor_of(request))
    return "The worker's votes count again; decided labels were decided again."


def _worker(request: HttpRequest, batch: Batch) -> str:
    """The worker's id: pages know a worker by number, so that no id leaves the house."""
    number = request.POST.get("worker", "")
    voters = Worker.objects.filter(votes__query__batch=batch)
    found = voters.filter(pk=number).first() if number.isdecimal() else None
    if found is None:
        raise InputError("there is no such worker in the batch.")
    return found.worker_id


_COLUMNS = (
    ("worker", "Worker"),
    ("votes", "Votes"),
    ("gold", "Right on check queries"),
    ("others", "Agreement with others"),
    ("run", "Longest run of one label"),
    ("seconds", "Seconds per query"),
)


def _columns(order: str) -> list[dict[str, Any]]:
    """The heads of the table: each is a link that orders by its column, or turns the order."""
    by, descending = order.removeprefix("-"), order.startswith("-")
    return [
        {
            "title": title,
            "is_number": name != "worker",
            "direction": ("descending" if descending else "ascending") if name == by else "",
            "next": name if name == by and descending else f"-{name}",
        }
        for name, title in _COLUMNS
    ]
