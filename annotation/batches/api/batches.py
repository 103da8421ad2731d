"""Batches and how far they are."""

from typing import Any, ClassVar

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.api.access import ApiView, BatchView, check_leave
from annotation.api.schema import example
from annotation.api.shapes import MONEY
from annotation.batches.api.creating import (
    NEW_BATCH,
    NewBatchShape,
    PlanShape,
    plan_of,
    plan_shown,
    redundancy_of_terms,
)
from annotation.batches.operations.making import batch_make
from annotation.batches.operations.preflight import cost_to_come
from annotation.batches.queries.batches import (
    BatchProgress,
    batch_progress,
    batch_progress_list,
    batch_seconds_left,
)
from annotation.batches.queries.pay import HourlyPay, hourly_pay
from annotation.core.access import batches_open_to, study_of_pool
from annotation.core.task_progress import tasks_to_tell
from annotation.models import Batch
from annotation.overview.api.tasks import TaskShape
from annotation.vocabulary import Action, BatchState, Environment

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
    "n_votes": 6000,
    "n_votes_expected": 11820,
    "n_votes_simulated": 0,
    "n_votes_model": 0,
    "n_workers": 41,
    "budget": "400.00",
    "committed": "354.60",
    "spent": "120.30",
}


class ProgressShape(DataclassSerializer[BatchProgress]):
    """A batch in numbers. Money is in US dollars, fees included."""

    environment = serializers.ChoiceField(choices=Environment.choices)
    state = serializers.ChoiceField(choices=BatchState.choices)
    budget = serializers.DecimalField(**MONEY, allow_null=True)
    committed = serializers.DecimalField(**MONEY)
    spent = serializers.DecimalField(**MONEY)

    class Meta:
        dataclass = BatchProgress


class TermsShape(serializers.ModelSerializer[Batch]):
    """What the batch asks of its workers, and offers them."""

    conditions = serializers.DictField()
    comprehension = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField())
    )

    class Meta:
        model = Batch
        fields = (
            "study", "pool", "title", "description", "keywords", "reward", "budget",
            "assignments_per_hit", "queries_per_hit", "lifetime_seconds", "duration_seconds",
            "auto_approval_seconds", "seed", "conditions", "comprehension", "consent", "created_at",
        )  # fmt: skip


class HourlyPayShape(DataclassSerializer[HourlyPay]):
    """What people earned so far; null before anybody has answered."""

    usd_per_hour = serializers.DecimalField(**MONEY, allow_null=True)

    class Meta:
        dataclass = HourlyPay


class BatchShape(serializers.Serializer[Any]):
    """A batch with its terms, and what it has cost and is still to cost."""

    progress = ProgressShape()
    terms = TermsShape()
    pay = HourlyPayShape()
    cost_to_come = serializers.DecimalField(
        **MONEY, help_text="US dollars of the HITs that were not sent yet, fees included."
    )


class LiveShape(serializers.Serializer[Any]):
    """What changes while answers come in."""

    progress = ProgressShape()
    seconds_left = serializers.FloatField(
        allow_null=True, help_text="At the pace so far; null where there is none."
    )
    tasks = TaskShape(many=True, help_text="The latest of each kind that runs, waits or failed.")


class Batches(ApiView, generics.GenericAPIView[Batch]):
    queryset = Batch.objects.none()
    filterset_fields: ClassVar[list[str]] = ["state", "environment", "study", "pool", "name"]

    def get_queryset(self) -> QuerySet[Batch]:
        opened = batches_open_to(user=self.request.user, action=Action.VIEW)
        return opened.order_by("-created_at", "name")

    @extend_schema(operation_id="batches", responses=ProgressShape(many=True))
    def get(self, _request: Request) -> Response:
        """How far each batch is that you may see, the latest first."""
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        numbers = [batch.pk for batch in page or []]
        chosen = Batch.objects.filter(pk__in=numbers).order_by("-created_at", "name")
        shown = ProgressShape(batch_progress_list(batches=chosen), many=True)
        return self.get_paginated_response(shown.data)

    @extend_schema(
        operation_id="batch_create",
        request=NewBatchShape,
        responses={201: BatchShape, 200: PlanShape},
        examples=[example(NEW_BATCH)],
        filters=False,
    )
    def post(self, request: Request) -> Response:
        """Store a batch as a draft (201), or only plan and price it (200, with `dry_run`).

        Nothing is published, and nothing spent, before `batch_publish` is asked for.
        """
        terms = self.given(NewBatchShape)
        study = terms.get("study") or (study_of_pool(terms["pool"]) if terms.get("pool") else None)
        check_leave(user=request.user, study=study, action=Action.MANAGE)
        plan = plan_of(terms, study)
        if terms["dry_run"]:
            opened = batches_open_to(user=request.user, action=Action.VIEW)
            return Response(PlanShape(plan_shown(plan, opened)).data)
        environment = settings.MTURK_ENVIRONMENT
        batch = batch_make(
            plan=plan,
            environment=environment,
            actor=self.actor,
            study=study,
            redundancy=redundancy_of_terms(terms),
        )
        return Response(_shown(batch), status=status.HTTP_201_CREATED)


class BatchDetail(BatchView):
    @extend_schema(operation_id="batch", responses=BatchShape)
    def get(self, _request: Request, **_: Any) -> Response:
        """One batch: its numbers, its terms, its money."""
        return Response(_shown(self.batch))


class BatchProgressNow(BatchView):
    @extend_schema(
        operation_id="batch_progress",
        responses=LiveShape,
        examples=[
            example({"progress": _PROGRESS, "seconds_left": 5400.0, "tasks": []}, of="response")
        ],
    )
    def get(self, _request: Request, **_: Any) -> Response:
        """How far one batch is; light enough to be asked every few seconds."""
        shown = {
            "progress": batch_progress(batch=self.batch),
            "seconds_left": batch_seconds_left(batch=self.batch),
            "tasks": tasks_to_tell(batch=self.batch),
        }
        return Response(LiveShape(shown).data)


def _shown(batch: Batch) -> Any:
    found = {
        "progress": batch_progress(batch=batch),
        "terms": batch,
        "pay": hourly_pay(batch=batch),
        "cost_to_come": cost_to_come(batch),
    }
    return BatchShape(found).data
