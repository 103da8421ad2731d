"""The operations of the API: each is derived from the operation itself, see `annotation.core`."""

from collections.abc import Callable, Container, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any, TypeVar

from django.db.models import Q
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import (
    ApiView,
    BatchView,
    StudyView,
    as_problems,
    found,
    raise_lacking,
)
from annotation.api.schema import example
from annotation.api.serializers import TaskSerializer, VersionField
from annotation.core.access import is_permitted
from annotation.core.consent import Estimate
from annotation.core.operations import AnyOperation, Result
from annotation.core.parameters import USD, AgreedField, fields_of
from annotation.core.perform import estimate, perform
from annotation.models import Assignment, Batch, Task, Worker

View = TypeVar("View", bound="OperationView")


class CostEstimateSerializer(serializers.Serializer[Any]):
    """Estimated effect and cost of an operation, in US dollars with fees. Nothing is done.

    `n_answers` answers of `n_hits` HITs are requested, paid or given a bonus; `n_queries` counts
    the queries concerned, if not all are. `version` belongs to the state that was seen.
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
        required=False, help_text="Version of what it is about; send it with the decision."
    )


@dataclass(frozen=True)
class Endpoint:
    """One method of one address that does an operation."""

    operation: AnyOperation
    #: Serializer of the body; a deletion has none.
    shape: type[serializers.Serializer[Any]]
    #: The parameters in the address, with their names there; and those that are fixed.
    from_address: Mapping[str, str]
    fixed: Mapping[str, Any]
    #: Serializer of the created object in the answer.
    shows: type[serializers.Serializer[Any]] | None
    status: int

    def read(self, body: Mapping[str, Any], address: Mapping[str, Any]) -> Any:
        """Return the parameters from the checked body and from the address."""
        known = fields_of(self.operation.parameters)
        values = {name: value for name, value in body.items() if name in known}
        named = {name: address[place] for name, place in self.from_address.items()}
        return self.operation.parameters(**values, **named, **self.fixed)


class OperationView(ApiView):
    """Does operations on the subject of its address, or queues them; see `does`."""

    endpoint: Endpoint

    def do(self, endpoint: Endpoint, place: Mapping[str, Any]) -> Response:
        self.endpoint, operation = endpoint, endpoint.operation
        if operation.permit and not is_permitted(user=self.person, permit=operation.permit):
            raise_lacking(operation.permit)
        subject, beside = self.subject(**place), self.body
        parameters = endpoint.read(beside, self.kwargs)
        with as_problems():
            if beside["dry_run"]:
                return Response(
                    self.shown_estimate(estimate(operation, subject, parameters, self.who))
                )
            done = perform(
                operation,
                subject,
                parameters,
                self.who,
                beside["agreed"],
                version=beside["version"],
            )
        if isinstance(done, Task):
            return Response(TaskSerializer(done).data, status=status.HTTP_202_ACCEPTED)
        if self.request.method == "DELETE":
            return Response(status=status.HTTP_204_NO_CONTENT)
        return self.answer(done)

    @cached_property
    def body(self) -> Any:
        """The members of the request, each checked; read once."""
        return self.read_body(self.endpoint.shape)

    def shown_estimate(self, estimated: Estimate) -> Any:
        """The serializer of a dry run's answer."""
        return CostEstimateSerializer(estimated).data

    def answer(self, done: Result) -> Response:
        """The serializer of the answer where the operation was done at once."""
        if self.endpoint.shows is not None:
            return Response(self.endpoint.shows(done.made).data, status=self.endpoint.status)
        if done.values:
            return Response(done.values)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def subject(self, **_place: Any) -> Any:
        """Return the object of the operation."""
        raise NotImplementedError


class BatchOperationView(OperationView, BatchView):
    def subject(self, **_place: Any) -> Any:
        return self.batch


