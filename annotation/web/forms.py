"""What people fill in, as values for services and selectors."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Self
from urllib.parse import urlencode

from django import forms
from django.core.validators import MaxValueValidator

from annotation.services.planning import BatchPlan
from annotation.services.queries import queries_of_pool, without_labelled
from annotation.vocabulary import Category
from pooling.models import Pool

_DAY = 86_400
_MINUTE = 60


class ExportForm(forms.Form):
    """Which labels to export, and how."""

    category = forms.ChoiceField(
        choices=[("n", "Non-gendered"), *Category.choices[1:], ("all", "All four categories")],
        label="Queries",
    )
    layout = forms.ChoiceField(
        choices=[
            ("csv", "CSV as released: qid,query,label"),
            ("tsv", "TSV: qid and query"),
            ("jsonl", "JSON lines: all that is known"),
        ],
        label="Format",
    )
    quote = forms.BooleanField(required=False, label="Quote cells (CSV)")
    spreadsheet = forms.BooleanField(required=False, label="Safe for spreadsheets")
    ties = forms.BooleanField(required=False, label="With ties (JSON lines)")

    @classmethod
    def asked(cls, data: Mapping[str, Any]) -> Self:
        """The form with what an address asks for; without a question, the study's first export."""
        form = cls({"category": "n", "layout": "csv", **_flat(data)})
        if not form.is_valid():
            form = cls({"category": "n", "layout": "csv"})
            form.is_valid()
        return form

    def wanted(self) -> dict[str, Any]:
        """The arguments of `export_lines`."""
        return dict(self.cleaned_data)

    def question(self) -> str:
        """The same as part of an address."""
        return urlencode({name: value for name, value in self.cleaned_data.items() if value})

    def options(self) -> str:
        """The same as options of `export_queries`."""
        asked = self.cleaned_data
        flags = [f"--{name}" for name in ("quote", "spreadsheet", "ties") if asked[name]]
        return " ".join(["--category", asked["category"], "--format", asked["layout"], *flags])


def _flat(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in ExportForm.base_fields if name in data}


class BatchForm(forms.Form):
    """The terms of a new batch; `plan` makes of them what `create_batch` makes of its options."""

    name = forms.CharField(max_length=100, help_text="Must be new.")
    pool = forms.ModelChoiceField(Pool.objects.all(), to_field_name="name", empty_label=None)
    reward = forms.DecimalField(
        max_digits=8,
        decimal_places=2,
        min_value=Decimal("0.01"),
        initial=Decimal("0.25"),
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
        min_value=Decimal("0.01"),
        required=False,
        label="Budget, in USD",
        help_text="Fees included. Publishing stops there. Empty: no limit.",
    )
    lifetime = forms.IntegerField(
        min_value=1, max_value=365, initial=7, label="Offered for, in days"
    )
    duration = forms.IntegerField(
        min_value=1, max_value=1_440, initial=30, label="Time for a HIT, in minutes"
    )
    seed = forms.IntegerField(
        min_value=0,
        initial=0,
        validators=[MaxValueValidator(2_147_483_647)],
        help_text="Shuffles the queries over the HITs.",
    )
    exclude_labelled = forms.BooleanField(
        required=False, label="Leave out queries that have a label already"
    )

    @classmethod
    def asked(cls, data: Mapping[str, Any]) -> Self:
        """An empty form with what the address knows already, or a filled one once it has a name."""
        return cls(data) if "name" in data else cls(initial={"pool": data.get("pool", "")})

    def plan(self) -> BatchPlan:
        """The batch as it would be; `InputError` if it cannot be."""
        asked = self.cleaned_data
        queries = queries_of_pool(asked["pool"])
        plan = BatchPlan(
            name=asked["name"],
            pool=asked["pool"],
            queries=without_labelled(queries) if asked["exclude_labelled"] else queries,
            reward=asked["reward"],
            budget=asked["budget"],
            assignments_per_hit=asked["assignments"],
            queries_per_hit=asked["queries_per_hit"],
            lifetime_seconds=asked["lifetime"] * _DAY,
            duration_seconds=asked["duration"] * _MINUTE,
            seed=asked["seed"],
        )
        plan.check()
        return plan
