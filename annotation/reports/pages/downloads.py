"""The votes of a batch, and the bundle of a study with everything."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from annotation.core.parameters import fields_of, read_parameters
from annotation.labels.queries.votes_export import VotesParameters, vote_lines
from annotation.models import Batch, Study
from annotation.reports.queries.bundles import bundle_name, bundle_ready, bundle_state
from annotation.vocabulary import Action
from annotation.web.access import batch_view, study_view, takes
from annotation.web.downloads import RAW, download_lines, is_safe
from annotation.web.pages import found_or_404


@batch_view(Action.VIEW)
@takes(*fields_of(VotesParameters), RAW)
def votes_file(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """The file that `label export-votes` writes, in a table with texts that are not formulas."""
    values = {name: value for name, value in request.GET.items() if name != RAW}
    # A link from a page without a question means the question of the subset.
    values["question"] = values.get("question") or batch.scheme.subset_question.name
    parameters = read_parameters(VotesParameters, values)
    safe = is_safe(request)
    lines = found_or_404(vote_lines, batch=batch, parameters=parameters, is_safe=safe)
    return download_lines(lines, parameters.file_name(batch), parameters.format.content_type)


@study_view(Action.VIEW)
def bundle_part(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the progress of the bundle."""
    return render(request, "web/_bundle.html", {"number": study.pk, **bundle_state(study=study)})


@study_view(Action.VIEW)
def bundle_file(_request: HttpRequest, study: Study) -> HttpResponseBase:
    """Stream the latest bundle."""
    ready = bundle_ready(study=study)
    if ready is None:
        raise Http404
    response = FileResponse(ready.path.open("rb"), as_attachment=True, filename=bundle_name(study))
    response["ETag"] = f'"{ready.sha256}"'
    return response
