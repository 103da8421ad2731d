"""Recruiting for a batch on Prolific: where it stands, and what can be done next."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.batches.operations.channels import has_channels
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.queries.prolific import batch_recruitment
from annotation.core.access import is_permitted
from annotation.core.forms import form_of
from annotation.models import Batch, ProlificWorkspace
from annotation.vocabulary import Action, Permit
from annotation.web.access import batch_view, person_of
from annotation.web.pages import batch_page


@never_cache
@require_GET
@batch_view(Action.MANAGE)
def prolific_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The study as it was read last; nothing is asked of Prolific to show this."""
    address = settings.PROLIFIC_ADDRESS.rstrip("/")
    shown = {
        "recruitment": batch_recruitment(batch=batch),
        "has_channels": has_channels(batch),
        "is_connected": ProlificWorkspace.objects.filter(address=address).exists(),
        "may_recruit": is_permitted(user=person_of(request), permit=Permit.RECRUIT),
        "connect": form_of(CONNECT_PROLIFIC)(),
    }
    return batch_page(request, "prolific", batch, "invite", **shown)
