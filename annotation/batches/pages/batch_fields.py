"""The fields of a new batch, in sections: whatever `create_batch` has an option for."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator

from annotation.agreement.adaptive import FIRST, FULL, MOST
from annotation.batches.operations.planning import (
    BatchPlan,
    WorkerConditions,
    problems_of_conditions,
)
from annotation.batches.pages.pasted import PastedQueries, PastedText
from annotation.core.durations import parse_seconds
from annotation.models import Batch, Study
from annotation.task_page import languages
from metrics.errors import InputError
from pooling.models import Pool

#: Characters of pasted text; a request may bring two and a half megabytes.
_LIMIT = 1_000_000
_SMALL_LIMIT = 100_000
_CENT = Decimal("0.01")
_LARGEST_SEED = 2_147_483_647
_SHORTEST, _DAY = 30, 86_400
_LINES = "One per line: qid, a tab, the text; or qid,text,label."

#: Title, what it is about, names, and whether it is open: what most batches leave alone is folded.
SECTIONS: tuple[tuple[str, str, tuple[str, ...], bool], ...] = (
    (
        "Queries",
        "",
        ("name", "pool", "include_batched", "exclude_labelled"),
        True,
    ),
    (
        "Queries without a pool",
        "Pasted, or from a file.",
        ("queries", "study"),
        False,
    ),
    ("Work and pay", "", ("reward", "assignments", "queries_per_hit", "budget"), True),
    (
        "What workers read",
        "Language, title and description, a contact, and a consent text on every HIT.",
        ("language", "title", "description", "keywords", "contact", "consent"),
        False,
    ),
    (
        "Who may work",
        "Everybody, unless you ask for more.",
        ("locales", "min_approval", "min_approved", "masters", "share", "not_from"),
        False,
    ),
    (
        "Quality",
        "Queries with a known answer, a test before the first HIT, votes where they matter.",
        ("gold", "comprehension", "adaptive", "full_share", "most_votes"),
        False,
    ),
    (
        "Time and order",
        "A week to answer, half an hour for a HIT, pay after three days at the latest.",
        ("lifetime", "duration", "auto_approval", "seed"),
        False,
    ),
)


class LengthOfTime(forms.CharField):
    """`7d`, `12h`, `30m`, or a number that counts `unit`; cleaned to seconds."""

    def __init__(self, *, unit: str, least: int, most_days: int, **options: Any) -> None:
        super().__init__(max_length=20, **options)
        self._unit = unit
        self._least = least
        self._most_days = most_days

    def clean(self, value: Any) -> int | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            seconds = parse_seconds(text, unit=self._unit)
        except InputError as error:
            raise ValidationError(str(error)) from None
        if not self._least <= seconds <= self._most_days * _DAY:
            raise ValidationError(f"From {self._least} seconds to {self._most_days} days.")
        return seconds


class Locales(forms.CharField):
    """Country codes between commas or blanks."""

    def clean(self, value: Any) -> tuple[str, ...]:
        codes = tuple(super().clean(value).replace(",", " ").split())
        problems = problems_of_conditions(WorkerConditions(locales=codes))
        if problems:
            raise ValidationError(f"{'; '.join(problems)}.")
        return codes


class BatchFields(forms.Form):
    """What can be said of a new batch. What is left empty has the default of `create_batch`."""

    name = forms.CharField(max_length=100, help_text="Must be new. Everything else can stay.")
    pool = forms.ModelChoiceField(
        Pool.objects.none(),
        to_field_name="name",
        required=False,
        empty_label="None: queries of my own",
    )
    queries = PastedQueries(limit=_LIMIT, label="Queries", help_text=_LINES)
    study = forms.ModelChoiceField(
        Study.objects.none(),
        required=False,
        empty_label="None: only staff see the batch",
        label="Study of these queries",
        help_text="Whose members may see the batch. A pool knows its study.",
    )
    include_batched = forms.BooleanField(
        required=False, label="Also ask for queries that an earlier batch has"
    )
    exclude_labelled = forms.BooleanField(
        required=False, label="Leave out queries that have a label already"
    )
    reward = forms.DecimalField(
        max_digits=8,
        decimal_places=2,
        min_value=_CENT,
        initial=BatchPlan.reward,
        label="Reward, in USD",
        help_text="For one HIT, to each worker.",
    )
    assignments = forms.IntegerField(
        min_value=1, max_value=1_000, initial=3, label="Workers per query"
    )
    queries_per_hit = forms.IntegerField(
        min_value=1, max_value=1_000, initial=10, label="Queries per HIT"
    )
    budget = forms.DecimalField(
        max_digits=10,
        decimal_places=2,
        min_value=_CENT,
        required=False,
        label="Budget, in USD",
        help_text="Fees included. Publishing stops there. Empty: no limit.",
    )
    language = forms.ChoiceField(
        choices=lambda: list(languages().items()),
        required=False,
        initial="en",
        label="Language of the task page",
        help_text="Question, definitions and examples can be edited once the draft is stored.",
    )
    contact = forms.CharField(
        max_length=200,
        required=False,
        label="Contact",
        help_text="Whom workers may write to, such as an e-mail address. Shown on every HIT.",
    )
    title = forms.CharField(
        max_length=128, required=False, initial=BatchPlan.title, widget=forms.Textarea({"rows": 2})
    )
    description = forms.CharField(
        max_length=2_000,
        required=False,
        initial=BatchPlan.description,
        widget=forms.Textarea({"rows": 3}),
    )
    keywords = forms.CharField(
        max_length=1_000,
        required=False,
        initial=BatchPlan.keywords,
        widget=forms.Textarea({"rows": 2}),
    )
    consent = PastedText(
        limit=_SMALL_LIMIT,
        label="Consent text",
        help_text="Workers agree to it before the first query. Empty lines separate paragraphs.",
    )
    locales = Locales(
        required=False, max_length=300, label="Countries", help_text="As US, CA or US-CA."
    )
    min_approval = forms.IntegerField(
        min_value=1,
        max_value=100,
        required=False,
        label="Percent of earlier answers approved",
        help_text="Says something only together with their number.",
    )
    min_approved = forms.IntegerField(
        min_value=0, max_value=1_000_000, required=False, label="Number of earlier answers approved"
    )
    masters = forms.BooleanField(required=False, label="Masters only, for 5 % more fee")
    share = forms.IntegerField(
        min_value=1, max_value=100, required=False, label="Percent of the HITs for one worker"
    )
    not_from = forms.ModelMultipleChoiceField(
        Batch.objects.none(),
        to_field_name="name",
        required=False,
        label="Nobody who worked on",
        help_text="Several with Ctrl, or Command.",
    )
    gold = PastedQueries(
        limit=_SMALL_LIMIT,
        label="Queries with a known answer",
        help_text="qid,text,label, or qid, a tab, the label: n, f, m or o. "
        "Mixed in unseen; let no id tell.",
    )
    comprehension = PastedQueries(
        limit=_SMALL_LIMIT,
        label="Test before the first HIT",
        help_text="qid,text,label. Two tries, 80 % to pass.",
    )
    adaptive = forms.BooleanField(
        required=False, label=f"Ask {FIRST} workers first, a third where they differ, more on ties"
    )
    full_share = forms.IntegerField(
        min_value=0,
        max_value=100,
        required=False,
        initial=10,
        label="Percent of queries with three votes anyway",
        help_text="Then only: agreement is estimated on them.",
    )
    most_votes = forms.IntegerField(
        min_value=FULL,
        max_value=100,
        required=False,
        initial=MOST,
        label="Votes on one query at most",
    )
    lifetime = LengthOfTime(
        unit="d",
        least=_SHORTEST,
        most_days=365,
        initial="7",
        label="Offered for, in days",
        help_text="Or as 12h, 30m.",
    )
    duration = LengthOfTime(
        unit="m",
        least=_SHORTEST,
        most_days=365,
        initial="30",
        label="Time for a HIT, in minutes",
        help_text="Or as 2h, 90s.",
    )
    auto_approval = LengthOfTime(
        unit="d",
        least=0,
        most_days=30,
        required=False,
        initial="3",
        label="Paid unasked after, in days",
        help_text="Or as 12h. At most 30 days.",
    )
    seed = forms.IntegerField(
        min_value=0,
        initial=0,
        validators=[MaxValueValidator(_LARGEST_SEED)],
        help_text="Shuffles the queries over the HITs.",
    )
