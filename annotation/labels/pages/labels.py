"""Labels and their export."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from annotation.agreement.aggregation import METHODS
from annotation.core.versions import version_of
from annotation.labels.pages.snippets import snippets
from annotation.labels.queries.exporting import (
    export_lines,
    export_preview,
    labelling_state,
    labels_overview,
)
from annotation.models import Batch
from annotation.reports.pages.downloads import bundle_state
from annotation.vocabulary import Action, LabelMethod
from annotation.web.access import batch_view
from annotation.web.downloads import download_lines
from annotation.web.forms import ExportForm
from annotation.web.pages import batch_page, found_or_404


@batch_view(Action.VIEW)
def labels_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    form = ExportForm.asked(request.GET)
    return batch_page(
        request,
        "labels",
        batch,
        "labels",
        form=form,
        overview=labels_overview(batch=batch),
        version=version_of(labelling_state(batch)),
        preview=export_preview(batch=batch, parameters=form.wanted()),
        methods=[(method, LabelMethod(method).label) for method in METHODS],
        question=form.question(),
        code=snippets(form.cleaned_data),
        number=batch.pk,
        **bundle_state(batch),
    )


@batch_view(Action.VIEW)
def export_file(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """The bytes that `export_queries` writes."""
    parameters = ExportForm.asked(request.GET).wanted()
    # Found before the first byte is sent: a text that the layout cannot hold is an error page.
    lines = found_or_404(export_lines, batch=batch, parameters=parameters)
    return download_lines(lines, f"{batch.name}-{parameters.category}.{parameters.layout}")
