"""Labels of a batch: decided by a method, or by an adjudicator."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.api.access import BatchView
from annotation.api.schema import REFUSAL, example, listing
from annotation.api.shapes import CATEGORIES, QID, ReasonShape, VersionField
from annotation.batches.api.queries import LabelShape
from annotation.core.versions import version_of
from annotation.labels.operations.adjudication import adjudication_withdraw, query_adjudicate
from annotation.labels.queries.adjudicated import decision_state
from annotation.labels.queries.adjudication import QueueItem, adjudication_queue
from annotation.labels.queries.exporting import labels_overview
from annotation.models import Label, Labelling
from annotation.vocabulary import Action, LabelMethod

_DECISION = {"qid": "1048585", "category": "n", "reason": "A brand, not a person."}


class LabellingShape(serializers.ModelSerializer[Labelling]):
    class Meta:
        model = Labelling
        fields = ("method", "strict", "seed")


class OverviewShape(serializers.Serializer[Any]):
    """How the labels were decided, and how many there are of each; null before they are."""

    labelling = LabellingShape(allow_null=True)
    counts = serializers.DictField(child=serializers.IntegerField(), allow_null=True)
    n_ties = serializers.IntegerField(allow_null=True)


class QueueItemShape(DataclassSerializer[QueueItem]):
    """A query to decide, and why. Blind, its votes and confidence are null."""

    class Meta:
        dataclass = QueueItem


class QueueAsked(serializers.Serializer[Any]):
    below = serializers.FloatField(
        min_value=0, max_value=1, default=0.8, help_text="A less certain label is doubtful."
    )
    blind = serializers.BooleanField(
        default=True, help_text="Withhold the votes, which sway whoever knows them."
    )


class DecisionShape(serializers.Serializer[Any]):
    qid = serializers.CharField(**QID)
    category = serializers.ChoiceField(choices=CATEGORIES)
    reason = serializers.CharField(max_length=1_000)
    version = VersionField()


class WithdrawalShape(ReasonShape):
    qid = serializers.CharField(**QID)
    version = VersionField()


class DecidedShape(LabelShape):
    """A decision of an adjudicator."""

    qid = serializers.CharField(source="query.qid")
    text = serializers.CharField(source="query.text")
    version = serializers.SerializerMethodField(help_text="Of the decision, to send with another.")

    class Meta(LabelShape.Meta):
        fields: tuple[str, ...] = ("qid", "text", *LabelShape.Meta.fields, "version")

    def get_version(self, label: Label) -> str:
        return version_of(decision_state(label))


class BatchLabels(BatchView):
    @extend_schema(operation_id="batch_labels", responses=OverviewShape)
    def get(self, _request: Request, **_: Any) -> Response:
        """How the batch's labels were decided, and how many there are of each."""
        found = labels_overview(batch=self.batch)
        nothing = {"labelling": None, "counts": None, "n_ties": None}
        return Response(OverviewShape(found or nothing).data)


@listing(
    "adjudication_queue",
    parameters=[QueueAsked],
    responses={**REFUSAL, 200: QueueItemShape(many=True)},
)
class AdjudicationQueue(BatchView, generics.ListAPIView[Label]):
    """What a person should decide: ties first, then the labels that a method doubts."""

    leave = {"GET": Action.ADJUDICATE}
    serializer_class = QueueItemShape
    queryset = Label.objects.none()

    def get_queryset(self) -> Any:
        return adjudication_queue(batch=self.batch, **self.asked(QueueAsked))


class Decisions(BatchView, generics.ListAPIView[Label]):
    leave = {"POST": Action.ADJUDICATE}
    serializer_class = DecidedShape
    queryset = Label.objects.none()

    def get_queryset(self) -> Any:
        decided = Label.objects.filter(
            query__batch=self.batch, method=LabelMethod.ADJUDICATED
        ).select_related("query")
        return decided.order_by("-decided_at", "-pk")

    @extend_schema(operation_id="adjudication_decisions")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """What adjudicators decided, the latest first."""
        return self.list(request, *args, **kwargs)

    @extend_schema(
        operation_id="adjudication_decide",
        request=DecisionShape,
        responses=DecidedShape,
        examples=[example(_DECISION)],
    )
    def post(self, _request: Request, **_: Any) -> Response:
        """Decide a query; deciding again replaces the decision, and the log keeps both."""
        label = query_adjudicate(batch=self.batch, by=self.actor, **self.given(DecisionShape))
        return Response(DecidedShape(label).data)


class DecisionWithdraw(BatchView):
    leave = {"POST": Action.ADJUDICATE}

    @extend_schema(
        operation_id="adjudication_withdraw",
        request=WithdrawalShape,
        responses={204: None},
        examples=[example({"qid": "1048585", "reason": "Decided the wrong query."})],
    )
    def post(self, _request: Request, **_: Any) -> Response:
        """Take a decision back: the votes decide again. The log keeps both."""
        adjudication_withdraw(batch=self.batch, by=self.actor, **self.given(WithdrawalShape))
        return Response(status=status.HTTP_204_NO_CONTENT)
