"""Labels and their export."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header

from annotation.agreement.aggregation import METHODS
from annotation.models import Batch
from annotation.selectors.exporting import export_lines, export_preview, labels_overview
from annotation.services.labels import batch_label
from annotation.vocabulary import Action, LabelMethod
from annotation.web.access import actor_of, batch_view
from annotation.web.downloads import bundle_state
from annotation.web.forms import ExportForm
from annotation.web.pages import batch_act, batch_page, found_or_404
from annotation.web.snippets import snippets

_TYPES = {"csv": "text/csv", "tsv": "text/tab-separated-values", "jsonl": "application/jsonl"}


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
        preview=export_preview(batch=batch, **form.wanted()),
        methods=[(method, LabelMethod(method).label) for method in METHODS],
        question=form.question(),
        code=snippets(form.wanted()),
        number=batch.pk,
        **bundle_state(batch),
    )


@batch_view(Action.VIEW)
def export_file(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """The bytes that `export_queries` writes."""
    wanted = ExportForm.asked(request.GET).wanted()
    # Found before the first byte is sent: a text that the layout cannot hold is an error page.
    lines = found_or_404(export_lines, batch=batch, **wanted)
    layout = wanted["layout"]
    response = StreamingHttpResponse(lines, content_type=f"{_TYPES[layout]}; charset=utf-8")
    name = f"{batch.name}-{wanted['category']}.{layout}"
    response["Content-Disposition"] = content_disposition_header(True, name) or ""
    return response


@batch_act(Action.MANAGE)
def labels_decide(request: HttpRequest, batch: Batch) -> str:
    report = batch_label(
        batch=batch,
        method=request.POST.get("method", ""),
        strict="strict" in request.POST,
        actor=actor_of(request),
    )
    return f"{report.n_queries:,} queries labelled, {report.ties:,} ties."