class WorkerOperationView(OperationView, BatchView):
    def subject(self, **place: Any) -> Any:
        """Return the batch; the API identifies workers by number, so that it reveals no id."""
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
    operation: AnyOperation, operation_id: str, *, sample: Mapping[str, Any], from_address: str = ""
) -> Any:
    """The view of an operation, documented with an example of its body."""
    bases = {Batch: BatchOperationView, Assignment: AnswerOperationView}
    base = WorkerOperationView if from_address else bases.get(operation.subject, StudyOperationView)  # type: ignore[arg-type]
    members = {"of_removed": operation.of_removed, "required_actions": {}}
    made: type[OperationView] = type(type(operation).__name__, (base,), members)
    named = {from_address: from_address} if from_address else {}
    decorate = does(operation, operation_id, from_address=named, sample=sample)
    return decorate(made).as_view()


def does(
    operation: AnyOperation,
    operation_id: str,
    *,
    method: str = "post",
    from_address: Mapping[str, str] | None = None,
    fixed: Mapping[str, Any] | None = None,
    shows: type[serializers.Serializer[Any]] | None = None,
    status: int = 200,
    shape: type[serializers.Serializer[Any]] | None = None,
    responses: Mapping[int, Any] | None = None,
    sample: Mapping[str, Any] | None = None,
    about: str = "",
) -> Callable[[type[View]], type[View]]:
    """Let a method of a view do the operation; documented with an example of its body."""
    apart = {**(from_address or {}), **(fixed or {})}
    shape = shape or body_of(operation, without=apart)
    endpoint = Endpoint(operation, shape, from_address or {}, fixed or {}, shows, status)
    # An operation done at once answers with what it made, if anything; a dry run with the estimate.
    usual: dict[int, Any] = {200: OpenApiTypes.OBJECT, 204: None}
    if operation.job:
        usual = {202: TaskSerializer, 200: CostEstimateSerializer}
    elif shows is not None:
        usual = {200: CostEstimateSerializer, status: shows}
        if status == HTTPStatus.OK:
            usual = {200: _either(operation, shows)}
    documented = {
        "operation_id": operation_id,
        "request": shape,
        "responses": responses or usual,
        "description": about or operation.about,
        "examples": [example(sample)],
        "filters": False,
    }
    if method == "delete":
        documented |= {"request": None, "responses": {204: None}, "examples": []}

    def decorate(view: type[View]) -> type[View]:
        def handler(self: OperationView, _request: Request, **place: Any) -> Response:
            return self.do(endpoint, place)

        handler.__name__ = method
        setattr(view, method, extend_schema(**documented)(handler))  # type: ignore[arg-type]
        needed = {method.upper(): operation.permission}
        view.required_actions = {**view.required_actions, **needed}  # type: ignore[dict-item]
        return view

    return decorate


def _either(operation: AnyOperation, shows: type[serializers.Serializer[Any]]) -> Any:
    """The object that was made, or the estimate of a dry run."""
    return PolymorphicProxySerializer(
        component_name=f"{type(operation).__name__}Response",
        serializers=[shows, CostEstimateSerializer],
        resource_type_field_name=None,
    )


def body_of(
    operation: AnyOperation, without: Container[str] = ()
) -> type[serializers.Serializer[Any]]:
    """Return the serializer of the operation's parameters and of those common to all operations."""
    beside = {
        "dry_run": serializers.BooleanField(
            default=False, help_text="Do nothing; answer with what it would do and cost."
        ),
        "agreed": AgreedField(  # type: ignore[no-untyped-call]
            **USD,
            default=None,
            allow_null=True,
            help_text="On Mechanical Turk, real money: the cost that `dry_run` tells.",
        ),
        "version": VersionField(),
    }
    members = {
        k: deepcopy(v) for k, v in fields_of(operation.parameters).items() if k not in without
    }
    name = f"{type(operation).__name__}Request"
    return type(name, (serializers.Serializer,), {**members, **beside})
