"""HITs of a batch, and the answers to them."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar, TypeVar

from django.db.models import Count, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import BatchView, found
from annotation.api.schema import CROWD, example, listing
from annotation.api.shapes import MONEY, ReasonShape
from annotation.models import HIT, Assignment
from annotation.selectors.pseudonyms import worker_names
from annotation.services.bonuses import bonus_pay
from annotation.services.reviewing import THANKS, assignment_approve, assignment_restore
from annotation.vocabulary import Environment, WorkerKind
from metrics.errors import InputError

AnyAct = TypeVar("AnyAct", bound="AnswerAct")


class HITShape(serializers.ModelSerializer[HIT]):
    """A page of queries; `index` is its place in the batch, from 0."""

    number = serializers.IntegerField(source="pk", read_only=True)
    n_queries = serializers.IntegerField()
    n_assignments = serializers.IntegerField()
    unit_cost = serializers.DecimalField(**MONEY, help_text="USD of one answer with its fee.")

    class Meta:
        model = HIT
        fields = (
            "number", "index", "state", "hit_id", "n_queries", "n_assignments", "max_assignments",
            "answers_wanted", "unit_cost", "published_at", "expires_at", "error",
        )  # fmt: skip


class AssignmentShape(serializers.ModelSerializer[Assignment]):
    """An answer to a HIT. Its worker has a pseudonym; `problem` says why it could not be read."""

    number = serializers.IntegerField(source="pk", read_only=True)
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


class FeedbackShape(serializers.Serializer[Any]):
    feedback = serializers.CharField(
        max_length=1_024, default=THANKS, help_text="What the worker reads."
    )


class AnswerBonusShape(serializers.Serializer[Any]):
    amount = serializers.DecimalField(max_digits=8, decimal_places=2, min_value=Decimal("0.01"))
    reason = serializers.CharField(max_length=500, help_text="What the worker reads.")
    agreed = serializers.DecimalField(
        **MONEY,
        default=None,
        allow_null=True,
        help_text="On Mechanical Turk, real money: the amount again.",
    )


@listing("batch_hits")
class HITs(BatchView, generics.ListAPIView[HIT]):
    """The HITs of a batch in its order."""

    serializer_class = HITShape
    queryset = HIT.objects.none()
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


@listing("batch_assignments")
class Assignments(BatchView, generics.ListAPIView[Assignment]):
    """What was handed in, in the order of the HITs."""

    serializer_class = AssignmentShape
    queryset = Assignment.objects.none()
    filterset_fields = ("state", "hit", "worker")

    def get_queryset(self) -> QuerySet[Assignment]:
        answers = Assignment.objects.filter(hit__batch=self.batch)
        return answers.select_related("hit", "worker").order_by("hit__index", "pk")

    def get_serializer_context(self) -> dict[str, Any]:
        context = super().get_serializer_context()
        fake = getattr(self, "swagger_fake_view", False)
        return dict(context) if fake else {**context, "names": worker_names(batch=self.batch)}


class AnswerAct(BatchView):
    """What a person decides about one answer. The crowd hears of it at once.

    There is no way to reject: a worker's pay is not taken by a program.
    """

    shape: ClassVar[type[serializers.Serializer[Any]]]

    def post(self, _request: Request, assignment: int, **_: Any) -> Response:
        answers = Assignment.objects.select_related("worker", "hit__batch")
        answer = found(answers.filter(hit__batch=self.batch), assignment)
        self.decide(answer, **self.given(self.shape))
        answer.refresh_from_db(fields=["state"])
        names = worker_names(batch=self.batch)
        return Response(AssignmentShape(answer, context={"names": names}).data)

    def decide(self, answer: Assignment, **asked: Any) -> None:
        raise NotImplementedError


def answer_act(operation_id: str, **sent: Any) -> Callable[[type[AnyAct]], type[AnyAct]]:
    """Documents a decision about an answer."""

    def decorate(view: type[AnyAct]) -> type[AnyAct]:
        documented = extend_schema(
            operation_id=operation_id,
            request=view.shape,
            responses={200: AssignmentShape, **CROWD},
            description=view.__doc__,
            examples=[example(sent)],
        )
        return extend_schema_view(post=documented)(view)

    return decorate


@answer_act("assignment_approve", feedback="Thank you.")
class ApproveAnswer(AnswerAct):
    """Pay for an answer, readable or not."""

    shape = FeedbackShape

    def decide(self, answer: Assignment, **asked: Any) -> None:
        assignment_approve(assignment=answer, actor=self.actor, **asked)


@answer_act("assignment_restore", reason="We were wrong, sorry.")
class RestoreAnswer(AnswerAct):
    """Pay for an answer that a person rejected, within 30 days; its votes count again."""

    shape = ReasonShape

    def decide(self, answer: Assignment, **asked: Any) -> None:
        assignment_restore(assignment=answer, actor=self.actor, **asked)


@answer_act("assignment_bonus", amount="0.50", reason="It took longer than we had said.")
class BonusForAnswer(AnswerAct):
    """Pay a bonus for an answer; exactly the same bonus is paid once."""

    shape = AnswerBonusShape

    def decide(self, answer: Assignment, **asked: Any) -> None:
        agreed = asked.pop("agreed")
        if self.batch.environment == Environment.PRODUCTION and agreed != asked["amount"]:
            raise InputError(
                f"a bonus of {asked['amount']} USD is real money, and that was not agreed to.",
                remedy=f'Send "agreed": "{asked["amount"]}" to agree.',
            )
        bonus_pay(assignment=answer, actor=self.actor, **asked)
