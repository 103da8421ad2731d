"""The log: decisions and acts, with who made them and when."""

from typing import Any

from django.db.models import QuerySet
from rest_framework import generics, serializers

from annotation.api.access import BatchView, StudyView
from annotation.api.schema import listing
from annotation.models import AuditEvent
from annotation.overview.queries.log import pseudonymised_events


class EventSerializer(serializers.Serializer[Any]):
    """An act; a worker in its detail has a pseudonym."""

    at = serializers.DateTimeField()
    actor = serializers.CharField()
    action = serializers.CharField()
    detail = serializers.DictField()


@listing("batch_events", EventSerializer, AuditEvent)
class BatchEvents(BatchView, generics.ListAPIView[AuditEvent]):
    """The log of a batch, the latest first."""

    filterset_fields = ("action",)

    def get_queryset(self) -> QuerySet[AuditEvent]:
        return AuditEvent.objects.filter(batch=self.batch).order_by("-at", "-pk")

    def paginate_queryset(self, queryset: Any) -> Any:
        return pseudonymised_events(super().paginate_queryset(queryset) or [])


@listing("study_events", EventSerializer, AuditEvent)
class StudyEvents(StudyView, generics.ListAPIView[AuditEvent]):
    """The log of a study, without those of its batches, the latest first."""

    filterset_fields = ("action",)

    def get_queryset(self) -> QuerySet[AuditEvent]:
        return AuditEvent.objects.filter(study=self.study).order_by("-at", "-pk")
