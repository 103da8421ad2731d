"""Labels, their export, and how far people agree."""

from urllib.parse import urlencode

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from annotation.agreement.aggregation import METHODS
from annotation.agreement.conventions import alpha_in_words
from annotation.agreement.intervals import IntervalMethod
from annotation.agreement.summary import interval_words
from annotation.core.forms import form_fields, sent_parameters
from annotation.core.versions import version_of
from annotation.labels.export.formats import VOTE_FORMATS
from annotation.labels.pages.corrected import corrected_section
from annotation.labels.pages.figures import agreement_figures
from annotation.labels.pages.schemes import scheme_page
from annotation.labels.queries.agreement import batch_agreement
from annotation.labels.queries.exporting import (
    EXPORT_PARAMETERS,
    ExportParameters,
    ExportPreview,
    export_lines,
    export_preview,
    labelling_state,
    labels_overview,
    read_export,
)
from annotation.labels.queries.votes_out import votes_out
from annotation.models import Batch
from annotation.vocabulary import Action, Category, LabelMethod
from annotation.web.access import batch_view, checks_query, takes
from annotation.web.downloads import download_lines
from annotation.web.pages import batch_page, found_or_404
from metrics.errors import InputError

_ExportForm: type[forms.Form] = type("ExportForm", (forms.Form,), form_fields(EXPORT_PARAMETERS))


@batch_view(Action.VIEW)
@checks_query
def labels_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    if batch.has_scheme:
        return scheme_page(request, batch, "labels")
    sent = sent_parameters(_ExportForm, request.GET)
    parameters = read_export(sent)
    try:
        preview = export_preview(batch=batch, parameters=parameters)
    except InputError as error:
        preview = ExportPreview("", 0, str(error))
    overview = labels_overview(batch=batch)
    pandas = "" if preview.problem else parameters.format.pandas(parameters.options)
    return batch_page(
        request,
        "labels",
        batch,
        "labels",
        form=_ExportForm(initial=sent),
        parameters=parameters,
        overview=overview,
        out=votes_out(batch=batch, by=overview.labelling if overview else None),
        version=version_of(labelling_state(batch)),
        preview=preview,
        methods=[(method, LabelMethod(method).label) for method in METHODS],
        query_string=urlencode(sent),
        command_options=" ".join(_command_options(parameters)),
        pandas=pandas,
        ir_datasets=parameters.format.ir_datasets(pandas),
        vote_formats=VOTE_FORMATS.values(),
    )


def _command_options(parameters: ExportParameters) -> list[str]:
    """The same choices on the command line."""
    chosen = ["--category", parameters.category, "--format", parameters.layout]
    return chosen + [f"--{name}" for name in sorted(parameters.options)]


@batch_view(Action.VIEW)
@checks_query
def export_file(request: HttpRequest, batch: Batch) -> HttpResponseBase:
    """The bytes that `label export` writes."""
    parameters = read_export(sent_parameters(_ExportForm, request.GET))
    # All lines before the first byte is sent: a text that the format cannot hold is an error page.
    lines = found_or_404(export_lines, batch=batch, parameters=parameters)
    return download_lines(lines, parameters.file_name(batch), parameters.format.content_type)


@batch_view(Action.VIEW)
@takes("interval", "page")
def agreement_review(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The review of agreement: every number with its interval, every mark with its queries.

    With `interval=queries` in the address, intervals hold for these very workers.
    """
    if batch.has_scheme:
        return scheme_page(request, batch, "agreement")
    try:
        interval = IntervalMethod(request.GET.get("interval", IntervalMethod.QUERIES_AND_WORKERS))
    except ValueError:
        raise Http404("There is no such interval.") from None
    found = batch_agreement(batch=batch, interval=interval, names=dict(Category.choices))
    return batch_page(
        request,
        "agreement",
        batch,
        "agreement",
        agreement=found,
        figures=agreement_figures(found),
        verdict=alpha_in_words(found.krippendorff_alpha),
        interval_words=interval_words(interval),
        is_resampled=interval == IntervalMethod.QUERIES,
        corrected=corrected_section(batch),
        n_models=batch.study.model_raters.count(),
    )
