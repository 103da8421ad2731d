"""Batches and their progress."""

from typing import Any, ClassVar

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import BatchView
from annotation.api.operation_views import OperationView, body_of, does
from annotation.api.schema import example, reading
from annotation.api.serializers import MoneyField, RowSerializer, TaskSerializer
from annotation.batches.operations.create import CREATE_BATCH, BatchEstimate
from annotation.batches.operations.preflight import cost_to_come
from annotation.batches.queries.batches import (
    BatchProgress,
    batch_progress,
    batch_progress_list,
    batch_seconds_left,
)
from annotation.batches.queries.pay import HourlyPay, PayEstimate, hourly_estimate, hourly_pay
from annotation.core.access import batches_open_to, is_staff, studies_open_to
from annotation.core.operations import Result
from annotation.core.task_progress import tasks_to_tell
from annotation.models import Batch, Study
from annotation.vocabulary import Action, BatchState, Environment

_NEW_BATCH = {
    "name": "first",
    "pool": 1,
    "reward": "0.25",
    "assignments_per_hit": 3,
    "queries_per_hit": 10,
    "budget": "400.00",
    "dry_run": True,
}
_PROGRESS = {
    "number": 3,
    "name": "first",
    "environment": "local",
    "environment_name": "Local crowd service",
    "state": "published",
    "state_name": "Published",
    "n_queries": 3940,
    "n_hits": 394,
    "n_hits_published": 394,
    "n_hits_unknown": 0,
    "n_hits_refused": 0,
    "n_assignments": 600,
    "n_assignments_expected": 1182,
    "n_quarantined": 0,
    "n_missing": 0,
    "places": {"unpublished": 0, "open": 580, "held": 2, "submitted": 600, "withdrawn": 0},
    "votes": {
        "counted": 5980,
        "cannot_tell": 12,
        "unverified": 8,
        "not_approved": 0,
        "discarded": 0,
        "rejected": 0,
        "repeated": 0,
        "unreadable": 0,
        "to_come": 5820,
        "withdrawn": 0,
    },
    "n_votes": 5980,
    "n_cannot_tell": 12,
    "n_not_counted": 8,
    "n_votes_expected": 11820,
    "n_votes_simulated": 0,
    "n_votes_model": 0,
    "n_workers": 41,
    "budget": "400.00",
    "committed": "354.60",
    "spent": "120.30",
    "unused": "0.00",
    "spent_here": "0.00",
    "spent_on_prolific": "120.30",
    "prolific_currency": "USD",
}
_LIVE = {"progress": _PROGRESS, "seconds_left": 5400.0, "tasks": []}


class ProgressSerializer(RowSerializer[BatchProgress]):
    """A batch in numbers. Money is in US dollars, fees included."""

    environment = serializers.ChoiceField(choices=Environment.choices)
    state = serializers.ChoiceField(choices=BatchState.choices)

    class Meta:
        dataclass = BatchProgress
        exclude = ("item_noun",)


class TermsSerializer(serializers.ModelSerializer[Batch]):
    """Terms and conditions of the batch for its workers."""

    conditions = serializers.DictField()
    comprehension = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField())
    )

    class Meta:
        model = Batch
        fields = (
            "study", "pool", "title", "description", "keywords", "reward", "budget",
            "assignments_per_hit", "queries_per_hit", "lifetime_seconds", "duration_seconds",
            "auto_approval_seconds", "seed", "conditions", "comprehension",
            "comprehension_question", "consent", "suggested_by", "created_at",
        )  # fmt: skip


class HourlyPaySerializer(RowSerializer[HourlyPay]):
    """Earnings so far; null before anybody has answered.

    With `is_implausible` the median answer was too fast to have been read: the number is not a
    wage.
    """

    class Meta:
        dataclass = HourlyPay


class BatchSerializer(serializers.Serializer[Any]):
    """A batch with its terms, and what it has cost and is still to cost."""

    progress = ProgressSerializer()
    terms = TermsSerializer()
    pay = HourlyPaySerializer()
    cost_to_come = MoneyField(
        help_text="US dollars of the HITs that were not sent yet, fees included."
    )


class LiveSerializer(serializers.Serializer[Any]):
    """Progress: the part that changes while answers come in."""

    progress = ProgressSerializer()
    seconds_left = serializers.FloatField(
        allow_null=True, help_text="At the pace so far; null where there is none."
    )
    tasks = TaskSerializer(
        many=True, help_text="The latest of each kind that runs, waits or failed."
    )


