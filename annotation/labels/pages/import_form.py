"""The form of an import: what the files hold, and what becomes of them."""

from typing import Any

from django import forms

from annotation.labels.operations.votes_added import ADD_VOTES
from annotation.labels.operations.votes_import import LONGEST_QUESTION
from annotation.labels.operations.votes_read import asks_one_question
from annotation.models import Batch, Study
from annotation.schemes import built_in_scheme, built_in_schemes
from annotation.vocabulary import LONGEST_OWN_NAME, WorkerKind

LABELS, VOTES = "labels", "votes"
_LONGEST_SCHEME = 20_000


def _askable() -> list[tuple[str, str]]:
    """The built-in schemes that a file of votes can answer: one question, one answer to it."""
    schemes = {name: built_in_scheme(name) for name in built_in_schemes()}
    return [(name, scheme.title) for name, scheme in schemes.items() if asks_one_question(scheme)]


def takes_votes(batch: Batch) -> bool:
    """Return whether votes of files may be added to the batch."""
    return batch.state in ADD_VOTES.states and asks_one_question(batch.scheme)


def _batches_with_room(study: Study) -> list[Batch]:
    return list(filter(takes_votes, study.batches.filter(archived_at=None).order_by("-pk")))


class ImportForm(forms.Form):
    """Contents and name of an import; the files themselves come beside it."""

    holds = forms.ChoiceField(
        choices=[
            (VOTES, "Votes of workers"),
            (LABELS, "Labels of queries"),
        ],
        label="What the files hold",
    )
    study = forms.CharField(
        required=False,
        max_length=LONGEST_OWN_NAME,
        label="Name of the new study",
        help_text="Empty: the name of the batch.",
    )
    name = forms.CharField(
        required=False,
        max_length=LONGEST_OWN_NAME,
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
    into = forms.ChoiceField(
        required=False,
        label="Batch",
        help_text="You can add votes to a batch that asks the same question. A worker has one "
        "vote on a query: votes that the batch already has are left out.",
    )
    question = forms.CharField(
        required=False,
        max_length=LONGEST_QUESTION,
        label="The question",
        help_text="This replaces what was asked above. Its options are the answers of the "
        "files, as they are written, without those that are left out above.",
    )
    scheme = forms.CharField(
        required=False,
        max_length=_LONGEST_SCHEME,
        label="A scheme of your own",
        help_text="If none of the above was asked: YAML of a scheme with one question.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, *data: Any, study: Study | None, **options: Any) -> None:
        super().__init__(*data, **options)
        batches = [] if study is None else _batches_with_room(study)
        if study is not None:
            del self.fields["study"]
        if batches:
            named = [(str(batch.pk), f"Into {batch.name}") for batch in batches]
            into = self.fields["into"]
            into.choices = [("", "A new batch"), *named]  # type: ignore[attr-defined]
        else:
            del self.fields["into"]


def batch_chosen(form: ImportForm) -> Batch | None:
    """The batch that gets the votes; None for a new one."""
    number = form["into"].value() if "into" in form.fields else ""
    chosen = dict(form.fields["into"].choices) if number else {}  # type: ignore[attr-defined]
    return Batch.objects.get(pk=number) if str(number) in chosen else None
