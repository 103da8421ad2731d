"""HITs of a batch, and the answers to them."""

from typing import Any

from django.db.models import Count, QuerySet
from rest_framework import generics, serializers

from annotation.api.access import BatchView
from annotation.api.schema import listing
from annotation.api.serializers import MoneyField, NumberedSerializer
from annotation.labels.queries.pseudonyms import worker_names
from annotation.models import HIT, Assignment
from annotation.vocabulary import WorkerKind


class HITSerializer(NumberedSerializer[HIT]):
    """A page of queries; `index` is its place in the batch, from 0."""

    n_queries = serializers.IntegerField()
    n_assignments = serializers.IntegerField()
    unit_cost = MoneyField(help_text="USD of one answer with its fee.")

    class Meta:
        model = HIT
        fields = (
            "number", "index", "state", "hit_id", "n_queries", "n_assignments", "max_assignments",
            "target_answers", "unit_cost", "published_at", "expires_at", "error",
        )  # fmt: skip


class AssignmentSerializer(NumberedSerializer[Assignment]):
    """An answer to a HIT. Its worker has a pseudonym; `problem` says why it could not be read."""

    hit_index = serializers.IntegerField(source="hit.index")
    worker = serializers.SerializerMethodField()
    worker_number = serializers.IntegerField(source="worker_id")
    kind = serializers.ChoiceField(source="worker.kind", choices=WorkerKind.choices)

    class Meta:
        model = Assignment
        fields = (
            "number", "assignment_id", "hit", "hit_index", "worker", "worker_number", "kind",
            "state", "accepted_at", "submitted_at", "problem",
        )  # fmt: skip

    def get_worker(self, assignment: Assignment) -> str:
        names: dict[int, str] = self.context["names"]
        return names[assignment.worker_id]


@listing("batch_hits", HITSerializer, HIT)
class HITs(BatchView, generics.ListAPIView[HIT]):
    """The HITs of a batch in its order."""

    filterset_fields = ("state",)

    def get_queryset(self) -> QuerySet[HIT]:
        return (
            HIT.objects.filter(batch=self.batch)
            .annotate(
                n_queries=Count("places", distinct=True),
                n_assignments=Count("assignments", distinct=True),
            )
            .order_by("index")
        )


@listing("batch_assignments", AssignmentSerializer, Assignment)
class Assignments(BatchView, generics.ListAPIView[Assignment]):
    """Assignments handed in, in the order of the HITs."""

    filterset_fields = ("state", "hit", "worker")

    def get_queryset(self) -> QuerySet[Assignment]:
        answers = Assignment.objects.filter(hit__batch=self.batch)
        return answers.select_related("hit", "worker").order_by("hit__index", "pk")

    def get_serializer_context(self) -> dict[str, Any]:
        context = super().get_serializer_context()
        fake = getattr(self, "swagger_fake_view", False)
        return dict(context) if fake else {**context, "names": worker_names(batch=self.batch)}
