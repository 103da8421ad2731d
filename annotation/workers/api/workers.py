"""The workers of a batch, and what a person decides about them."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.agreement.workers import WorkerQuality
from annotation.api.access import BatchView
from annotation.api.schema import REFUSAL, listing
from annotation.api.serializers import CATEGORIES, MONEY
from annotation.batches.queries.answers import (
    Answer,
    GivenVote,
    WorkerDetail,
    worker_detail,
    worker_of,
)
from annotation.batches.queries.workers import WorkerRow, batch_workers
from annotation.models import Worker
from annotation.vocabulary import AssignmentState, WorkerKind
from metrics.errors import InputError

_COLUMNS = ("worker", "votes", "share", "gold", "majority", "others", "run", "seconds", "pay")
_ORDERS = [sign + name for name in _COLUMNS for sign in ("", "-")]


class WorkerQualitySerializer(DataclassSerializer[WorkerQuality]):
    """What one worker's votes show. Times are seconds for a query; null is not known."""

    class Meta:
        dataclass = WorkerQuality
        exclude = ("worker",)


class WorkerSerializer(DataclassSerializer[WorkerRow]):
    """A worker under a pseudonym; `set_aside` is the reason why the votes do not count, or ""."""

    kind = serializers.ChoiceField(choices=WorkerKind.choices)
    quality = WorkerQualitySerializer()
    usd_per_hour = serializers.DecimalField(**MONEY, allow_null=True)

    class Meta:
        dataclass = WorkerRow


class WorkersRequest(serializers.Serializer[Any]):
    order = serializers.ChoiceField(
        choices=_ORDERS, default="-votes", help_text="A column; with a minus from the largest."
    )


class GivenVoteSerializer(DataclassSerializer[GivenVote]):
    category = serializers.ChoiceField(choices=CATEGORIES)

    class Meta:
        dataclass = GivenVote


class AnswerSerializer(DataclassSerializer[Answer]):
    """An answer to a HIT; money in US dollars, the cost with its fee."""

    state = serializers.ChoiceField(choices=AssignmentState.choices)
    cost = serializers.DecimalField(**MONEY)
    bonuses = serializers.DecimalField(**MONEY)
    votes = GivenVoteSerializer(many=True)

    class Meta:
        dataclass = Answer


class WorkerDetailSerializer(DataclassSerializer[WorkerDetail]):
    """A worker and the first 200 of their `n_answers` answers."""

    row = WorkerSerializer()
    answers = AnswerSerializer(many=True)

    class Meta:
        dataclass = WorkerDetail


@listing("batch_workers", parameters=[WorkersRequest])
class BatchWorkers(BatchView, generics.ListAPIView[Worker]):
    """The workers of a batch, and what speaks for or against each."""

    serializer_class = WorkerSerializer
    queryset = Worker.objects.none()

    def get_queryset(self) -> Any:
        return batch_workers(batch=self.batch, **self.query_parameters(WorkersRequest))


class BatchWorker(BatchView):
    @extend_schema(operation_id="batch_worker", responses={200: WorkerDetailSerializer, **REFUSAL})
    def get(self, _request: Request, worker: int, **_: Any) -> Response:
        """One worker, with their answers and votes."""
        _worker(self, worker)
        return Response(WorkerDetailSerializer(worker_detail(batch=self.batch, number=worker)).data)


def _worker(view: BatchView, number: int) -> Worker:
    """The API knows a worker by number, so that no id leaves the house."""
    try:
        return worker_of(batch=view.batch, number=number)
    except InputError:
        raise Http404 from None
