"""Files of a batch beside its labels: the votes, and the bundle with everything."""

from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from annotation.labels.export.votes import FORMATS
from annotation.labels.queries.votes_export import vote_lines
from annotation.models import Batch
from annotation.reports.queries.bundles import bundle_ready, bundle_task
from annotation.vocabulary import Action
from annotation.web.access import batch_view
from annotation.web.downloads import download_lines
from annotation.web.pages import found_or_404


@batch_view(Action.VIEW)
def votes_file(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """The bytes that `export_votes` writes."""
    layout = request.GET.get("format", FORMATS[0])
    if layout not in FORMATS:
        raise Http404
    lines = found_or_404(vote_lines, batch=batch, layout=layout)
    name = f"{batch.name}-votes.csv" if layout == "plain" else f"{batch.name}-results.csv"
    return download_lines(lines, name)


@batch_view(Action.VIEW)
def bundle_part(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The part of the page that tells how far the bundle is."""
    return render(request, "web/_bundle.html", {"number": batch.pk, **bundle_state(batch)})


@batch_view(Action.VIEW)
def bundle_file(_request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """The bundle that was made last, streamed."""
    ready = bundle_ready(batch=batch)
    if ready is None:
        raise Http404
    response = FileResponse(ready.path.open("rb"), as_attachment=True, filename=f"{batch.name}.zip")
    response["ETag"] = f'"{ready.sha256}"'
    return response


def bundle_state(batch: Batch) -> dict[str, Any]:
    """What the part needs: the file that is ready, and the work on the next one."""
    return {"bundle": bundle_ready(batch=batch), "making": bundle_task(batch=batch)}
