"""What people fill in on the pages of a study."""

from typing import Any

from django import forms

from annotation.core.forms import form_of
from annotation.overview.queries.flow import Flow
from annotation.studies.file_store import files_to_point_to
from annotation.studies.operations.rank import RANK
from annotation.studies.queries.rankers import model_names
from annotation.vocabulary import FileKind, LexicalRanker

_NEEDED = (FileKind.COLLECTION, FileKind.QUERIES, FileKind.RUN)


class FileForm(forms.Form):
    """What a file is; the file itself comes beside it, or is pointed to."""

    kind = forms.ChoiceField(choices=FileKind, label="What they hold")
    name = forms.CharField(
        required=False,
        max_length=100,
        label="Name of the run",
        help_text="Only for a run. Empty: its file's name, up to the first dot.",
    )
    where = forms.ChoiceField(required=False, label="File on the server")

    def __init__(self, *data: Any, **options: Any) -> None:
        super().__init__(*data, **options)
        where = self.fields["where"]
        assert isinstance(where, forms.ChoiceField)  # noqa: S101 - tells its type
        where.choices = [(path, path) for path in files_to_point_to()]

    @classmethod
    def for_the_next(cls, flow: Flow, **options: Any) -> "FileForm":
        """An empty form that expects what the study lacks."""
        lacking = [kind for kind in _NEEDED if not flow.of_kind(kind)]
        return cls(initial={"kind": lacking[0] if lacking else FileKind.RUN}, **options)


def rank_form(flow: Flow) -> forms.Form:
    """The form of a ranking, with the rankers of the site and the runs of the study to choose."""
    form = form_of(RANK)(auto_id="rank-%s")
    models, runs = model_names(), [file.name for file in flow.of_kind(FileKind.RUN)]
    rankers: list[Any] = [("Lexical", LexicalRanker.choices)]
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
