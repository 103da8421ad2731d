"""The review of agreement: every number with its interval, every mark with its queries."""

from django.http import HttpRequest, HttpResponse

from annotation.labels.pages.figures import agreement_figures
from annotation.labels.queries.agreement import batch_agreement
from annotation.models import Batch
from annotation.vocabulary import Action
from annotation.web.access import batch_view
from annotation.web.pages import batch_page


@batch_view(Action.VIEW)
def agreement_review(request: HttpRequest, batch: Batch) -> HttpResponse:
    found = batch_agreement(batch=batch)
    return batch_page(
        request,
        "agreement",
        batch,
        "agreement",
        agreement=found,
        figures=agreement_figures(found),
    )
