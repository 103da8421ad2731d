"""What people fill in, as values for services and selectors."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Self
from urllib.parse import urlencode

from django import forms
from django.core.validators import MaxValueValidator
from django.db.models import QuerySet

from annotation.selectors.access import study_of_pool
from annotation.services.planning import BatchPlan, PlannedQuery
from annotation.services.queries import queries_of_pool, without_batched, without_labelled
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
    pool = forms.ModelChoiceField(Pool.objects.none(), to_field_name="name", empty_label=None)
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
    include_batched = forms.BooleanField(
        required=False, label="Also ask for queries that an earlier batch has"
    )
    exclude_labelled = forms.BooleanField(
        required=False, label="Leave out queries that have a label already"
    )

    #: Queries of the pool that are not asked for, once `plan` was called.
    n_left_out = 0

    def __init__(self, *data: Any, pools: QuerySet[Pool], **options: Any) -> None:
        super().__init__(*data, **options)
        field = self.fields["pool"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - tells its type
        field.queryset = pools

    @classmethod
    def asked(cls, data: Mapping[str, Any], *, pools: QuerySet[Pool]) -> Self:
        """An empty form with what the address knows already, or a filled one once it has a name."""
        if "name" in data:
            return cls(data, pools=pools)
        return cls(initial={"pool": data.get("pool", "")}, pools=pools)

    def plan(self) -> BatchPlan:
        """The batch as it would be; `InputError` if it cannot be."""
        asked = self.cleaned_data
        queries = self._queries(asked["pool"])
        plan = BatchPlan(
            name=asked["name"],
            pool=asked["pool"],
            queries=queries,
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

    def _queries(self, pool: Pool) -> list[PlannedQuery]:
        """The pool's queries; unless asked for, without those that the study asked before."""
        study = study_of_pool(pool=pool)
        everything = queries = queries_of_pool(pool)
        if not self.cleaned_data["include_batched"]:
            queries = without_batched(queries, pool=pool, study=study)
        if self.cleaned_data["exclude_labelled"]:
            queries = without_labelled(queries, study=study)
        self.n_left_out = len(everything) - len(queries)
        return queries
