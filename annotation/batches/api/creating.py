"""A new batch: its terms, and the plan that they make, which costs nothing to look at."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.agreement.adaptive import FIRST
from annotation.api.shapes import MONEY, QueryTextShape
from annotation.batches.operations.planning import BatchPlan, PlannedQuery, WorkerConditions
from annotation.batches.operations.queries import queries_of_pool, without_batched, without_labelled
from annotation.batches.operations.redundancy import RedundancyTerms
from annotation.batches.queries.pay import PayEstimate, hourly_estimate
from annotation.core.access import batches_open_to, pools_open_to, studies_open_to
from annotation.models import Batch, Study
from annotation.task_page import Codebook, CodebookError, PageTexts, languages, standard_codebook
from annotation.vocabulary import Action, Environment
from pooling.models import Pool

_DAY = 86_400
_YEAR = 365 * _DAY
_MOST = 1_000
_MOST_QUERIES = 50_000
_LARGEST_SEED = 2**31 - 1
#: Terms that go into the plan as they are.
_TERMS = (
    "name", "reward", "budget", "assignments_per_hit", "queries_per_hit", "lifetime_seconds",
    "duration_seconds", "auto_approval_seconds", "seed", "title", "description", "keywords",
    "pool",
)  # fmt: skip

NEW_BATCH = {
    "name": "first",
    "pool": 1,
    "reward": "0.25",
    "assignments_per_hit": 3,
    "queries_per_hit": 10,
    "budget": "400.00",
    "dry_run": True,
}


@extend_schema_field(OpenApiTypes.INT)
class _StudyField(serializers.PrimaryKeyRelatedField[Study]):
    def get_queryset(self) -> QuerySet[Study]:
        return studies_open_to(user=self.context["user"], action=Action.MANAGE)


@extend_schema_field(OpenApiTypes.INT)
class _PoolField(serializers.PrimaryKeyRelatedField[Pool]):
    def get_queryset(self) -> QuerySet[Pool]:
        return pools_open_to(user=self.context["user"], action=Action.MANAGE)


class ConditionsShape(serializers.Serializer[Any]):
    """Who may work. What is left out lets everybody in."""

    locales = serializers.ListField(child=serializers.CharField(max_length=10), required=False)
    min_approval = serializers.IntegerField(min_value=1, max_value=100, required=False)
    min_approved = serializers.IntegerField(min_value=0, max_value=1_000_000, required=False)
    masters = serializers.BooleanField(required=False)
    share_percent = serializers.IntegerField(min_value=1, max_value=100, required=False)
    not_from = serializers.ListField(
        child=serializers.CharField(max_length=100),
        required=False,
        help_text="Names of batches whose workers are kept out.",
    )

    def validate_not_from(self, names: list[str]) -> list[str]:
        """Batches of other studies are not there: their workers are nobody else's business."""
        batches = batches_open_to(user=self.context["user"], action=Action.MANAGE)
        known = set(batches.filter(name__in=names).values_list("name", flat=True))
        unknown = [name for name in names if name not in known]
        if unknown:
            raise serializers.ValidationError(f"There is no batch {unknown[0]!r}.")
        return names


class RedundancyShape(serializers.Serializer[Any]):
    """Two workers first, a third where they differ, more on ties."""

    full_share = serializers.FloatField(
        min_value=0,
        max_value=1,
        default=RedundancyTerms.full_share,
        help_text="Share of the queries that gets three votes in any case.",
    )
    most_votes = serializers.IntegerField(
        min_value=3, max_value=100, default=RedundancyTerms.most_votes
    )
    seed = serializers.IntegerField(min_value=0, max_value=_LARGEST_SEED, default=0)


class CategoryTextShape(serializers.Serializer[Any]):
    """One category of a codebook."""

    name = serializers.CharField(max_length=40)
    definition = serializers.CharField(max_length=500)
    examples = serializers.ListField(child=serializers.CharField(max_length=200), max_length=5)
    borderline = serializers.CharField(max_length=200, allow_blank=True, default="")
    reason = serializers.CharField(max_length=300, allow_blank=True, default="")


class CategoriesShape(serializers.Serializer[Any]):
    """The text of each category; the codes never change."""

    n = CategoryTextShape()
    f = CategoryTextShape()
    m = CategoryTextShape()
    o = CategoryTextShape()


class CodebookShape(serializers.Serializer[Any]):
    """The texts of a task page; becomes a `Codebook`."""

    language = serializers.ChoiceField(choices=list(languages().items()))
    question = serializers.CharField(max_length=120)
    instructions = serializers.CharField(max_length=1_000)
    categories = CategoriesShape()

    def to_internal_value(self, data: Any) -> Any:
        texts = super().to_internal_value(data)
        try:
            return Codebook.from_json(texts)
        except CodebookError as error:
            raise serializers.ValidationError(str(error)) from None


