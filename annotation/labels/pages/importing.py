"""Bringing labels or votes along: a file becomes a batch of a study."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.core.perform import perform_here
from annotation.labels.operations.labels_import import LabelsReport, labels_import
from annotation.labels.operations.votes_import import ImportReport, votes_import
from annotation.models import Study
from annotation.studies.file_checks import packing_of
from annotation.studies.file_store import file_too_large, receive, workplace
from annotation.studies.operations.create import CREATE_STUDY
from annotation.studies.operations.files import in_words_of, shown_name, stored_name
from annotation.studies.pages.uploads import table_limit, too_large, uploads_of
from annotation.vocabulary import Action, Category, NoVoteReason, Permit, WorkerKind
from annotation.web.access import actor_of, permit_view, study_view, who
from metrics.errors import InputError

_LABELS, _VOTES = "labels", "votes"
_LONGEST_NAME = 100
#: What to do about a file that the command line could read with the help of options.
_LAYOUT = (
    "Name the columns query_id, worker and label on the first line, and write each label as "
    f"{', '.join(Category.values)}."
)
_OTHER_VOTERS = "Choose that under “Who voted”, or rename the voters in the file."


class ImportForm(forms.Form):
    """What the file holds and what to call it; the file itself comes beside it."""

    study = forms.CharField(max_length=_LONGEST_NAME, label="Name of the new study")
    holds = forms.ChoiceField(
        choices=[
            (_LABELS, "Labels: lines qid,query,label without a header"),
            (_VOTES, "Votes: a table with the columns query_id, worker, label"),
        ],
        label="What the file holds",
        help_text="A label is n (non-gendered), f (female), m (male) or o (other or multiple). A "
        "table of votes may have the columns query (text), gold and seconds too; the results of "
        "a Mechanical Turk batch are recognised.",
    )
    name = forms.CharField(
        required=False,
        max_length=_LONGEST_NAME,
        label="Name of the batch",
        help_text="Empty: the name of the file, up to the first dot.",
    )
    voters = forms.ChoiceField(
        choices=WorkerKind.choices,
        label="Who voted",
        help_text="Only for votes. Simulated and model votes are always marked.",
    )

    def __init__(self, *data: Any, study: Study | None, **options: Any) -> None:
        super().__init__(*data, **options)
        if study is not None:
            del self.fields["study"]


@permit_view(Permit.CREATE_STUDIES)
def import_new(request: HttpRequest) -> HttpResponse:
    """Into a new study, which belongs to whoever imports."""
    return _import_page(request, None)


@study_view(Action.MANAGE)
def import_into(request: HttpRequest, study: Study) -> HttpResponse:
    """Into a study that there is."""
    return _import_page(request, study)


def _import_page(request: HttpRequest, study: Study | None) -> HttpResponse:
    form = ImportForm(request.POST or None, study=study)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                target = study or _new_study(request, form.cleaned_data["study"])
                name, told = _import(request, target, form.cleaned_data)
        except InputError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, told)
            return redirect("batch-detail", target.batches.get(name=name).pk)
    shown = {"form": form, "into": study, "upload_limit": table_limit()}
    return render(request, "web/import.html", shown)


def _new_study(request: HttpRequest, name: str) -> Study:
    study: Study = perform_here(CREATE_STUDY, None, {"name": name}, who(request)).made
    return study


def _import(request: HttpRequest, study: Study, terms: dict[str, Any]) -> tuple[str, str]:
    """The name of the batch that was made, and what to say about it."""
    file = _upload_of(request)
    shown = shown_name(file.name or "")
    name = terms["name"].strip() or shown.partition(".")[0]
    with workplace() as folder:
        arrived = folder / "arrived"
        receive(file, arrived)
        path = arrived.rename(folder / stored_name(shown, packing_of(arrived)))
        common: dict[str, Any] = {"name": name, "actor": actor_of(request), "study": study}
        try:
            if terms["holds"] == _LABELS:
                return name, _labels_told(labels_import(path=path, **common))
            return name, _votes_told(votes_import(paths=[path], voters=terms["voters"], **common))
        except InputError as error:
            raise _in_words_of_page(in_words_of(error, path, shown)) from error


def _upload_of(request: HttpRequest) -> "UploadedFile[bytes]":
    for name in too_large(request):
        raise file_too_large(name, table_limit())
    files = uploads_of(request)
    if len(files) != 1:
        raise InputError("no file was chosen.", remedy="Choose one file.")
    return files[0]


def _in_words_of_page(error: InputError) -> InputError:
    """Without options of the command line, which the page has none of."""
    if "--" not in error.remedy:
        return error
    remedy = _OTHER_VOTERS if "--voters" in error.remedy else _LAYOUT
    return InputError(error.message, path=error.path, line=error.line, remedy=remedy)


def _labels_told(report: LabelsReport) -> str:
    counts = ", ".join(
        f"{count:,} {Category(code).label.lower()}" for code, count in report.labels.items()
    )
    return f"{report.n_queries:,} labelled queries are imported: {counts}."


def _votes_told(report: ImportReport) -> str:
    apart = [
        f"Kept, but no votes: {count:,} ({NoVoteReason(reason).label}; first at "
        f"{report.first_set_aside[reason]})."
        for reason, count in report.set_aside.items()
    ]
    imported = (
        f"{report.n_votes:,} votes of {report.n_workers:,} workers on {report.n_queries:,} queries "
        "are imported."
    )
    return " ".join([imported, *apart, *report.notes])
