"""What annotators asked the requester from the page of their task, and the answers."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from annotation.batches.operations.answer_inquiry import ANSWER_INQUIRY
from annotation.batches.operations.channels import batch_inquiries, has_channels
from annotation.core.forms import form_of
from annotation.models import Batch
from annotation.vocabulary import Action
from annotation.web.access import batch_view
from annotation.web.pages import batch_page
from metrics.errors import InputError


@never_cache
@batch_view(Action.MANAGE)
def inquiry_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """Those that wait first. They are on the crowd service, and only there."""
    shown: dict[str, Any] = {"has_channels": has_channels(batch)}
    if shown["has_channels"]:
        try:
            found = batch_inquiries(batch)
        except InputError as error:
            shown["problem"] = str(error)
        else:
            form = form_of(ANSWER_INQUIRY)
            shown["inquiries"] = [
                (one, None if one.answer else form(auto_id=f"{one.inquiry_id}-%s"))
                for one in sorted(found, key=lambda one: bool(one.answer))
            ]
    return batch_page(request, "inquiries", batch, "inquiries", **shown)
