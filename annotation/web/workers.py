"""The workers of a batch, one of them with all answers, and what a person decides about them."""

from collections.abc import Callable
from decimal import Decimal
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.models import Assignment, Batch, Worker
from annotation.selectors.answers import answer_of, worker_detail, worker_of
from annotation.selectors.workers import batch_workers
from annotation.services.bonuses import bonus_pay
from annotation.services.forgetting import worker_forget_beside
from annotation.services.kept_out import worker_keep_out, worker_let_in
from annotation.services.money import parse_amount
from annotation.services.quality import worker_bring_back, worker_set_aside
from annotation.services.reviewing import assignment_approve, assignment_reject, assignment_restore
from annotation.tasks import task_send
from annotation.vocabulary import Action, Environment, TaskKind
from annotation.web.access import AnyView, actor_of, batch_view
from annotation.web.pages import batch_act, batch_page, do_and_tell, found_or_404
from metrics.errors import InputError


@batch_view(Action.VIEW)
def worker_list(request: HttpRequest, batch: Batch) -> HttpResponse:
    order = request.GET.get("sort", "-votes")
    rows = batch_workers(batch=batch, order=order)
    return batch_page(request, "workers", batch, "workers", workers=rows, columns=_columns(order))


@batch_view(Action.VIEW)
def worker_page(request: HttpRequest, batch: Batch, worker: int) -> HttpResponse:
    detail = found_or_404(worker_detail, batch=batch, number=worker)
    return batch_page(request, "worker", batch, "workers", detail=detail, row=detail.row)


@batch_act(Action.MANAGE)
def worker_set_aside_act(request: HttpRequest, batch: Batch) -> str:
    worker, reason = _asked(request, batch)
    worker_set_aside(
        batch=batch, worker_id=worker.worker_id, reason=reason, actor=actor_of(request)
    )
    return "The worker's votes do not count any more; decided labels were decided again."


@batch_act(Action.MANAGE)
def worker_bring_back_act(request: HttpRequest, batch: Batch) -> str:
    worker, reason = _asked(request, batch)
    worker_bring_back(
        batch=batch, worker_id=worker.worker_id, reason=reason, actor=actor_of(request)
    )
    return "The worker's votes count again; decided labels were decided again."


@batch_act(Action.MANAGE)
def worker_keep_out_act(request: HttpRequest, batch: Batch) -> str:
    worker, reason = _asked(request, batch)
    worker_keep_out(batch=batch, worker=worker, reason=reason, actor=actor_of(request))
    task_send(kind=TaskKind.KEEP_OUT, batch_id=batch.pk, actor=actor_of(request))
    return "The worker gets no further HIT of this batch, as soon as the crowd knows."


@batch_act(Action.MANAGE)
def worker_let_in_act(request: HttpRequest, batch: Batch) -> str:
    worker, reason = _asked(request, batch)
    worker_let_in(batch=batch, worker=worker, reason=reason, actor=actor_of(request))
    task_send(kind=TaskKind.KEEP_OUT, batch_id=batch.pk, actor=actor_of(request))
    return "The worker may go on, as soon as the crowd knows."


@batch_act(Action.MANAGE)
def worker_forget_act(request: HttpRequest, batch: Batch) -> str:
    if "asked" not in request.POST:
        raise InputError("deleting cannot be undone.", remedy="Say that you know.")
    worker = _worker_asked(request, batch)
    done = worker_forget_beside(worker=worker, batch=batch, actor=actor_of(request))
    return (
        f"The worker's personal data are deleted in this study. {done.votes} votes and "
        f"{done.answers} answers stay, under another name."
    )


def answer_act(act: Callable[[HttpRequest, Assignment], str]) -> AnyView:
    """A button beside one answer, on the page of its worker."""

    @require_POST
    @batch_view(Action.MANAGE)
    @wraps(act)
    def view(request: HttpRequest, batch: Batch, answer: int) -> HttpResponse:
        found = found_or_404(answer_of, batch=batch, number=answer)
        do_and_tell(request, lambda: act(request, found))
        return redirect("batch-worker", batch.pk, found.worker_id)

    return view


@answer_act
def answer_approve(request: HttpRequest, answer: Assignment) -> str:
    assignment_approve(assignment=answer, actor=actor_of(request))
    return "Approved and paid."


@answer_act
def answer_reject(request: HttpRequest, answer: Assignment) -> str:
    if "read" not in request.POST:
        raise InputError(
            "a rejection takes a worker's pay.", remedy="Read the answer, then say that you did."
        )
    reason = request.POST.get("reason", "")
    assignment_reject(assignment=answer, reason=reason, actor=actor_of(request))
    return "Rejected: not paid, and its votes do not count. It can be restored for 30 days."


@answer_act
def answer_restore(request: HttpRequest, answer: Assignment) -> str:
    reason = request.POST.get("reason", "")
    assignment_restore(assignment=answer, reason=reason, actor=actor_of(request))
    return "Restored: paid, and its votes count again."


@answer_act
def answer_bonus(request: HttpRequest, answer: Assignment) -> str:
    amount = parse_amount(request.POST.get("amount", "").strip())
    _agree(request, answer.hit.batch, amount)
    reason = request.POST.get("reason", "")
    paid = bonus_pay(assignment=answer, amount=amount, reason=reason, actor=actor_of(request))
    return f"A bonus of {amount} USD is paid." if paid else "Exactly this bonus was paid before."


def _agree(request: HttpRequest, batch: Batch, amount: Decimal) -> None:
    typed = request.POST.get("agreed", "").strip()
    if batch.environment == Environment.PRODUCTION and typed != str(amount):
        raise InputError(
            f"a bonus of {amount} USD is real money, and that was not typed twice.",
            remedy=f"Type {amount} into both fields.",
        )


def _asked(request: HttpRequest, batch: Batch) -> tuple[Worker, str]:
    """The worker and the reason: pages know a worker by number, so that no id leaves the house."""
    return _worker_asked(request, batch), request.POST.get("reason", "")


def _worker_asked(request: HttpRequest, batch: Batch) -> Worker:
    number = request.POST.get("worker", "")
    return worker_of(batch=batch, number=int(number) if number.isdecimal() else 0)


_COLUMNS = (
    ("worker", "Worker"),
    ("votes", "Votes"),
    ("share", "Share"),
    ("gold", "Right on check queries"),
    ("majority", "With the majority"),
    ("others", "Agreement with others"),
    ("run", "Longest run of one label"),
    ("seconds", "Seconds per query"),
    ("pay", "USD an hour"),
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
