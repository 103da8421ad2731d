"""What annotators asked the requester of a batch."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import BatchView
from annotation.api.schema import CROWD
from annotation.batches.operations.channels import Inquiry, batch_inquiries, has_channels
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


class Messages(BatchView, generics.GenericAPIView[Batch]):
    required_actions = {"GET": Action.MANAGE}
    queryset = Batch.objects.none()

    @extend_schema(
        operation_id="batch_messages",
        responses={**CROWD, 200: MessageSerializer(many=True)},
        filters=False,
    )
    def get(self, _request: Request, **_: Any) -> Response:
        """What annotators of our own crowd service asked, the oldest first.

        The crowd service is asked; a batch on Mechanical Turk has no messages here.
        """
        found = batch_inquiries(self.batch) if has_channels(self.batch) else []
        page: Any = self.paginate_queryset(found)
        return self.get_paginated_response(
            MessageSerializer(_shown(self.batch, page), many=True).data
        )


def _shown(batch: Batch, inquiries: list[Inquiry]) -> list[dict[str, Any]]:
    """The messages with workers and HITs as the rest of the API names them."""
    names = worker_names(batch=batch)
    known = Worker.objects.filter(pk__in=names, environment=batch.environment)
    workers = dict(known.values_list("worker_id", "pk"))
    hits = dict(HIT.objects.filter(batch=batch).values_list("hit_id", "index"))
    return [
        {
            "inquiry": one.inquiry_id,
            "worker": names.get(workers.get(one.worker_id, 0)),
            "worker_number": workers.get(one.worker_id),
            "hit_index": hits.get(one.hit_id),
            "text": one.text,
            "asked_at": one.asked_at,
            "answer": one.answer,
            "answered_at": one.answered_at,
        }
        for one in inquiries
    ]
