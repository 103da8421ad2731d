"""The operations of the API: each is derived from the operation itself, see `annotation.core`."""

from copy import deepcopy
from functools import cached_property
from typing import Any, ClassVar

from django.db.models import Q
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import ApiView, BatchView, StudyView, as_problems, found
from annotation.api.schema import example
from annotation.api.serializers import VersionField
from annotation.core.consent import Estimate
from annotation.core.operations import AnyOperation, Result
from annotation.core.parameters import USD, fields_of
from annotation.core.perform import estimate
from annotation.models import Assignment, Batch, Task, Worker
from annotation.overview.api.tasks import TaskSerializer


class CostEstimateSerializer(serializers.Serializer[Any]):
    """What the operation would do and cost, in US dollars with fees. Nothing is done.

    `n_answers` answers of `n_hits` HITs are requested, paid or given a bonus; `n_queries` counts
    the queries, where only some are concerned. `version` is that of what was seen.
    """

    n_answers = serializers.IntegerField()
    n_hits = serializers.IntegerField()
    cost = serializers.DecimalField(**USD)
    n_queries = serializers.IntegerField()
    budget_left = serializers.DecimalField(
        **USD,
        allow_null=True,
        help_text="What the budgets of batch and site have room for; null without a budget.",
    )
    version = serializers.CharField(
        required=False, help_text="Of what it is about; send it with the decision."
    )


class OperationView(ApiView):
    """`POST` does `operation` to the subject of the address, or queues it."""

    operation: ClassVar[AnyOperation]
    shape: ClassVar[type[serializers.Serializer[Any]]]
    #: The parameter that the address holds, if one does.
    from_address: ClassVar[str] = ""

    def post(self, _request: Request, **place: Any) -> Response:
        subject = self.subject(**place)
        beside = self.body
        if beside["dry_run"]:
            sent = self.parameters(self.operation)
            with as_problems():
                estimated = estimate(self.operation, subject, sent, self.who)
            return Response(self.shown_estimate(estimated))
        done = self.perform(self.operation, subject, beside["agreed"], beside["version"])
        if isinstance(done, Task):
            return Response(TaskSerializer(done).data, status=status.HTTP_202_ACCEPTED)
        return self.answer(done)

    @cached_property
    def body(self) -> Any:
        """The members of the request, each checked."""
        return self.given(self.shape)

    def shown_estimate(self, estimated: Estimate) -> Any:
        """What a dry run answers with."""
        return CostEstimateSerializer(estimated).data

    def answer(self, done: Result) -> Response:
        """What is answered where something was done at once."""
        if done.values:
            return Response(done.values)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def parameters(self, operation: AnyOperation) -> dict[str, Any]:
        named = {self.from_address: self.kwargs[self.from_address]} if self.from_address else {}
        return super().parameters(operation) | named

    def subject(self, **_place: Any) -> Any:
        """What it is done to."""
        raise NotImplementedError


class BatchOperationView(OperationView, BatchView):
    def subject(self, **_place: Any) -> Any:
        return self.batch


class WorkerOperationView(OperationView, BatchView):
    def subject(self, **place: Any) -> Any:
        """The batch; the API knows a worker by number, so that no id leaves the house."""
        voted, answered = Q(votes__query__batch=self.batch), Q(assignments__hit__batch=self.batch)
        found(Worker.objects.filter(voted | answered).distinct(), place["worker"])
        return self.batch


class StudyOperationView(OperationView, StudyView):
    def subject(self, **_place: Any) -> Any:
        return self.study


class AnswerOperationView(OperationView, BatchView):
    def subject(self, **place: Any) -> Any:
        answers = Assignment.objects.select_related("worker", "hit__batch__study")
        return found(answers.filter(hit__batch=self.batch), place["assignment"])


def operation_view(
    operation: AnyOperation, operation_id: str, *, from_address: str = "", **sent: Any
) -> Any:
    """The view of an operation, documented with an example of what is `sent`."""
    bases = {Batch: BatchOperationView, Assignment: AnswerOperationView}
    base = WorkerOperationView if from_address else bases.get(operation.subject, StudyOperationView)  # type: ignore[arg-type]
    shape = body_of(operation, without=from_address)
    members = {
        "operation": operation,
        "shape": shape,
        "from_address": from_address,
        "required_actions": {"POST": operation.permission},
        "of_removed": operation.of_removed,
    }
    made: type[OperationView] = type(type(operation).__name__, (base,), members)
    # What is done at once answers with what it made, if with anything; a dry run with the estimate.
    at_once = {200: OpenApiTypes.OBJECT, 204: None}
    documented = extend_schema(
        operation_id=operation_id,
        request=shape,
        responses={202: TaskSerializer, 200: CostEstimateSerializer} if operation.job else at_once,
        description=operation.about,
        examples=[example(sent)],
    )
    return extend_schema_view(post=documented)(made).as_view()


def body_of(operation: AnyOperation, without: str = "") -> type[serializers.Serializer[Any]]:
    """The operation's parameters, and what every operation understands beside them."""
    beside = {
        "dry_run": serializers.BooleanField(
            default=False, help_text="Do nothing; answer with what it would do and cost."
        ),
        "agreed": serializers.DecimalField(
            **USD,
            default=None,
            allow_null=True,
            help_text="On Mechanical Turk, real money: the cost that `dry_run` tells.",
        ),
        "version": VersionField(),
    }
    members = {k: deepcopy(v) for k, v in fields_of(operation.parameters).items() if k != without}
    name = f"{type(operation).__name__}Request"
    return type(name, (serializers.Serializer,), {**members, **beside})
