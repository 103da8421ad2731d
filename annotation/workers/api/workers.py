"""The workers of a batch, and decisions about them."""

from typing import Any

from django.http import Http404
from rest_framework import generics, serializers

from annotation.api.access import BatchView
from annotation.api.schema import REFUSAL, listing, reading
from annotation.api.serializers import PairFields, RowSerializer
from annotation.batches.queries.answers import (
    Answer,
    GivenVote,
    QuestionQuality,
    WorkerDetail,
    worker_detail,
    worker_of,
)
from annotation.batches.queries.workers import WorkerRow, batch_workers
from annotation.models import Worker
from annotation.vocabulary import AssignmentState, WorkerKind
from metrics.errors import InputError
from metrics.votes.workers import WorkerQuality

_COLUMNS = ("worker", "votes", "share", "gold", "majority", "others", "run", "seconds", "pay")
_ORDERS = [sign + name for name in _COLUMNS for sign in ("", "-")]


class WorkerQualitySerializer(RowSerializer[WorkerQuality]):
    """Quality of one worker's votes. Times are seconds for a query; null is not known."""

    class Meta:
        dataclass = WorkerQuality
        exclude = ("worker",)


class WorkerSerializer(RowSerializer[WorkerRow]):
    """A worker under a pseudonym; `set_aside` is the reason why the votes do not count, or ""."""

    kind = serializers.ChoiceField(choices=WorkerKind.choices)
    quality = WorkerQualitySerializer()

    class Meta:
        dataclass = WorkerRow


class WorkersRequest(serializers.Serializer[Any]):
    order = serializers.ChoiceField(
        choices=_ORDERS, default="-votes", help_text="A column; with a minus from the largest."
    )


class GivenVoteSerializer(PairFields, RowSerializer[GivenVote]):
    class Meta:
        dataclass = GivenVote
        exclude = ("answers", "known")


class QuestionQualitySerializer(RowSerializer[QuestionQuality]):
    """Quality of one worker's answers to one question of a scheme."""

    quality = WorkerQualitySerializer()

    class Meta:
        dataclass = QuestionQuality
        exclude = ("title",)


class AnswerSerializer(RowSerializer[Answer]):
    """An answer to a HIT; money in US dollars, the cost with its fee."""

    state = serializers.ChoiceField(choices=AssignmentState.choices)
    votes = GivenVoteSerializer(many=True)

    class Meta:
        dataclass = Answer


class WorkerDetailSerializer(RowSerializer[WorkerDetail]):
    """A worker and the first 200 of their `n_answers` answers."""

    row = WorkerSerializer()
    questions = QuestionQualitySerializer(many=True)
    answers = AnswerSerializer(many=True)

    class Meta:
        dataclass = WorkerDetail


@listing("batch_workers", WorkerSerializer, Worker, parameters=[WorkersRequest])
class BatchWorkers(BatchView, generics.ListAPIView[Worker]):
    """The workers of a batch, with signs of good or bad work."""

    def get_queryset(self) -> Any:
        return batch_workers(batch=self.batch, **self.query_parameters())


class BatchWorker(BatchView):
    @reading(
        "batch_worker",
        WorkerDetailSerializer,
        responses={200: WorkerDetailSerializer, **REFUSAL},
    )
    def get(self, worker: int, **_: Any) -> Any:
        """One worker, with their answers and votes."""
        try:
            # The API identifies workers by number, so that it reveals no id.
            worker_of(batch=self.batch, number=worker)
        except InputError:
            raise Http404 from None
        return worker_detail(batch=self.batch, number=worker)
