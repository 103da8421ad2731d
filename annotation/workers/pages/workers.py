"""The workers of a batch, one of them with all answers, and decisions about them."""

from collections.abc import Iterator, Sequence

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from annotation.batches.operations.reject_answer import REJECT_ANSWER
from annotation.batches.queries.answers import answer_of, worker_detail, worker_of
from annotation.batches.queries.workers import WORKER_ORDERS, WorkerRow, batch_workers
from annotation.core.consent import ConsentError
from annotation.core.counting import about_items, counted
from annotation.core.csv_rows import FreeCell
from annotation.core.operations import AnyOperation
from annotation.core.task_progress import answers_being_decided
from annotation.core.versions import version_of
from annotation.labels.queries.pseudonyms import worker_names
from annotation.models import Assignment, Batch
from annotation.studies.pages.import_upload import import_upload
from annotation.vocabulary import Action, Verification
from annotation.web.access import AnyView, batch_view, takes
from annotation.web.buttons import button, do_and_tell, number_sent, press, press_each
from annotation.web.charts.dots import Dot, dot_chart
from annotation.web.charts.shapes import MARK_PATHS, Chart
from annotation.web.downloads import RAW, download_table
from annotation.web.pages import batch_page, found_or_404, page_of, query_without_page
from annotation.web.sorting import Column, sorted_rows
from annotation.workers.operations.about_worker import decisions_about
from annotation.workers.operations.approvals import IMPORT_APPROVALS
from annotation.workers.operations.discard_votes import DISCARD_VOTES, RESTORE_VOTES
from annotation.workers.operations.erase_person import ERASE_PERSON
from annotation.workers.operations.exclude import EXCLUDE, READMIT
from metrics.errors import InputError

#: Places among the marks of print: a warning has the pointing one.
_WARNED, _OTHERS = 2, 0
#: Of the picture, which takes the width of the page.
_WIDTH = 1_000


def workers_chart(batch: Batch, rows: Sequence[WorkerRow]) -> Chart | None:
    """A dot for each worker whose time and agreement are known; None without two of them."""
    known = [
        row
        for row in rows
        if row.quality.seconds is not None and row.quality.with_others is not None
    ]
    if len(known) < 2:  # noqa: PLR2004 - a picture of one says nothing
        return None
    dots = [_dot(batch, row) for row in known]
    # Dots with warnings lie above the others.
    dots.sort(key=lambda dot: dot.mark == MARK_PATHS[_WARNED])
    return dot_chart(
        "Workers by speed and agreement",
        dots,
        x_label=f"seconds per {batch.scheme.item_noun} (median)",
        y_label="agreement with others, beyond chance (up is better)",
        zero=False,
        width=_WIDTH,
    )


def _dot(batch: Batch, row: WorkerRow) -> Dot:
    seconds, agreement = row.quality.seconds or 0.0, row.quality.with_others or 0.0
    remarks = "; ".join(row.quality.remarks)
    text = (
        f"{row.name}: {seconds:.1f} seconds, agreement {agreement:.3f}, "
        f"{counted(row.quality.n_votes, 'vote')}{'. Warning: ' + remarks if remarks else ''}"
    ).replace("-0.", "\u22120.")
    return Dot(
        row.name,
        seconds,
        agreement,
        text,
        reverse("batch-worker", args=[batch.pk, row.number]),
        kind="series warned" if remarks else "series s0",
        mark=MARK_PATHS[_WARNED if remarks else _OTHERS],
        is_named=False,
    )


_PER_PAGE = 10
_TITLES = {
    "votes": "Votes",
    "share": "Share",
    "gold": "Right on gold questions",
    "majority": "With the majority",
    "others": "Agreement with others",
    "run": "Longest run of one label",
    "seconds": "Seconds per query",
    "pay": "USD an hour",
}
_COLUMNS = {
    "worker": Column("Worker", WORKER_ORDERS["worker"]),
    "warnings": Column("Warnings"),
    **{name: Column(title, WORKER_ORDERS[name], is_number=True) for name, title in _TITLES.items()},
    "state": Column("State"),
}


