"""Annotators' questions to the requester of a batch."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import BatchView
from annotation.api.paging import Pages
from annotation.batches.operations.channels import Inquiry, stored_snapshot
from annotation.labels.queries.pseudonyms import worker_names
from annotation.models import HIT, Batch, Worker
from annotation.vocabulary import Action


class MessageSerializer(serializers.Serializer[Any]):
    """A message to the requester; `answer` is empty until somebody has answered.

    `worker` and its number are null until an answer of the worker was collected: then they are
    those of exported files.
    """

    inquiry = serializers.CharField(help_text="Its id, to answer it.")
    worker = serializers.CharField(allow_null=True)
    worker_number = serializers.IntegerField(allow_null=True)
    hit_index = serializers.IntegerField(
        allow_null=True, help_text="Place of the HIT in the batch, from 0."
    )
    text = serializers.CharField()
    asked_at = serializers.DateTimeField()
    answer = serializers.CharField(allow_blank=True)
    answered_at = serializers.DateTimeField(allow_null=True)


class MessagePages(Pages):
    """A page of messages; `as_of` is the time at which they were read from the crowd service."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        paged = super().get_paginated_response_schema(schema)
        paged["properties"]["as_of"] = {
            "type": "string",
            "format": "date-time",
            "nullable": True,
            "description": "When they were read; null where they were not yet.",
        }
        return paged


class Messages(BatchView, generics.GenericAPIView[Batch]):
    required_actions = {"GET": Action.MANAGE}
    queryset = Batch.objects.none()
    pagination_class = MessagePages

    @extend_schema(
        operation_id="batch_messages",
        responses={200: MessageSerializer(many=True)},
        filters=False,
    )
    def get(self, _request: Request, **_: Any) -> Response:
        """Questions of annotators of our own crowd service, the oldest first.

        They were read at `as_of`; `refresh` reads them again. A batch on Mechanical Turk has no
        messages here.
        """
        snapshot = stored_snapshot(self.batch)
        page: Any = self.paginate_queryset(snapshot.inquiries)
        messages = MessageSerializer(_describe(self.batch, page), many=True)
        response = self.get_paginated_response(messages.data)
        response.data["as_of"] = snapshot.at
        return response


def _describe(batch: Batch, inquiries: list[Inquiry]) -> list[dict[str, Any]]:
    """Return the messages with the API's names of workers and HITs."""
    names = worker_names(batch=batch)
    known = Worker.objects.filter(pk__in=names, environment=batch.environment)
    workers = dict(known.values_list("worker_id", "pk"))
    hits = dict(HIT.objects.filter(batch=batch).values_list("hit_id", "index"))
    return [
        {
            "inquiry": inquiry.inquiry_id,
            "worker": names.get(workers.get(inquiry.worker_id, 0)),
            "worker_number": workers.get(inquiry.worker_id),
            "hit_index": hits.get(inquiry.hit_id),
            "text": inquiry.text,
            "asked_at": inquiry.asked_at,
            "answer": inquiry.answer,
            "answered_at": inquiry.answered_at,
        }
        for inquiry in inquiries
    ]
