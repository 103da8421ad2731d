"""The buttons of a study for files, and for cancelling."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from django.contrib import messages
from django.core.files import File
from django.core.files.uploadedfile import UploadedFile
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotation.core.forms import form_of, sent_parameters
from annotation.core.perform import perform_here
from annotation.core.task_progress import study_tasks_running
from annotation.core.task_queue import task_cancel
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.labels.operations.model_labels import import_upload
from annotation.models import Study, StudyFile
from annotation.studies.archives import is_zip_of_several, unpack_files
from annotation.studies.file_store import file_too_large, local_path, receive, workplace
from annotation.studies.operations.add_file import ADD_FILE
from annotation.studies.operations.files import in_words_of, shown_name
from annotation.studies.pages.uploads import too_large, uploads_of
from annotation.studies.queries.file_kind import MODEL_LABELS, adding_order, is_of_models
from annotation.studies.queries.files_looked_at import files_looked_at
from annotation.vocabulary import KIND_BY_CONTENT, Action, FileKind
from annotation.web.access import study_view, who
from annotation.web.buttons import button, do_and_tell, number_sent
from metrics.errors import InputError


@require_POST
@study_view(Action.MANAGE)
def files_add(request: HttpRequest, study: Study) -> HttpResponse:
    """Check and store each file on its own; errors of one do not stop the others.

    The script that shows progress sends one file at a time and shows the page when all are sent:
    messages wait until then.
    """
    only_models = request.POST.get("kind") == MODEL_LABELS
    form_data = {**request.POST.dict(), "kind": KIND_BY_CONTENT} if only_models else request.POST
    form = form_of(ADD_FILE)(form_data)
    uploads = uploads_of(request)
    for name in too_large(request):
        messages.error(request, str(file_too_large(name)))
    if not form.is_valid() or not (uploads or too_large(request)):
        messages.error(request, "Choose what the files hold, and the files.")
        uploads = []
    with _unpacked(request, uploads) as files:
        for path, file in files:
            if only_models or (form.cleaned_data["kind"] == KIND_BY_CONTENT and is_of_models(path)):
                do_and_tell(request, partial(_import_model_labels, request, study, file))
                continue
            is_alone = len(files) == 1
            do_and_tell(request, partial(_add, request, study, form, file, is_alone=is_alone))
    if request.headers.get("X-One-File"):
        return HttpResponse(status=204)
    return redirect("study-detail", study.pk)


@require_POST
@study_view(Action.MANAGE)
def files_look(request: HttpRequest, study: Study) -> HttpResponse:
    """Detect kinds of files by their beginnings, for a person to change before the upload."""
    beginnings = [(shown_name(file.name or ""), file) for file in uploads_of(request)]
    rows = files_looked_at(study=study, beginnings=beginnings)  # type: ignore[arg-type] # it reads
    kinds = [*FileKind.choices, (MODEL_LABELS, "Labels of models")]
    return render(request, "web/_files_looked_at.html", {"rows": rows, "kinds": kinds})


@contextmanager
def _unpacked(
    request: HttpRequest, uploads: Sequence["UploadedFile[bytes]"]
) -> Iterator[list[tuple[Path, "File[bytes]"]]]:
    """Provide the uploads, with the files of a zip of several in its place, in order of adding."""
    with workplace() as folder, ExitStack() as opened:
        files: list[tuple[Path, File[bytes]]] = []
        for number, upload in enumerate(uploads):
            arrived = folder / str(number)
            receive(upload, arrived)
            upload.seek(0)
            try:
                if not is_zip_of_several(arrived):
                    files.append((arrived, upload))
                    continue
                inside = unpack_files(arrived, folder / f"{number}-unpacked")
            except InputError as error:
                display_name = shown_name(upload.name or "")
                messages.error(request, str(in_words_of(error, arrived, display_name)))
                continue
            for name, path in inside:
                files.append((path, File(opened.enter_context(path.open("rb")), name)))
        yield sorted(files, key=lambda file: adding_order(file[0]))


def _import_model_labels(request: HttpRequest, study: Study, file: "File[bytes]") -> str:
    values = {"filename": file.name or ""}
    message = import_upload(study, file, values, who(request)).message
    return f"{shown_name(file.name or '')}: {message}"


def _add(
    request: HttpRequest,
    study: Study,
    form: Form,
    file: "File[bytes]",
    *,
    is_alone: bool,
) -> str:
    values = sent_parameters(form, request.POST.dict())
    values |= {"stream": file, "filename": shown_name(file.name or "")}
    if not is_alone:  # one name cannot be that of several runs
        values.pop("name", None)
    return perform_here(ADD_FILE, study, values, who(request)).message


@button(study_view(Action.MANAGE))
def file_import_labels(request: HttpRequest, study: Study) -> str:
    """Import the labels in a file of queries as a batch of the study."""
    name = request.POST.get("name", "").strip()
    file = StudyFile.objects.filter(study=study, pk=number_sent(request, "file")).first()
    if file is None:
        raise InputError("there is no such file.", remedy="Look at the page again.")
    path = local_path(file)
    try:
        done = perform_here(IMPORT_LABELS, study, {"name": name, "file": path}, who(request))
    except InputError as error:
        raise in_words_of(error, path, file.name) from error
    return f"{name}: {done.message}"


@button(study_view(Action.MANAGE))
def cancel(_request: HttpRequest, study: Study) -> str:
    for task in study_tasks_running(study=study):
        task_cancel(task_id=task.pk)
    return "Running work ends at its next step; nothing half-done stays."
