"""Forms of the pages of a study."""

from typing import Any

from django import forms

from annotation.core.forms import form_of
from annotation.core.operations import AnyOperation
from annotation.overview.queries.flow import Flow
from annotation.studies.file_store import files_to_point_to
from annotation.studies.operations.rank import RANK
from annotation.studies.queries.rankers import model_names
from annotation.vocabulary import FileKind
from rankers.registry import RANKERS


def file_form(operation: AnyOperation, prefix: str) -> forms.Form:
    """The form of a file that is added."""
    form = form_of(operation)(auto_id=f"{prefix}-%s")
    if "where" in form.fields:
        _offer(form, "where", [(path, path) for path in files_to_point_to()])
    return form


def rank_form(flow: Flow) -> forms.Form:
    """The form of a ranking, with the rankers of the site and the runs of the study to choose."""
    form = form_of(RANK)(auto_id="rank-%s")
    models, runs = model_names(), [file.name for file in flow.of_kind(FileKind.RUN)]
    lexical = [(ranker.name, ranker.title) for ranker in RANKERS.values()]
    rankers: list[Any] = [("Lexical", lexical)]
    if models:
        rankers.append(("Models of this site", [(name, name) for name in models]))
    _offer(form, "ranker", rankers)
    _offer(form, "run", [("", "–"), *((name, name) for name in runs)])
    if not models:
        form.fields["run"].widget = forms.HiddenInput()
    return form


def _offer(form: forms.Form, name: str, choices: list[Any]) -> None:
    field = form.fields[name]
    form.fields[name] = forms.ChoiceField(
        choices=choices, label=field.label, help_text=field.help_text, required=field.required
    )