@batch_view(Action.VIEW)
@takes("sort", "page", "as", RAW)
def worker_list(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """Show the workers in the order of the address; with `?as=csv` send a file.

    By default, and for equal values, those with warnings come first.
    """
    listed = sorted(batch_workers(batch=batch), key=lambda row: not row.quality.remarks)
    rows, heads = sorted_rows(request, listed, _columns(batch))
    if request.GET.get("as") == "csv":
        return download_table(request, _table(rows), f"{batch.name}-workers.csv")
    context = {
        "workers": rows,
        "page": page_of(request, rows, per_page=_PER_PAGE),
        "heads": heads,
        "together": [(operation.name, operation.title) for operation in _TOGETHER.values()],
        "n_warned": sum(bool(row.quality.remarks) for row in rows),
        "question": query_without_page(request),
        "chart": workers_chart(batch, rows),
        "n_unproved": sum(row.verification != Verification.VERIFIED for row in rows),
    }
    return batch_page(request, "workers", batch, "workers", **context)


def _columns(batch: Batch) -> dict[str, Column]:
    noun = batch.scheme.item_noun
    return {
        name: column._replace(title=about_items(column.title, noun))
        for name, column in _COLUMNS.items()
    }


def _table(rows: Sequence[WorkerRow]) -> Iterator[Sequence[object]]:
    """The list as it is shown, with shares from 0 to 1."""
    yield [*WORKER_ORDERS, "warnings", "votes_discarded", "excluded"]
    for row in rows:
        numbers = [order(row) for order in WORKER_ORDERS.values()]
        reasons = FreeCell(row.set_aside), FreeCell(row.kept_out)
        yield [*numbers, "; ".join(row.quality.remarks), *reasons]


@batch_view(Action.VIEW)
def worker_page(request: HttpRequest, batch: Batch, worker: int) -> HttpResponse:
    detail = found_or_404(worker_detail, batch=batch, number=worker)
    context = {
        "detail": detail,
        "row": detail.row,
        "pending": answers_being_decided(batch=batch),
        "version": version_of(decisions_about(batch, worker)),
    }
    return batch_page(request, "worker", batch, "workers", **context)


#: Decisions that can be made about several workers at once, each with its entry in the log.
_TOGETHER = {
    operation.name: operation for operation in (DISCARD_VOTES, RESTORE_VOTES, EXCLUDE, READMIT)
}


@button(batch_view(Action.MANAGE))
@takes(several=["worker"])
def workers_chosen(request: HttpRequest, batch: Batch) -> str:
    """Make one decision, with one reason, about each worker chosen in the list."""
    operation = _TOGETHER.get(request.POST.get("decision", ""))
    if operation is None:
        raise InputError("no decision was chosen.", remedy="Choose what to do with the workers.")
    names, reason = worker_names(batch=batch), request.POST.get("reason", "")
    chosen = {
        names.get(int(number), number): {"worker": number, "reason": reason}
        for number in request.POST.getlist("worker")
        if number.isdecimal()
    }
    return press_each(request, operation, batch, chosen, ("worker", "workers"))


@button(batch_view(Action.MANAGE))
def erase_worker(request: HttpRequest, batch: Batch) -> str:
    if "asked" not in request.POST:
        raise InputError("deleting cannot be undone.", remedy="Say that you know.")
    # Pages identify workers by number, so that they reveal no id.
    worker_of(batch=batch, number=number_sent(request, "worker"))
    return press(request, ERASE_PERSON, batch)


@button(batch_view(Action.MANAGE))
def import_approvals(request: HttpRequest, batch: Batch) -> str:
    """The list that a panel exports, uploaded on the page of workers."""
    what = "submissions, as the panel exports them"
    return import_upload(request, IMPORT_APPROVALS, batch, name="list.csv", what=what).message


def answer_button(operation: AnyOperation) -> AnyView:
    """A button beside one answer, on the page of its worker."""

    @button(batch_view(operation.permission or Action.MANAGE))
    def view(request: HttpRequest, batch: Batch, answer: int) -> HttpResponse:
        answer_page = found_or_404(answer_of, batch=batch, number=answer)
        do_and_tell(request, lambda: _done(request, operation, answer_page))
        return redirect("batch-worker", batch.pk, answer_page.worker_id)

    return view


@batch_view(Action.MANAGE)
def answer_raw(request: HttpRequest, batch: Batch, answer: int) -> HttpResponse:
    """Send one answer as it came in, as plain text that no browser takes for anything else."""
    del request
    came = found_or_404(answer_of, batch=batch, number=answer).answer_xml
    return HttpResponse(came, content_type="text/plain; charset=utf-8")


def _done(request: HttpRequest, operation: AnyOperation, answer: Assignment) -> str:
    if operation is REJECT_ANSWER and "read" not in request.POST:
        raise InputError(
            "a rejection takes a worker's pay.", remedy="Read the answer, then say that you did."
        )
    try:
        return press(request, operation, answer)
    except ConsentError as error:
        raise error.in_words("Type {cost} to agree.") from None
