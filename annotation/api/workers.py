"""The workers of a batch, and what a person decides about them."""

from collections.abc import Callable
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.agreement.workers import WorkerQuality
from annotation.api.access import BatchView
from annotation.api.schema import REFUSAL, example, listing
from annotation.api.shapes import CATEGORIES, MONEY, ReasonShape
from annotation.models import Worker
from annotation.selectors.answers import Answer, GivenVote, WorkerDetail, worker_detail, worker_of
from annotation.selectors.workers import WorkerRow, batch_workers
from annotation.services.forgetting import Forgotten, worker_forget_beside
from annotation.services.kept_out import worker_keep_out, worker_let_in
from annotation.services.quality import worker_bring_back, worker_set_aside
from annotation.tasks import task_send
from annotation.vocabulary import AssignmentState, TaskKind, WorkerKind
from metrics.errors import InputError

_COLUMNS = ("worker", "votes", "share", "gold", "majority", "others", "run", "seconds", "pay")
_ORDERS = [sign + name for name in _COLUMNS for sign in ("", "-")]


class WorkerQualityShape(DataclassSerializer[WorkerQuality]):
    """What one worker's votes show. Times are seconds for a query; null is not known."""

    class Meta:
        dataclass = WorkerQuality
        exclude = ("worker",)


class WorkerShape(DataclassSerializer[WorkerRow]):
    """A worker under a pseudonym; `set_aside` is the reason why the votes do not count, or ""."""

    kind = serializers.ChoiceField(choices=WorkerKind.choices)
    quality = WorkerQualityShape()
    usd_per_hour = serializers.DecimalField(**MONEY, allow_null=True)

    class Meta:
        dataclass = WorkerRow


class WorkersAsked(serializers.Serializer[Any]):
    order = serializers.ChoiceField(
        choices=_ORDERS, default="-votes", help_text="A column; with a minus from the largest."
    )


class GivenVoteShape(DataclassSerializer[GivenVote]):
    category = serializers.ChoiceField(choices=CATEGORIES)

    class Meta:
        dataclass = GivenVote


class AnswerShape(DataclassSerializer[Answer]):
    """An answer to a HIT; money in US dollars, the cost with its fee."""

    state = serializers.ChoiceField(choices=AssignmentState.choices)
    cost = serializers.DecimalField(**MONEY)
    bonuses = serializers.DecimalField(**MONEY)
    votes = GivenVoteShape(many=True)

    class Meta:
        dataclass = Answer


class WorkerDetailShape(DataclassSerializer[WorkerDetail]):
    """A worker and the first 200 of their `n_answers` answers."""

    row = WorkerShape()
    answers = AnswerShape(many=True)

    class Meta:
        dataclass = WorkerDetail


@listing("batch_workers", parameters=[WorkersAsked])
class BatchWorkers(BatchView, generics.ListAPIView[Worker]):
    """The workers of a batch, and what speaks for or against each."""

    serializer_class = WorkerShape
    queryset = Worker.objects.none()

    def get_queryset(self) -> Any:
        return batch_workers(batch=self.batch, **self.asked(WorkersAsked))


class BatchWorker(BatchView):
    @extend_schema(operation_id="batch_worker", responses={200: WorkerDetailShape, **REFUSAL})
    def get(self, _request: Request, worker: int, **_: Any) -> Response:
        """One worker, with their answers and votes."""
        _worker(self, worker)
        return Response(WorkerDetailShape(worker_detail(batch=self.batch, number=worker)).data)


class WorkerAct(BatchView):
    """What a person decides about a worker, with a reason that the log keeps."""

    def post(self, _request: Request, worker: int, **_: Any) -> Response:
        reason = self.given(ReasonShape)["reason"]
        self.decide(_worker(self, worker), reason)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def decide(self, worker: Worker, reason: str) -> None:
        raise NotImplementedError

    def tell_the_crowd(self) -> None:
        task_send(kind=TaskKind.KEEP_OUT, batch_id=self.batch.pk, actor=self.actor)


def worker_act(operation_id: str, reason: str) -> Callable[[type[WorkerAct]], type[WorkerAct]]:
    """Documents a decision about a worker."""

    def decorate(view: type[WorkerAct]) -> type[WorkerAct]:
        documented = extend_schema(
            operation_id=operation_id,
            request=ReasonShape,
            responses={204: None},
            description=view.__doc__,
            examples=[example({"reason": reason})],
        )
        return extend_schema_view(post=documented)(view)

    return decorate


@worker_act("worker_set_aside", "Right on 1 of 9 check queries.")
class SetAside(WorkerAct):
    """The worker's votes do not count any more; decided labels are decided again."""

    def decide(self, worker: Worker, reason: str) -> None:
        name = worker.worker_id
        worker_set_aside(batch=self.batch, worker_id=name, reason=reason, actor=self.actor)


@worker_act("worker_bring_back", "The check queries were wrong.")
class BringBack(WorkerAct):
    """The worker's votes count again; decided labels are decided again."""

    def decide(self, worker: Worker, reason: str) -> None:
        name = worker.worker_id
        worker_bring_back(batch=self.batch, worker_id=name, reason=reason, actor=self.actor)


@worker_act("worker_keep_out", "Answered each page within two seconds.")
class KeepOut(WorkerAct):
    """The worker gets no further HIT of this batch, as soon as the crowd knows."""

    def decide(self, worker: Worker, reason: str) -> None:
        worker_keep_out(batch=self.batch, worker=worker, reason=reason, actor=self.actor)
        self.tell_the_crowd()


@worker_act("worker_let_in", "Has read the instructions again.")
class LetIn(WorkerAct):
    """The worker may go on, as soon as the crowd knows."""

    def decide(self, worker: Worker, reason: str) -> None:
        worker_let_in(batch=self.batch, worker=worker, reason=reason, actor=self.actor)
        self.tell_the_crowd()


class ForgottenShape(DataclassSerializer[Forgotten]):
    """What stays, under another name."""

    class Meta:
        dataclass = Forgotten


class Forget(BatchView):
    @extend_schema(operation_id="worker_forget", request=None, responses=ForgottenShape)
    def post(self, _request: Request, worker: int, **_: Any) -> Response:
        """Delete the worker's personal data in the study, for good; votes and money stay."""
        done = worker_forget_beside(
            worker=_worker(self, worker), batch=self.batch, actor=self.actor
        )
        return Response(ForgottenShape(done).data)


def _worker(view: BatchView, number: int) -> Worker:
    """The API knows a worker by number, so that no id leaves the house."""
    try:
        return worker_of(batch=view.batch, number=number)
    except InputError:
        raise Http404 from None
