"""Importing labels or votes: files become a batch of a study, after a preview."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from rest_framework.serializers import ValidationError

from annotation.core.perform import perform_here
from annotation.core.scheme_field import SchemeField
from annotation.labels.operations.bring_votes import free_batch_name
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.labels.operations.votes_import import IMPORT_VOTES
from annotation.labels.pages.preview import Preview, preview_labels, preview_votes
from annotation.labels.vote_files.naming import shared_name
from annotation.labels.vote_files.reader import IMPORT_FORMATS
from annotation.models import Batch, Study
from annotation.schemes import Scheme, built_in_scheme, built_in_schemes
from annotation.studies.file_store import file_too_large
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.files import in_words_of
from annotation.studies.pages.uploads import table_limit, too_large, uploads_of
from annotation.studies.staged_files import StagedFiles, stage_files, staged_files
from annotation.vocabulary import CATEGORY_QUESTION, Action, Category, Permit, WorkerKind
from annotation.web.access import permit_view, person_of, study_view, typed_again, who
from metrics.errors import InputError

_LABELS, _VOTES = "labels", "votes"
_LONGEST_NAME, _LONGEST_SCHEME = 100, 20_000
#: Remedy for a file that the command line could read with options.
_LAYOUT = "Match the columns and the answers below."
_PEOPLE = "Say below which columns are people."
_OTHER_VOTERS = "Choose that under “Who voted”, or rename the voters in the file."
_ON_PAGE = {"--voters": _OTHER_VOTERS, "--people": _PEOPLE}


def _askable() -> list[tuple[str, str]]:
    """The built-in schemes that a file of votes can answer: one question, one answer to it."""
    schemes = {name: built_in_scheme(name) for name in built_in_schemes()}
    return [
        (name, scheme.title)
        for name, scheme in schemes.items()
        if len(scheme.questions) == 1 and scheme.questions[0].kind.takes_one
    ]


class ImportForm(forms.Form):
    """Contents and name of an import; the files themselves come beside it."""

    holds = forms.ChoiceField(
        choices=[
            (_VOTES, "Votes of workers"),
            (_LABELS, "Labels of queries"),
        ],
        label="What the files hold",
    )
    study = forms.CharField(
        required=False,
        max_length=_LONGEST_NAME,
        label="Name of the new study",
        help_text="Empty: the name of the batch.",
    )
    name = forms.CharField(
        required=False,
        max_length=_LONGEST_NAME,
        label="Name of the batch",
        help_text="Empty: the name of the file up to the first dot, or what several share.",
    )
    voters = forms.ChoiceField(
        choices=WorkerKind.choices,
        label="Who voted",
        help_text="Only for votes. Simulated and model votes are always marked.",
    )
    asked = forms.ChoiceField(
        choices=_askable, required=False, label="What was asked", help_text="Only for votes."
    )
    scheme = forms.CharField(
        required=False,
        max_length=_LONGEST_SCHEME,
        label="A scheme of your own",
        help_text="YAML of a scheme with one question, if none of the above was asked.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, *data: Any, study: Study | None, **options: Any) -> None:
        super().__init__(*data, **options)
        if study is not None:
            del self.fields["study"]


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
def import_into(request: HttpRequest, study: Study) -> HttpResponse:
    """Import into an existing study."""
    return _import_page(request, study)


def _import_page(request: HttpRequest, study: Study | None) -> HttpResponse:
    """Preview uploaded files; the button below the preview imports them."""
    form = ImportForm(request.POST if request.method == "POST" else None, study=study)
    staged, preview = None, None
    if request.method == "POST":
        try:
            staged = staged_uploads(request)
            preview = preview_of(request, staged)
        except InputError as error:
            form.add_error(None, str(error))
    is_asked = preview is not None and _was_shown(request)
    if preview and is_asked and not preview.problem and not preview.is_complete:
        form.add_error(None, "Say of each answer which category it is.")
    if preview and is_asked and form.is_valid() and preview.is_complete:
        try:
            with transaction.atomic():
                batch, message = _import(request, study, form.cleaned_data, preview)
        except InputError as error:
            form.add_error(None, str(in_words_of_page(error, preview.staged)))
        else:
            preview.staged.delete()
            messages.success(request, message)
            leads_to = "batch-agreement" if preview.matching else "batch-detail"
            return redirect(leads_to, batch.pk)
    context: dict[str, Any] = {"form": form, "into": study, "preview": preview}
    context |= {"upload_limit": table_limit(), "categories": Category.choices}
    context |= {"formats": IMPORT_FORMATS.values()}
    # What cannot be read is refused; what a preview still asks for is no error.
    status = 400 if form.errors and preview is None else 200
    return render(request, "web/import.html", context, status=status)


def _was_shown(request: HttpRequest) -> bool:
    """Return whether the button stood below a preview of these files, read as they are now."""
    return not uploads_of(request) and request.POST.get("import") == request.POST.get("holds")


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


def preview_of(request: HttpRequest, staged: StagedFiles) -> Preview:
    """Contents of the files; files that cannot be shown are not kept."""
    try:
        if request.POST.get("holds") == _LABELS:
            return preview_labels(staged)
        preview = preview_votes(staged, request.POST, _scheme_sent(request))
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
    name = terms["name"].strip() or free_batch_name(shared_name([path.name for path in paths]))
    study = into or _new_study(request, terms["study"].strip() or name)
    if matching is None:
        done = perform_here(IMPORT_LABELS, study, {"name": name, "file": paths[0]}, who(request))
    else:
        values = {"name": name, "voters": terms["voters"], "scheme": _scheme_sent(request)}
        values |= matched(preview)
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
    """Return the error with the names of files alone, and without options of the command line."""
    for path in staged.paths:
        error = in_words_of(error, path, path.name)
    if "--" not in error.remedy:
        return error
    remedy = next(
        (advice for option, advice in _ON_PAGE.items() if option in error.remedy), _LAYOUT
    )
    return InputError(error.message, path=error.path, line=error.line, remedy=remedy)
