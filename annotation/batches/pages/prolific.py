"""Recruiting for a batch on Prolific: its state, and what can be done next."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.batches.operations.channels import has_channels
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.import_responses import IMPORT_RESPONSES
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.study import COMPLETED, DRAFT, known_study
from annotation.batches.queries.prolific import batch_recruitment
from annotation.batches.queries.task_builder import ITEMS_FILE, LAYOUT_FILE, batch_tasks
from annotation.core.access import is_permitted
from annotation.core.forms import form_of
from annotation.core.operations import PUBLIC_STATES
from annotation.core.perform import perform_here
from annotation.models import Batch, ProlificTasks, ProlificWorkspace
from annotation.prolific.statuses import OPEN
from annotation.studies.pages.import_upload import import_upload
from annotation.vocabulary import Action, Permit
from annotation.web.access import batch_view, person_of, who
from annotation.web.buttons import button
from annotation.web.pages import batch_page
from metrics.errors import InputError

#: Seconds without a reading after which a running study, or one with events or over, counts as
#: left.
_LEFT, _CALM = 600, 7_500
#: The same while somebody waits for Prolific to carry out an approval.
_APPROVING = 60
#: Seconds between two refreshes of an open page.
_EVERY = 15


@never_cache
@require_GET
@batch_view(Action.MANAGE)
def prolific_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Show the study as last read; read it now where no worker has done so for long."""
    address = settings.PROLIFIC_ADDRESS.rstrip("/")
    if is_permitted(user=person_of(request), permit=Permit.RECRUIT) and _is_left(batch):
        try:
            perform_here(READ_STUDY, batch, {}, who(request))
        except InputError as error:
            messages.warning(request, str(error))
    context = {
        "recruitment": batch_recruitment(batch=batch),
        "every_seconds": _EVERY,
        "has_channels": has_channels(batch) or bool(batch.uses_task_builder and batch.endpoint),
        "is_uploaded": ProlificTasks.objects.filter(batch=batch, is_ready=True).exists(),
        "files": (ITEMS_FILE, LAYOUT_FILE) if batch.uses_task_builder else (),
        "takes_responses": batch.uses_task_builder and batch.state in IMPORT_RESPONSES.states,
        "is_connected": ProlificWorkspace.objects.filter(address=address).exists(),
        "may_recruit": is_permitted(user=person_of(request), permit=Permit.RECRUIT),
        "connect": form_of(CONNECT_PROLIFIC)(),
    }
    return batch_page(request, "prolific", batch, "invite", **context)


@batch_view(Action.MANAGE)
def tasks_file(request: HttpRequest, batch: Batch, name: str) -> HttpResponse:
    """Send the data set or the layout, to be brought to Prolific by hand."""
    if name not in {ITEMS_FILE, LAYOUT_FILE}:
        raise Http404
    try:
        tasks = batch_tasks(batch=batch)
    except InputError as error:
        messages.error(request, str(error))
        return redirect("batch-prolific", batch.pk)
    if name == ITEMS_FILE:
        response = HttpResponse(tasks.csv, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{ITEMS_FILE}"'
        return response
    return HttpResponse(tasks.text, content_type="text/plain; charset=utf-8")


@button(batch_view(Action.MANAGE), lambda _request, batch: redirect("batch-prolific", batch.pk))
def import_responses(request: HttpRequest, batch: Batch) -> str:
    """Responses of the Task Builder that somebody exported there, uploaded here."""
    done = import_upload(request, IMPORT_RESPONSES, batch, name="responses.json", what="responses")
    return f"{done.message} {done.note}".rstrip()


def _is_left(batch: Batch) -> bool:
    """Return whether the last reading is so old that neither clock nor event can be at work."""
    row = known_study(batch)
    if row is None or row.status in {"", DRAFT} or batch.state not in PUBLIC_STATES:
        return False
    is_calm = row.workspace.is_told or row.status == COMPLETED
    seconds = _CALM if is_calm else max(_LEFT, 3 * settings.PROLIFIC_EVERY_SECONDS)
    if row.submissions.filter(status__in=OPEN).exclude(approved_by="").exists():
        seconds = _APPROVING
    return row.read_at is None or row.read_at < timezone.now() - timedelta(seconds=seconds)
