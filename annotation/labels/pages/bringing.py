"""Bringing votes of another program: files, their preview, and their agreement."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.core.forms import form_of
from annotation.core.perform import perform_here
from annotation.labels.operations.bring_votes import BRING_VOTES
from annotation.labels.pages.importing import (
    in_words_of_page,
    matched,
    preview_of,
    staged_uploads,
)
from annotation.labels.vote_files.reader import IMPORT_FORMATS
from annotation.studies.pages.uploads import table_limit, uploads_of
from annotation.vocabulary import Permit
from annotation.web.access import permit_view, who
from metrics.errors import InputError

_Form = form_of(BRING_VOTES)


@permit_view(Permit.CREATE_STUDIES)
def bring_votes(request: HttpRequest) -> HttpResponse:
    """Preview uploaded files; the button below the preview stores them and leads on."""
    form = _Form(request.POST if request.method == "POST" else None)
    preview = None
    if request.method == "POST":
        try:
            preview = preview_of(request, staged_uploads(request))
        except InputError as error:
            form.add_error(None, str(error))
    is_shown = not uploads_of(request) and request.POST.get("import") == "votes"
    if preview and is_shown and not preview.problem and not preview.is_complete:
        form.add_error(None, "Say of each answer which category it is.")
    if preview and is_shown and form.is_valid() and preview.is_complete:
        sent = {**form.cleaned_data, **matched(preview)}
        try:
            done = perform_here(BRING_VOTES, None, sent, who(request))
        except InputError as error:
            form.add_error(None, str(in_words_of_page(error, preview.staged)))
        else:
            preview.staged.delete()
            messages.success(request, done.message)
            return redirect("batch-agreement", done.made.pk)
    shown: dict[str, Any] = {"form": form, "preview": preview, "upload_limit": table_limit()}
    return render(request, "web/bring_votes.html", shown | {"formats": IMPORT_FORMATS.values()})
