"""Qrels as decided labels of a batch of pairs, uploaded on the page of its labels."""

from django.http import HttpRequest
from django.shortcuts import redirect

from annotation.core.forms import form_of, sent_parameters
from annotation.labels.operations.qrels_import import IMPORT_QRELS, import_qrels_upload
from annotation.models import Batch
from annotation.studies.pages.uploads import table_of
from annotation.vocabulary import Action
from annotation.web.access import batch_view, who
from annotation.web.buttons import button


@button(batch_view(Action.MANAGE), lambda _request, batch: redirect("batch-labels", batch.pk))
def qrels_import(request: HttpRequest, batch: Batch) -> str:
    """One file of judgments."""
    file = table_of(request, "judgments")
    values = sent_parameters(form_of(IMPORT_QRELS), request.POST.dict())
    values["filename"] = file.name or ""
    return import_qrels_upload(batch, file, values, who(request)).message
