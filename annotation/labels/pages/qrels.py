"""Qrels as decided labels of a batch of pairs, uploaded on the page of its labels."""

from django.http import HttpRequest
from django.shortcuts import redirect

from annotation.core.forms import form_of, sent_parameters
from annotation.labels.operations.qrels_import import IMPORT_QRELS, import_qrels_upload
from annotation.models import Batch
from annotation.studies.file_store import file_too_large
from annotation.studies.pages.uploads import table_limit, too_large, uploads_of
from annotation.vocabulary import Action
from annotation.web.access import batch_view, who
from annotation.web.buttons import button
from metrics.errors import InputError


@button(batch_view(Action.MANAGE), lambda _request, batch: redirect("batch-labels", batch.pk))
def qrels_import(request: HttpRequest, batch: Batch) -> str:
    """One file of judgments."""
    for name in too_large(request):
        raise file_too_large(name, table_limit())
    files = uploads_of(request)
    if len(files) != 1:
        raise InputError("no file was chosen.", remedy="Choose one file of judgments.")
    sent = sent_parameters(form_of(IMPORT_QRELS), request.POST.dict())
    sent["filename"] = files[0].name or ""
    return import_qrels_upload(batch, files[0], sent, who(request)).message
