"""Recruiting for a batch on Prolific: its state, and what can be done next."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.batches.operations.channels import has_channels
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.study import COMPLETED, DRAFT, known_study
from annotation.batches.queries.prolific import batch_recruitment
from annotation.core.access import is_permitted
from annotation.core.forms import form_of
from annotation.core.operations import PUBLIC_STATES
from annotation.core.perform import perform_here
from annotation.models import Batch, ProlificWorkspace
from annotation.prolific.statuses import OPEN
from annotation.vocabulary import Action, Permit
from annotation.web.access import batch_view, person_of, who
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
        "has_channels": has_channels(batch),
        "is_connected": ProlificWorkspace.objects.filter(address=address).exists(),
        "may_recruit": is_permitted(user=person_of(request), permit=Permit.RECRUIT),
        "connect": form_of(CONNECT_PROLIFIC)(),
    }
    return batch_page(request, "prolific", batch, "invite", **context)


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