@extend_schema_field(OpenApiTypes.INT)
class _StudyField(serializers.PrimaryKeyRelatedField[Study]):
    def get_queryset(self) -> QuerySet[Study]:
        return studies_open_to(user=self.context["user"], action=Action.MANAGE)


class NewBatchSerializer(body_of(CREATE_BATCH)):  # type: ignore[misc] # derived
    """The terms of a batch, with a pool or with queries; what is left out has a default."""

    study = _StudyField(
        default=None,
        allow_null=True,
        help_text="Needed for queries, but by staff, who get a new one; a pool knows its study.",
    )


class PaySerializer(serializers.Serializer[PayEstimate]):
    """Pay of an hour at the median pace of earlier answers by people."""

    n_answers = serializers.IntegerField()
    n_implausible = serializers.IntegerField(
        help_text="Answers that are left out: nobody reads so fast."
    )
    seconds_per_query = serializers.FloatField()
    usd_per_hour = MoneyField()
    floor = serializers.FloatField(help_text="Below this the batch underpays.")
    is_low = serializers.BooleanField()


class PlanSerializer(serializers.Serializer[Any]):
    """The planned batch and its cost. Nothing is stored."""

    name = serializers.CharField()
    environment = serializers.ChoiceField(choices=Environment.choices)
    n_queries = serializers.IntegerField()
    n_hits = serializers.IntegerField()
    rewards = MoneyField()
    fees = MoneyField()
    cost = MoneyField()
    pay = PaySerializer(allow_null=True)


@does(
    CREATE_BATCH,
    "batch_create",
    shape=NewBatchSerializer,
    responses={201: BatchSerializer, 200: PlanSerializer},
    sample=_NEW_BATCH,
)
class Batches(OperationView, generics.GenericAPIView[Batch]):
    queryset = Batch.objects.none()
    filterset_fields: ClassVar[list[str]] = ["state", "environment", "study", "pool", "name"]

    def get_queryset(self) -> QuerySet[Batch]:
        opened = batches_open_to(user=self.request.user, action=Action.VIEW)
        return opened.order_by("-created_at", "name")

    @extend_schema(operation_id="batches", responses=ProgressSerializer(many=True))
    def get(self, _request: Request) -> Response:
        """Progress of each batch that you may see, the latest first."""
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        numbers = [batch.pk for batch in page or []]
        chosen = Batch.objects.filter(pk__in=numbers).order_by("-created_at", "name")
        progress = ProgressSerializer(batch_progress_list(batches=chosen), many=True)
        return self.get_paginated_response(progress.data)

    def subject(self, **_place: Any) -> Study | None:
        """The study that is named, or that of the pool."""
        pool = self.body["pool"]
        study: Study | None = self.body["study"] or (pool.belongs.study if pool else None)
        if study is None and not is_staff(self.request.user):
            needed = "Name a pool, or the study that the queries belong to."
            raise serializers.ValidationError({"study": [needed]})
        return study

    def shown_estimate(self, estimated: BatchEstimate) -> Any:  # type: ignore[override]
        plan = estimated.plan
        opened = batches_open_to(user=self.request.user, action=Action.VIEW)
        members = {
            "name": plan.name,
            "environment": settings.MTURK_ENVIRONMENT,
            "n_queries": estimated.n_queries,
            "n_hits": estimated.n_hits,
            "rewards": plan.rewards,
            "fees": plan.cost - plan.rewards,
            "cost": plan.cost,
            "pay": hourly_estimate(terms=plan, batches=opened),
        }
        return PlanSerializer(members).data

    def answer(self, done: Result) -> Response:
        members = BatchSerializer(_facts(done.made)).data
        return Response(members, status=status.HTTP_201_CREATED)


class BatchDetail(BatchView):
    @reading("batch", BatchSerializer)
    def get(self, **_: Any) -> Any:
        """One batch: its numbers, its terms, its money."""
        return _facts(self.batch)


class BatchProgressNow(BatchView):
    @reading("batch_progress", LiveSerializer, examples=[example(_LIVE, of="response")])
    def get(self, **_: Any) -> Any:
        """Progress of one batch; light enough to be requested every few seconds."""
        return {
            "progress": batch_progress(batch=self.batch),
            "seconds_left": batch_seconds_left(batch=self.batch),
            "tasks": tasks_to_tell(batch=self.batch),
        }


def _facts(batch: Batch) -> dict[str, Any]:
    return {
        "progress": batch_progress(batch=batch),
        "terms": batch,
        "pay": hourly_pay(batch=batch),
        "cost_to_come": cost_to_come(batch),
    }
