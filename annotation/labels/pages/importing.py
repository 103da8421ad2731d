"""Importing labels or votes: files become a batch of a study, after a preview."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from rest_framework.serializers import ValidationError

from annotation.core.access import batches_open_to
from annotation.core.perform import perform_here
from annotation.core.scheme_field import SchemeField
from annotation.labels.operations.bring_votes import free_batch_name
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.labels.operations.own_words import USUAL_QUESTION
from annotation.labels.operations.votes_added import ADD_VOTES
from annotation.labels.operations.votes_import import IMPORT_VOTES
from annotation.labels.pages.import_form import LABELS, VOTES, ImportForm, batch_chosen
from annotation.labels.pages.preview import Preview, preview_labels, preview_votes
from annotation.models import Batch, Study
from annotation.schemes import Scheme
from annotation.studies.file_store import file_too_large
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.files import in_words_of
from annotation.studies.pages.uploads import table_limit, too_large, uploads_of
from annotation.studies.staged_files import StagedFiles, stage_files, staged_files
from annotation.vocabulary import CATEGORY_QUESTION, Action, Category, Permit
from annotation.web.access import permit_view, person_of, study_view, takes, typed_again, who
from metrics.errors import InputError
from metrics.io.contents import contents_of
from metrics.remedies import Remedy
from metrics.votes.files.graded_pairs import are_qrels
from metrics.votes.files.naming import shared_name
from metrics.votes.files.reader import IMPORT_FORMATS
from metrics.votes.files.readings import ManyReadingsError

#: The button that makes the answers of the files the options of a question of their own.
_OWN = "own"
#: The manifest of a bundle, whose files a zip of votes would be.
MANIFEST = "manifest.json"
#: Kinds of files that studies have, by `metrics.io.contents`.
_OF_STUDIES = ("run", "texts", "ids", "lexicon", "magnitudes")
#: Batches that are offered for a file of qrels.
_MOST_BATCHES = 20
#: The fields and buttons of the page, by the argument of a remedy that they stand for.
_LEAVE_OUT = "labels without a code"
_PEOPLE = "Say below which columns are people."
_ON_PAGE = {
    "layout": "Choose below how the files are read.",
    "columns": "Match the columns below.",
    "people": _PEOPLE,
    "ignore": _PEOPLE,
    "labels": "Say below what each answer means.",
    _LEAVE_OUT: "Leave it out among the answers below.",
    "question": "They may be a question of their own: the last button.",
    "voters": "Choose that under “Who voted”.",
}
_WHICH = "Choose below which it is."


def _previewed_again(typed: QueryDict) -> QueryDict | None:
    """The fields of a preview, without the button below it; before it there are only files."""
    typed.pop("import", None)
    return typed if typed.get("staged") else None


@typed_again(_previewed_again)
@permit_view(Permit.CREATE_STUDIES)
def import_new(request: HttpRequest) -> HttpResponse:
    """Import into a new study, which belongs to the person who imports."""
    return _import_page(request, None)


@typed_again(_previewed_again)
@study_view(Action.MANAGE)
@takes("into")
def import_into(request: HttpRequest, study: Study) -> HttpResponse:
    """Import into an existing study."""
    return _import_page(request, study)


def _import_page(request: HttpRequest, study: Study | None) -> HttpResponse:
    """Preview uploaded files; the button below the preview imports them."""
    is_post = request.method == "POST"
    typed = request.POST if is_post else None
    form = ImportForm(typed, study=study, initial={"into": request.GET.get("into", "")})
    batch = batch_chosen(form)
    preview, qrels, looks = None, False, None
    if is_post:
        try:
            staged = staged_uploads(request)
            looks = looks_like(staged)
            qrels = any(are_qrels(path) for path in staged.paths)
            if qrels:
                staged.delete()
            else:
                preview = preview_of(request, staged, batch)
        except InputError as error:
            form.add_error(None, str(error))
    is_asked = preview is not None and _was_shown(request)
    is_own = is_asked and request.POST["import"] == _OWN and batch is None
    is_ready = preview is not None and (preview.is_complete or (is_own and not preview.problem))
    if preview and is_asked and not preview.problem and not is_ready:
        form.add_error(
            None, "Say which category each answer is, or make them a question of their own."
        )
    if preview and is_asked and form.is_valid() and is_ready:
        try:
            with transaction.atomic():
                terms = {**form.cleaned_data, "own": is_own, "into": batch}
                batch, message = _import(request, study, terms, preview)
        except InputError as error:
            form.add_error(None, str(in_words_of_page(error, preview.staged)))
        else:
            preview.staged.delete()
            messages.success(request, message)
            leads_to = "batch-agreement" if preview.matching else "batch-detail"
            return redirect(leads_to, batch.pk)
    context: dict[str, Any] = {"form": form, "into": study, "preview": preview, "batch": batch}
    context |= {"usual_question": USUAL_QUESTION}
    if looks != request.POST.get("holds") and (preview is None or preview.problem):
        context["looks"] = looks
    if qrels:
        context["for_qrels"] = _batches_for_qrels(request, study)
    context |= {"upload_limit": table_limit(), "categories": Category.choices}
    context |= {"formats": IMPORT_FORMATS.values()}
    # What cannot be read is refused; what a preview still asks for is not an error.
    status = 400 if form.errors and preview is None else 200
    return render(request, "web/import.html", context, status=status)


def _was_shown(request: HttpRequest) -> bool:
    """Return whether the button stood below a preview of these files, read as they are now."""
    holds, pressed = request.POST.get("holds"), request.POST.get("import")
    return not uploads_of(request) and pressed in (holds, _OWN if holds == VOTES else holds)


def looks_like(staged: StagedFiles) -> str | None:
    """Return what the first file holds, by a word that the page has a way for; None for others."""
    first = staged.paths[0]
    if any(path.name == MANIFEST for path in staged.paths):
        return "bundle"
    contents = contents_of(first)
    kind = contents.kind if contents else None
    return "a file of a study" if kind in _OF_STUDIES else kind


def _batches_for_qrels(request: HttpRequest, study: Study | None) -> list[Batch]:
    """The batches that may take qrels: those whose pairs are graded, the latest first."""
    batches = batches_open_to(user=person_of(request), action=Action.MANAGE)
    if study is not None:
        batches = batches.filter(study=study)
    latest = batches.filter(archived_at=None).exclude(queries__passage="").distinct()
    return [
        batch
        for batch in latest.order_by("-pk")[:_MOST_BATCHES]
        if any(question.grades for question in batch.scheme.closed)
    ]


def staged_uploads(request: HttpRequest) -> StagedFiles:
    """Return the files of the request, else those of the preview that it comes from."""
    for name in too_large(request):
        raise file_too_large(name, table_limit())
    files: list[UploadedFile[bytes]] = uploads_of(request)
    if files:
        return stage_files(files, person_of(request))
    if token := request.POST.get("staged", ""):
        return staged_files(token, person_of(request))
    raise InputError("no file was chosen.", remedy="Choose one or several files.")


def preview_of(request: HttpRequest, staged: StagedFiles, batch: Batch | None = None) -> Preview:
    """Contents of the files, as votes of `batch`; files that cannot be shown are not kept."""
    if request.POST.get("holds") == LABELS and batch is not None:
        staged.delete()
        raise InputError("labels become a batch of their own.", remedy="Choose a new one.")
    try:
        if request.POST.get("holds") == LABELS:
            return preview_labels(staged)
        scheme = batch.scheme if batch else _scheme_sent(request)
        preview = preview_votes(staged, request.POST, scheme)
    except InputError as error:
        staged.delete()
        raise in_words_of_page(error, staged) from error
    if preview.problem is not None:
        preview.problem = in_words_of_page(preview.problem, staged)
    return preview


def _scheme_sent(request: HttpRequest) -> Scheme:
    """The scheme that was chosen or written; without one, that of the categories."""
    text = request.POST.get("scheme", "").strip() or request.POST.get("asked") or CATEGORY_QUESTION
    try:
        return SchemeField().to_internal_value(text)
    except ValidationError as error:
        [problem] = error.detail
        raise InputError(f"The scheme: {problem}") from None


def _new_study(request: HttpRequest, name: str) -> Study:
    study: Study = perform_here(CREATE_STUDY, None, {"name": name}, who(request)).made
    return study


def _import(
    request: HttpRequest, into: Study | None, terms: dict[str, Any], preview: Preview
) -> tuple[Batch, str]:
    """Make the batch; return it and the message."""
    paths, matching = preview.staged.paths, preview.matching
    if terms["into"]:
        added = {"voters": terms["voters"], **matched(preview)}
        return terms["into"], perform_here(ADD_VOTES, terms["into"], added, who(request)).message
    name = terms["name"].strip() or free_batch_name(shared_name([path.name for path in paths]))
    study = into or _new_study(request, terms["study"].strip() or name)
    if matching is None:
        done = perform_here(IMPORT_LABELS, study, {"name": name, "file": paths[0]}, who(request))
    else:
        values = {"name": name, "voters": terms["voters"], **matched(preview)}
        if terms["own"]:
            values["question"] = terms["question"].strip() or USUAL_QUESTION
            values["labels"] = matching.left_out
        else:
            values["scheme"] = _scheme_sent(request)
        done = perform_here(IMPORT_VOTES, study, values, who(request))
    return study.batches.get(name=name), done.message


def matched(preview: Preview) -> dict[str, Any]:
    """Return the files and their matching as the operations take them."""
    matching = preview.matching
    if matching is None:
        raise InputError("these are labels.", remedy="Import them as labels.")
    return {
        "files": preview.staged.paths,
        "columns": matching.columns,
        "labels": matching.labels,
        "gold": matching.gold,
        "layout": matching.vote_files.format.name,
        "people": matching.choice.people,
        "ignore": matching.choice.ignore,
    }


def in_words_of_page(error: InputError, staged: StagedFiles) -> InputError:
    """Return the error with the names of files alone, and the page's fields as its remedies."""
    names = dict.fromkeys(name for remedy in error.remedies for name in _named_on_page(remedy))
    is_asked = isinstance(error, ManyReadingsError) and len(error.remedies) > 1
    fields = [_WHICH] if is_asked else dict.fromkeys(_ON_PAGE[name] for name in names)
    error = InputError(
        error.message,
        path=error.path,
        line=error.line,
        remedy=" ".join(filter(None, [*fields, error.remedy])),
    )
    for path in staged.paths:
        error = in_words_of(error, path, path.name)
    return error


def _named_on_page(remedy: Remedy) -> Iterator[str]:
    for name, value in remedy.arguments.items():
        is_left_out = isinstance(value, Mapping) and not any(value.values())
        yield _LEAVE_OUT if name == "labels" and is_left_out else name
