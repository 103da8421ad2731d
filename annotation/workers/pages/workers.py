"""The workers of a batch, one of them with all answers, and what a person decides about them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotation.batches.operations.reject_answer import REJECT_ANSWER
from annotation.batches.queries.answers import answer_of, worker_detail, worker_of
from annotation.batches.queries.workers import WORKER_ORDERS, batch_workers
from annotation.core.consent import ConsentError
from annotation.core.operations import AnyOperation
from annotation.core.perform import perform_here
from annotation.core.task_progress import answers_being_decided
from annotation.core.versions import version_of
from annotation.models import Assignment, Batch
from annotation.studies.file_store import receive, workplace
from annotation.studies.operations.files import in_words_of, shown_name
from annotation.studies.pages.uploads import uploads_of
from annotation.vocabulary import Action, Verification
from annotation.web.access import AnyView, batch_view, takes, who
from annotation.web.buttons import button, do_and_tell, number_sent, press
from annotation.web.pages import batch_page, found_or_404
from annotation.web.sorting import Column, sorted_rows
from annotation.workers.operations.about_worker import decisions_about
from annotation.workers.operations.approvals import IMPORT_APPROVALS
from annotation.workers.operations.erase_person import ERASE_PERSON
from metrics.errors import InputError

_TITLES = {
    "worker": "Worker",
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
    **{
        name: Column(title, WORKER_ORDERS[name], is_number=name != "worker")
        for name, title in _TITLES.items()
    },
    "warnings": Column("Warnings"),
    "state": Column("State"),
}


@batch_view(Action.VIEW)
@takes("sort")
def worker_list(request: HttpRequest, batch: Batch) -> HttpResponse:
    rows, heads = sorted_rows(request, batch_workers(batch=batch), _COLUMNS)
    shown = {
        "workers": rows,
        "heads": heads,
        "n_unproved": sum(row.verification != Verification.VERIFIED for row in rows),
    }
    return batch_page(request, "workers", batch, "workers", **shown)


@batch_view(Action.VIEW)
def worker_page(request: HttpRequest, batch: Batch, worker: int) -> HttpResponse:
    detail = found_or_404(worker_detail, batch=batch, number=worker)
    shown = {
        "detail": detail,
        "row": detail.row,
        "pending": answers_being_decided(batch=batch),
        "version": version_of(decisions_about(batch, worker)),
    }
    return batch_page(request, "worker", batch, "workers", **shown)


@button(batch_view(Action.MANAGE))
def worker_erase(request: HttpRequest, batch: Batch) -> str:
    if "asked" not in request.POST:
        raise InputError("deleting cannot be undone.", remedy="Say that you know.")
    # Pages know a worker by number, so that no id leaves the house.
    worker_of(batch=batch, number=number_sent(request, "worker"))
    return press(request, ERASE_PERSON, batch)


@button(batch_view(Action.MANAGE))
def approvals_import(request: HttpRequest, batch: Batch) -> str:
    """The list that a panel exports, uploaded on the page of workers."""
    files = uploads_of(request)
    if len(files) != 1:
        raise InputError("no file was chosen.", remedy="Choose the list that the panel exports.")
    with workplace() as folder:
        path, shown = folder / "list.csv", shown_name(files[0].name or "")
        receive(files[0], path)
        try:
            done = perform_here(IMPORT_APPROVALS, batch, {"file": path}, who(request))
        except InputError as error:
            raise in_words_of(error, path, shown) from error
    return done.message


def answer_button(operation: AnyOperation) -> AnyView:
    """A button beside one answer, on the page of its worker."""

    @button(batch_view(operation.permission or Action.MANAGE))
    def view(request: HttpRequest, batch: Batch, answer: int) -> HttpResponse:
        found = found_or_404(answer_of, batch=batch, number=answer)
        do_and_tell(request, lambda: _done(request, operation, found))
        return redirect("batch-worker", batch.pk, found.worker_id)

    return view


def _done(request: HttpRequest, operation: AnyOperation, answer: Assignment) -> str:
    if operation is REJECT_ANSWER and "read" not in request.POST:
        raise InputError(
            "a rejection takes a worker's pay.", remedy="Read the answer, then say that you did."
        )
    try:
        return press(request, operation, answer)
    except ConsentError as error:
        raise error.in_words("Type {cost} to agree.") from None