class NewBatchShape(serializers.Serializer[Any]):
    """The terms of a batch, with a pool or with queries; what is left out has a default."""

    name = serializers.CharField(max_length=100)
    study = _StudyField(
        required=False,
        allow_null=True,
        help_text="Needed for queries; a pool knows its study. Without one, only staff see it.",
    )
    pool = _PoolField(required=False, allow_null=True)
    queries = serializers.ListField(
        child=QueryTextShape(), required=False, max_length=_MOST_QUERIES
    )
    reward = serializers.DecimalField(**MONEY, min_value=0, default=BatchPlan.reward)
    budget = serializers.DecimalField(**MONEY, min_value=0, required=False, allow_null=True)
    assignments_per_hit = serializers.IntegerField(min_value=1, max_value=_MOST, default=3)
    queries_per_hit = serializers.IntegerField(min_value=1, max_value=_MOST, default=10)
    lifetime_seconds = serializers.IntegerField(
        min_value=30, max_value=_YEAR, default=BatchPlan.lifetime_seconds
    )
    duration_seconds = serializers.IntegerField(
        min_value=30, max_value=_YEAR, default=BatchPlan.duration_seconds
    )
    auto_approval_seconds = serializers.IntegerField(
        min_value=0, max_value=30 * _DAY, default=BatchPlan.auto_approval_seconds
    )
    seed = serializers.IntegerField(min_value=0, max_value=_LARGEST_SEED, default=0)
    title = serializers.CharField(max_length=128, default=BatchPlan.title)
    description = serializers.CharField(max_length=2_000, default=BatchPlan.description)
    keywords = serializers.CharField(max_length=1_000, default=BatchPlan.keywords)
    consent = serializers.CharField(max_length=20_000, allow_blank=True, default="")
    contact = serializers.CharField(
        max_length=200, allow_blank=True, default="", help_text="Whom workers may write to."
    )
    language = serializers.ChoiceField(
        choices=list(languages().items()),
        default="en",
        help_text="Of the task page with the standard codebook.",
    )
    codebook = CodebookShape(
        required=False, help_text="Instead of `language`: question, definitions and examples."
    )
    conditions = ConditionsShape(required=False)
    comprehension = serializers.ListField(child=QueryTextShape(), required=False, max_length=_MOST)
    exclude_labelled = serializers.BooleanField(
        default=False, help_text="Leave out queries that have a label in the study already."
    )
    new_only = serializers.BooleanField(
        default=False,
        help_text="Leave out queries that an earlier batch of the study, or of the pool, has.",
    )
    adaptive = RedundancyShape(
        required=False, allow_null=True, help_text="Needs `assignments_per_hit` to be 2."
    )
    dry_run = serializers.BooleanField(
        default=False, help_text="Store nothing; answer with the plan and its cost."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs.get("pool")) == bool(attrs.get("queries")):
            raise serializers.ValidationError("Give a pool or queries, and not both.")
        if attrs.get("adaptive") and attrs["assignments_per_hit"] != FIRST:
            raise serializers.ValidationError(
                {"assignments_per_hit": f"Adaptive votes begin with {FIRST} workers."}
            )
        return attrs


class PayShape(serializers.Serializer[PayEstimate]):
    """Pay of an hour at the median pace of earlier answers by people."""

    n_answers = serializers.IntegerField()
    seconds_per_query = serializers.FloatField()
    usd_per_hour = serializers.DecimalField(**MONEY)
    floor = serializers.FloatField(help_text="Below this the batch underpays.")
    is_low = serializers.BooleanField()


class PlanShape(serializers.Serializer[Any]):
    """What the batch would be, and cost. Nothing is stored."""

    name = serializers.CharField()
    environment = serializers.ChoiceField(choices=Environment.choices)
    n_queries = serializers.IntegerField()
    n_hits = serializers.IntegerField()
    rewards = serializers.DecimalField(**MONEY)
    fees = serializers.DecimalField(**MONEY)
    cost = serializers.DecimalField(**MONEY)
    pay = PayShape(allow_null=True)


def plan_of(terms: Mapping[str, Any], study: Study | None) -> BatchPlan:
    """The batch of `study` as it would be; `InputError` if it cannot be."""
    pool = terms.get("pool")
    queries = queries_of_pool(pool) if pool else _queries(terms["queries"])
    if terms["new_only"]:
        queries = without_batched(queries, pool=pool, study=study)
    kept: dict[str, Any] = {name: terms.get(name) for name in _TERMS}
    plan = BatchPlan(
        queries=without_labelled(queries, study=study) if terms["exclude_labelled"] else queries,
        conditions=WorkerConditions.from_json(terms.get("conditions", {})),
        comprehension=_queries(terms.get("comprehension", [])),
        texts=PageTexts(
            terms.get("codebook") or standard_codebook(terms["language"]),
            terms["consent"],
            terms["contact"],
        ),
        **kept,
    )
    plan.check()
    return plan


def redundancy_of_terms(terms: Mapping[str, Any]) -> RedundancyTerms | None:
    """How to ask adaptively, where that is wanted."""
    return RedundancyTerms(**terms["adaptive"]) if terms.get("adaptive") else None


def plan_shown(plan: BatchPlan, batches: QuerySet[Batch]) -> dict[str, Any]:
    """What `PlanShape` shows; `batches` tell how long people take."""
    return {
        "name": plan.name,
        "environment": settings.MTURK_ENVIRONMENT,
        "n_queries": len(plan.queries),
        "n_hits": plan.n_hits,
        "rewards": plan.rewards,
        "fees": plan.cost - plan.rewards,
        "cost": plan.cost,
        "pay": hourly_estimate(
            batches=batches,
            reward=plan.reward,
            queries_per_hit=plan.queries_per_hit,
            floor=settings.MTURK_HOURLY_FLOOR,
        ),
    }


def _queries(given: list[dict[str, str]]) -> list[PlannedQuery]:
    return [PlannedQuery(one["qid"], one["text"], one["gold"]) for one in given]
