"""What people fill in on the pages of a study."""

from typing import Any

from django import forms

from annotation.selectors.flow import Flow
from annotation.services.file_store import files_to_point_to
from annotation.services.study_pooling import PoolTerms
from annotation.vocabulary import FileKind
from metrics.magnitude import MAGNITUDES
from metrics.tokens import TOKENIZERS

_NEEDED = (FileKind.COLLECTION, FileKind.QUERIES, FileKind.RUN)


class StudyForm(forms.Form):
    """A new study."""

    name = forms.CharField(max_length=100, help_text="Must be new. Batches and files carry it.")
    description = forms.CharField(
        required=False,
        max_length=2_000,
        widget=forms.Textarea({"rows": 3}),
        help_text="What it is about, for whoever works on it.",
    )


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


class ScoreForm(forms.Form):
    """How to score."""

    tokenizer = forms.ChoiceField(
        choices=[
            ("word", "Words (for new studies)"),
            ("whitespace", "Whitespace (to reproduce published tables)"),
        ],
        label="Tokeniser",
    )

    def clean_tokenizer(self) -> str:
        """One of those that scoring knows."""
        asked = str(self.cleaned_data["tokenizer"])
        assert asked in TOKENIZERS  # noqa: S101 - the choices above are all of them
        return asked


class PoolForm(forms.Form):
    """How to pool."""

    cutoff = forms.IntegerField(
        min_value=1,
        max_value=1_000_000,
        initial=500,
        label="Queries of each list",
        help_text="Each run has two lists: most female first, and most male first.",
    )
    rank_cutoff = forms.IntegerField(
        min_value=1,
        max_value=1_000,
        initial=10,
        label="Documents of each query",
        help_text="The bias that sorts the lists looks at so many.",
    )
    magnitude = forms.ChoiceField(
        choices=[(name, name) for name in MAGNITUDES], initial="tf", label="Magnitude"
    )
    missing = forms.ChoiceField(
        choices=[
            ("error", "Stop and tell"),
            ("zero", "Count it as neutral"),
            ("skip", "Leave it out"),
        ],
        label="A document that was not scored",
    )

    def terms(self) -> PoolTerms:
        return PoolTerms(**self.cleaned_data)
