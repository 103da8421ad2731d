"""The scheme of a batch: read by everybody who may view it, edited while it is a draft."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from annotation.batches.operations.schemes import CHANGE_SCHEME
from annotation.batches.pages.scheme_form import read_form, scheme_form
from annotation.batches.queries.schemes import page_texts, scheme_state
from annotation.core.parameters import ParametersError
from annotation.core.perform import perform_here
from annotation.core.versions import version_of
from annotation.labels.queries.scheme_results import scheme_file
from annotation.models import Batch, HITQuery
from annotation.schemes import (
    Scheme,
    built_in_languages,
    built_in_scheme,
    scheme_from_json,
    scheme_from_yaml,
    scheme_to_yaml,
)
from annotation.task_page import inline_hashes, languages, render
from annotation.vocabulary import Action, BatchState
from annotation.web.access import batch_view, takes, who
from annotation.web.downloads import download_lines
from annotation.web.pages import batch_page, found_or_404
from metrics.errors import InputError


@batch_view(Action.VIEW)
@takes("version", "language", "as")
def scheme_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The questions, a preview of the first HIT with them, and the earlier versions.

    `?version=` shows an earlier one, `?language=` a built-in one in that language.
    """
    scheme, language = batch.scheme, request.GET.get("language", "")
    number = request.GET.get("version", "")
    if number.isdecimal():
        earlier = batch.scheme_versions.filter(number=int(number)).first()
        scheme = scheme_from_json(earlier.content) if earlier else scheme
    elif language in built_in_languages(scheme.name):
        scheme = built_in_scheme(scheme.name, language)
    return _page(request, batch, scheme)


@batch_view(Action.MANAGE)
def scheme_save(request: HttpRequest, batch: Batch) -> HttpResponse:
    """*Preview* shows the page with the typed scheme; *Save* makes it a new version.

    It is typed as YAML, or in the fields of the form.
    """
    if request.method != "POST":
        return redirect("batch-scheme", batch.pk)
    text, contact = request.POST.get("scheme"), request.POST.get("contact", "").strip()
    typed: dict[str, Any] = {"contact": contact}
    try:
        if text is not None:
            typed["text"] = text
            scheme = scheme_from_yaml(text)
        else:
            typed["values"] = read_form(request.POST.dict())
            scheme = scheme_from_json(typed["values"])
    except InputError as error:
        return _page(request, batch, batch.scheme, **typed, problem=str(error))
    if "save" not in request.POST:
        return _page(request, batch, scheme, **typed)
    try:
        sent = {"scheme": scheme.as_json(), "contact": contact}
        version = request.POST.get("version")
        done = perform_here(CHANGE_SCHEME, batch, sent, who(request), version=version)
    except ParametersError as error:
        wrong = " ".join(str(one) for found in error.errors.values() for one in found)
        return _page(request, batch, scheme, **typed, problem=wrong)
    except InputError as error:
        # What was typed stays on the page, with the version of what holds now.
        return _page(request, batch, scheme, **typed, problem=str(error))
    messages.success(request, done.message)
    # Required in production: the person who saves has seen the preview.
    return redirect("batch-detail", batch.pk)


@batch_view(Action.VIEW)
def scheme_download(request: HttpRequest, batch: Batch, file: str) -> HttpResponseBase:
    """The votes, the labels, the workers' quality, the queries of the subset, or the scheme."""
    del request
    made = found_or_404(scheme_file, batch=batch, file=file)
    return download_lines(*made)


def _page(
    request: HttpRequest,
    batch: Batch,
    scheme: Scheme,
    *,
    text: str | None = None,
    values: Mapping[str, Any] | None = None,
    contact: str | None = None,
    problem: str = "",
) -> HttpResponse:
    """Render the page with the typed YAML or `values` of the form, else with the scheme."""
    places = HITQuery.objects.filter(hit__batch=batch, hit__index=0).order_by("place")
    queries = list(places.values_list("query__qid", "query__text", "query__passage"))
    contact = batch.contact if contact is None else contact
    texts = replace(page_texts(batch), scheme=scheme, contact=contact)
    versions = list(batch.scheme_versions.order_by("-number"))
    known = languages()
    response = batch_page(
        request,
        "scheme",
        batch,
        "scheme",
        scheme=scheme,
        text=scheme_to_yaml(scheme) if text is None else text,
        form=scheme_form(scheme.as_json() if values is None else values),
        is_yaml=text is not None or request.GET.get("as") == "yaml",
        problem=problem,
        contact=contact,
        hit=render(queries, texts) if queries else "",
        versions=versions,
        languages=[(code, known[code]) for code in built_in_languages(scheme.name)],
        version=version_of(scheme_state(batch)),
        is_draft=batch.state == BatchState.DRAFT,
    )
    response.inline_hashes = inline_hashes()  # type: ignore[attr-defined]
    return response
