"""Labels of a batch: decided by a method, or by an adjudicator."""

from typing import Any

from rest_framework import generics, serializers

from annotation.api.access import BatchView
from annotation.api.operation_views import BatchOperationView, does
from annotation.api.schema import REFUSAL, listing, reading
from annotation.api.serializers import RowSerializer
from annotation.batches.api.queries import LabelSerializer
from annotation.core.versions import version_of
from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.labels.queries.adjudicated import decision_state
from annotation.labels.queries.adjudication import QueueItem, adjudication_queue
from annotation.labels.queries.exporting import labels_overview
from annotation.models import Label, Labelling
from annotation.vocabulary import Action, LabelMethod

_DECISION = {"qid": "1048585", "category": "n", "reason": "A brand, not a person."}


class LabellingSerializer(serializers.ModelSerializer[Labelling]):
    class Meta:
        model = Labelling
        fields = ("method", "strict", "seed")


class OverviewSerializer(serializers.Serializer[Any]):
    """How the labels were decided, and how many there are of each; null before they are."""

    labelling = LabellingSerializer(allow_null=True)
    counts = serializers.DictField(child=serializers.IntegerField(), allow_null=True)
    n_ties = serializers.IntegerField(allow_null=True)


class QueueItemSerializer(RowSerializer[QueueItem]):
    """A query to decide, and why. Blind, its votes and confidence are null."""

    class Meta:
        dataclass = QueueItem


class QueueRequest(serializers.Serializer[Any]):
    below = serializers.FloatField(
        min_value=0, max_value=1, default=0.8, help_text="A less certain label is doubtful."
    )
    blind = serializers.BooleanField(
        default=True, help_text="Withhold the votes, which sway whoever knows them."
    )


class DecidedSerializer(LabelSerializer):
    """A decision of an adjudicator."""

    qid = serializers.CharField(source="query.qid")
    text = serializers.CharField(source="query.text")
    version = serializers.SerializerMethodField(help_text="Of the decision, to send with another.")

    class Meta(LabelSerializer.Meta):
        fields: tuple[str, ...] = ("qid", "text", *LabelSerializer.Meta.fields, "version")

    def get_version(self, label: Label) -> str:
        return version_of(decision_state(label))


class BatchLabels(BatchView):
    @reading("batch_labels", OverviewSerializer)
    def get(self, **_: Any) -> Any:
        """How the batch's labels were decided, and how many there are of each."""
        nothing = {"labelling": None, "counts": None, "n_ties": None}
        return labels_overview(batch=self.batch) or nothing


@listing(
    "adjudication_queue",
    QueueItemSerializer,
    Label,
    parameters=[QueueRequest],
    responses={**REFUSAL, 200: QueueItemSerializer(many=True)},
)
class AdjudicationQueue(BatchView, generics.ListAPIView[Label]):
    """What a person should decide: ties first, then the labels that a method doubts."""

    required_actions = {"GET": Action.ADJUDICATE}

    def get_queryset(self) -> Any:
        return adjudication_queue(batch=self.batch, **self.query_parameters(QueueRequest))


@listing("adjudication_decisions", DecidedSerializer, Label)
@does(ADJUDICATE, "adjudication_decide", shows=DecidedSerializer, sent=_DECISION)
class Decisions(BatchOperationView, generics.ListAPIView[Label]):
    """What adjudicators decided, the latest first."""

    def get_queryset(self) -> Any:
        decided = Label.objects.filter(
            query__batch=self.batch, method=LabelMethod.ADJUDICATED
        ).select_related("query")
        return decided.order_by("-decided_at", "-pk")
