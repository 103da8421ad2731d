"""The buttons of a study: give it files, score, pool, end what runs."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.core.perform import perform_here
from annotation.core.task_progress import study_tasks_running
from annotation.core.task_queue import task_cancel
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.models import Study, StudyFile
from annotation.studies.file_checks import FIRST_LINES
from annotation.studies.file_store import file_too_large, local_path
from annotation.studies.operations.files import (
    in_words_of,
    study_file_add,
    study_file_point_to,
)
from annotation.studies.pages.forms import FileForm
from annotation.studies.pages.uploads import too_large, uploads_of
from annotation.vocabulary import Action, FileKind
from annotation.web.access import actor_of, study_view, who
from annotation.web.pages import do_and_tell, study_act
from metrics.errors import InputError


@require_POST
@study_view(Action.MANAGE)
def files_add(request: HttpRequest, study: Study) -> HttpResponse:
    """Each file is checked and stored on its own; what is wrong with one is told beside the rest.

    The script that shows progress sends one file at a time and shows the page when all are sent:
    what is told waits until then.
    """
    form = FileForm(request.POST)
    files = uploads_of(request)
    for name in too_large(request):
        messages.error(request, str(file_too_large(name)))
    if not form.is_valid() or not (files or too_large(request)):
        messages.error(request, "Choose what the files hold, and the files.")
        files = []
    asked = {
        "kind": form.data.get("kind"),
        "name": form.data.get("name") if len(files) == 1 else "",
    }
    for file in files:
        do_and_tell(request, partial(_add, request, study, asked, file))
    if request.headers.get("X-One-File"):
        return HttpResponse(status=204)
    return redirect("study-detail", study.pk)


def _add(
    request: HttpRequest, study: Study, asked: dict[str, Any], file: "UploadedFile[bytes]"
) -> str:
    return _told(
        study_file_add(
            study=study, stream=file, filename=file.name or "", actor=actor_of(request), **asked
        )
    )


@study_act(Action.MANAGE)
def file_point(request: HttpRequest, study: Study) -> str:
    form = FileForm(request.POST)
    if not form.is_valid() or not form.cleaned_data["where"]:
        raise InputError("no such file.", remedy="Choose one that the page offers.")
    asked = form.cleaned_data
    return _told(
        study_file_point_to(
            study=study,
            kind=asked["kind"],
            where=asked["where"],
            name=asked["name"],
            actor=actor_of(request),
        )
    )


@study_act(Action.MANAGE)
def file_import_labels(request: HttpRequest, study: Study) -> str:
    """The labels in a file of queries become a batch of the study."""
    number, name = request.POST.get("file", ""), request.POST.get("name", "").strip()
    file = StudyFile.objects.filter(study=study, pk=number).first() if number.isdecimal() else None
    if file is None:
        raise InputError("there is no such file.", remedy="Look at the page again.")
    path = local_path(file)
    try:
        done = perform_here(IMPORT_LABELS, study, {"name": name, "file": path}, who(request))
    except InputError as error:
        raise in_words_of(error, path, file.name) from error
    return f"{name}: {done.message}"


@study_act(Action.MANAGE)
def cancel(_request: HttpRequest, study: Study) -> str:
    for task in study_tasks_running(study=study):
        task_cancel(task_id=task.pk)
    return "What runs ends at its next step; nothing half-done stays."


def _told(file: StudyFile) -> str:
    found = file.summary
    if "made_from" in found:
        return f"{file.name}: {found['made_from']['n_documents']:,} scored passages."
    lines = f"{file.name}: {found['lines']:,} lines"
    if file.kind in (FileKind.COLLECTION, FileKind.RUN) and found["lines"] > FIRST_LINES:
        return f"{lines}. The first {FIRST_LINES:,} are as they should be."
    return f"{lines}, and all are as they should be."
