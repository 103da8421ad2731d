"""Labels of a batch: decided by a method, or by an adjudicator."""

from typing import Any

from rest_framework import generics, serializers

from annotation.api.access import BatchView
from annotation.api.operation_views import BatchOperationView, does
from annotation.api.schema import REFUSAL, listing, reading
from annotation.api.serializers import RowSerializer
from annotation.batches.queries.adjudicated_answers import answer_queue
from annotation.batches.queries.codebooks import batch_scheme
from annotation.core.versions import version_of
from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.labels.queries.adjudicated import decision_state
from annotation.labels.queries.adjudication import QueueItem, adjudication_queue
from annotation.labels.queries.exporting import labels_overview
from annotation.labels.queries.votes_out import VotesOut, votes_out
from annotation.models import Label, Labelling
from annotation.vocabulary import Action, LabelMethod

_DECISION = {"qid": "1048585", "category": "n", "reason": "A brand, not a person."}


class LabelSerializer(serializers.ModelSerializer[Label]):
    """The decision of one method, or of an adjudicator, on the query."""

    class Meta:
        model = Label
        fields: tuple[str, ...] = (
            "method", "value", "n_votes", "n_for", "confidence", "reason", "decided_by",
            "decided_at",
        )  # fmt: skip


class LabellingSerializer(serializers.ModelSerializer[Labelling]):
    class Meta:
        model = Labelling
        fields = ("method", "strict", "seed")


class VotesOutSerializer(RowSerializer[VotesOut]):
    """Votes that may still count, and how many labels they could change."""

    class Meta:
        dataclass = VotesOut


class OverviewSerializer(serializers.Serializer[Any]):
    """How the labels were decided, and how many there are of each; null before they are."""

    labelling = LabellingSerializer(allow_null=True)
    counts = serializers.DictField(child=serializers.IntegerField(), allow_null=True)
    n_ties = serializers.IntegerField(allow_null=True)
    votes_out = VotesOutSerializer()


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
        found = labels_overview(batch=self.batch)
        shown = vars(found) if found else {"labelling": None, "counts": None, "n_ties": None}
        return shown | {"votes_out": votes_out(batch=self.batch, by=shown["labelling"])}


@listing(
    "adjudication_queue",
    QueueItemSerializer,
    Label,
    parameters=[QueueRequest],
    responses={**REFUSAL, 200: QueueItemSerializer(many=True)},
)
class AdjudicationQueue(BatchView, generics.ListAPIView[Label]):
    """Queries for a person to decide: ties first, then the labels that a method doubts.

    Of a batch with a scheme each question that the answers leave open.
    """

    required_actions = {"GET": Action.ADJUDICATE}

    def get_queryset(self) -> Any:
        asked = self.query_parameters()
        if scheme := batch_scheme(self.batch):
            return answer_queue(batch=self.batch, scheme=scheme, blind=asked["blind"])
        return adjudication_queue(batch=self.batch, **asked)


@listing("adjudication_decisions", DecidedSerializer, Label)
@does(ADJUDICATE, "adjudication_decide", shows=DecidedSerializer, sent=_DECISION)
class Decisions(BatchOperationView, generics.ListAPIView[Label]):
    """Decisions of adjudicators, the latest first."""

    def get_queryset(self) -> Any:
        decided = Label.objects.filter(
            query__batch=self.batch, method=LabelMethod.ADJUDICATED
        ).select_related("query")
        return decided.order_by("-decided_at", "-pk")
