"""The form of a new batch, and the plan that it makes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self, TypeVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField

from annotation.agreement.adaptive import FIRST
from annotation.batches.operations.planning import BatchPlan, PlannedQuery, WorkerConditions
from annotation.batches.operations.queries import (
    queries_of_pool,
    queries_with_text,
    with_gold,
    without_batched,
    without_labelled,
)
from annotation.batches.operations.redundancy import RedundancyTerms
from annotation.batches.pages.batch_fields import SECTIONS, BatchFields
from annotation.batches.pages.pasted import problem_of
from annotation.core.access import (
    User,
    batches_open_to,
    is_staff,
    pools_open_to,
    studies_open_to,
    study_of_pool,
)
from annotation.core.names import free_name
from annotation.models import Batch, Study
from annotation.task_page import PageTexts, standard_codebook
from annotation.vocabulary import Action, Environment
from metrics.errors import InputError
from pooling.models import Pool

Made = TypeVar("Made")


class Section(NamedTuple):
    """Fields that belong together, folded away unless something is filled in or wrong."""

    title: str
    says: str
    fields: list[BoundField]
    is_open: bool


class BatchForm(BatchFields):
    """The terms of a new batch; `plan` makes of them what `create_batch` makes of its options."""

    #: Queries of the pool that are not asked for, once `plan` was called.
    n_left_out = 0

    def __init__(self, *data: Any, user: User, is_sketch: bool = False, **options: Any) -> None:
        """With `is_sketch`, only what it would cost is wanted: it needs no name and no check."""
        super().__init__(*data, **options)
        self._needs_study = not is_staff(user)
        self._is_sketch = is_sketch
        self.fields["name"].required = not is_sketch
        choices = {
            "pool": pools_open_to(user=user, action=Action.MANAGE).filter(archived_at=None),
            "study": studies_open_to(user=user, action=Action.MANAGE).filter(archived_at=None),
            "not_from": batches_open_to(user=user, action=Action.MANAGE),
        }
        for name, found in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - tells its type
            field.queryset = found

    @classmethod
    def asked(cls, data: Mapping[str, Any], *, user: User) -> Self:
        """A form with what the address knows already, bound once it has a name."""
        if "name" in data:
            return cls(data, user=user)
        pools = pools_open_to(user=user, action=Action.MANAGE).filter(archived_at=None)
        latest = pools.order_by("-created_at").first()
        known = {name: data[name] for name in ("pool", "study") if name in data}
        initial = {"pool": latest and latest.name, **known}
        if initial["pool"]:
            initial["name"] = free_name(initial["pool"], _is_free)
        return cls(initial=initial, user=user)

    def sections(self) -> Iterator[Section]:
        """The fields in their sections; a folded one opens where something is filled in."""
        for title, says, names, is_always_open in SECTIONS:
            fields = [self[name] for name in names]
            needed = "queries" in names and not self["pool"].value()
            told = any(name in self.changed_data and self[name].data for name in names)
            wrong = any(name in self.errors for name in names)
            yield Section(title, says, fields, is_always_open or needed or told or wrong)

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if not self._is_sketch and not _is_free(name):
            raise ValidationError(f"a batch named {name!r} exists. Choose another name.")
        return name

    def clean_title(self) -> str:
        """On one line: the field is a larger one for the sake of small screens."""
        return " ".join(self.cleaned_data["title"].split())

    def clean(self) -> dict[str, Any]:
        """Exactly one source of queries; defaults for what is empty."""
        asked = self.cleaned_data
        if asked.get("pool") and asked.get("queries"):
            self.add_error("queries", "Choose “None” as the pool, or leave this empty.")
        elif not (
            asked.get("pool") or asked.get("queries") or {"pool", "queries"} & {*self.errors}
        ):
            self.add_error("queries", "Choose a pool, or give queries here.")
        if self._needs_study and not (asked.get("pool") or asked.get("study")):
            self.add_error("study", "Choose the study that these queries belong to.")
        for name, field in self.fields.items():
            if name in asked and asked[name] in (None, "") and field.initial is not None:
                asked[name] = field.clean(field.initial)
        return asked

    @property
    def study_of_batch(self) -> Study | None:
        """The study that the batch will belong to, once the form is valid."""
        pool: Pool | None = self.cleaned_data["pool"]
        study: Study | None = self.cleaned_data["study"]
        return study_of_pool(pool=pool) if pool else study

    def redundancy(self) -> RedundancyTerms | None:
        """How to ask adaptively, where that is wanted."""
        asked = self.cleaned_data
        if not asked["adaptive"]:
            return None
        share = asked["full_share"] / 100
        return RedundancyTerms(share, asked["most_votes"], asked["seed"])

    def plan(self) -> BatchPlan | None:
        """The batch as it would be; None once errors stand beside the fields."""
        if not self.is_bound or not self.is_valid():
            return None
        asked = dict(self.cleaned_data)
        queries = self._tried("pool" if asked["pool"] else "queries", self._queries)
        gold, tested = asked["gold"], asked["comprehension"]
        if queries is not None and gold:
            queries = self._tried("gold", lambda: with_gold(queries or [], gold))
        known = self._tried("comprehension", lambda: with_gold([], tested)) if tested else []
        if queries is None or known is None:
            return None
        plan = self._plan_of(asked, queries, known)
        if not self._is_sketch:
            self._check(plan)
        return None if self.errors else plan

    def _plan_of(
        self, asked: Mapping[str, Any], queries: list[PlannedQuery], known: list[PlannedQuery]
    ) -> BatchPlan:
        return BatchPlan(
            name=asked["name"],
            pool=asked["pool"],
            queries=queries,
            reward=asked["reward"],
            budget=asked["budget"],
            assignments_per_hit=FIRST if asked["adaptive"] else asked["assignments"],
            queries_per_hit=asked["queries_per_hit"],
            lifetime_seconds=asked["lifetime"],
            duration_seconds=asked["duration"],
            auto_approval_seconds=asked["auto_approval"],
            seed=asked["seed"],
            title=asked["title"],
            description=asked["description"],
            keywords=asked["keywords"],
            texts=PageTexts(
                standard_codebook(asked["language"]), asked["consent"], asked["contact"]
            ),
            comprehension=known,
            conditions=WorkerConditions(
                locales=asked["locales"],
                min_approval=asked["min_approval"],
                min_approved=asked["min_approved"],
                masters=asked["masters"],
                share_percent=asked["share"],
                not_from=tuple(batch.name for batch in asked["not_from"]),
            ),
        )

    def _check(self, plan: BatchPlan) -> None:
        """What makes the batch impossible becomes the error of the field that can mend it."""
        if plan.budget is None and settings.MTURK_ENVIRONMENT == Environment.PRODUCTION:
            self.add_error(
                "budget",
                f"A batch that spends real money needs a budget; {plan.cost} USD is the full cost.",
            )
        elif plan.budget is not None and plan.cost > plan.budget:
            self.add_error("budget", f"The batch costs {plan.cost} USD, more than its budget.")
        else:
            self._tried(None, plan.check_terms)
        if not self.errors:
            self._tried("queries_per_hit", plan.check_pages)

    def _queries(self) -> list[PlannedQuery]:
        """Those of the pool or the field; unless asked for, without what was asked before."""
        asked = self.cleaned_data
        pool: Pool | None = asked["pool"]
        study = self.study_of_batch
        queries = queries_of_pool(pool) if pool else queries_with_text(asked["queries"])
        n_before = len(queries)
        if not asked["include_batched"] and (pool or study):
            queries = without_batched(queries, pool=pool, study=study)
        if asked["exclude_labelled"]:
            queries = without_labelled(queries, study=study)
        self.n_left_out = n_before - len(queries)
        return queries

    def _tried(self, field: str | None, make: Callable[[], Made]) -> Made | None:
        try:
            return make()
        except InputError as error:
            self.add_error(field, problem_of(error))
            return None


def _is_free(name: str) -> bool:
    return not Batch.objects.filter(name=name).exists()
