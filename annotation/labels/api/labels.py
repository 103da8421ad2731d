"""Labels of a batch: decided by a method, or by an adjudicator."""

from typing import Any

from rest_framework import generics, serializers

from annotation.api.access import BatchView
from annotation.api.operation_views import BatchOperationView, does
from annotation.api.schema import REFUSAL, listing, reading
from annotation.api.serializers import PairFields, RowSerializer
from annotation.core.versions import version_of
from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.labels.queries.adjudication import QueueItem, adjudication_queue, decision_state
from annotation.labels.queries.exporting import labels_overview
from annotation.labels.queries.questions import closed_question
from annotation.labels.queries.votes_out import VotesOut, votes_out
from annotation.models import Batch, Label, Labelling
from annotation.schemes import LONGEST_NAME, Scheme
from annotation.vocabulary import Action, LabelMethod

_DECISION = {"qid": "1048585", "category": "n", "reason": "A brand, not a person."}


class LabelSerializer(serializers.ModelSerializer[Label]):
    """The decision of one method, or of an adjudicator, on the query."""

    class Meta:
        model = Label
        fields: tuple[str, ...] = (
            "question", "method", "value", "n_votes", "n_for", "confidence", "reason", "decided_by",
            "decided_at",
        )  # fmt: skip


class LabellingSerializer(serializers.ModelSerializer[Labelling]):
    class Meta:
        model = Labelling
        fields = ("question", "method", "strict", "seed")


class VotesOutSerializer(RowSerializer[VotesOut]):
    """Votes that may still count, and how many labels they could change."""

    class Meta:
        dataclass = VotesOut


class OverviewSerializer(serializers.Serializer[Any]):
    """The method of the labels, and their number by option; null before they are decided."""

    labelling = LabellingSerializer(allow_null=True)
    counts = serializers.DictField(child=serializers.IntegerField(), allow_null=True)
    n_ties = serializers.IntegerField(allow_null=True)
    votes_out = VotesOutSerializer()


class QueueItemSerializer(PairFields, RowSerializer[QueueItem]):
    """A query to decide, and why. Blind, its votes and confidence are null."""

    class Meta:
        dataclass = QueueItem


class QueueRequest(serializers.Serializer[Any]):
    below = serializers.FloatField(
        min_value=0, max_value=1, default=0.8, help_text="A less certain label is doubtful."
    )
    blind = serializers.BooleanField(
        default=True, help_text="Withhold the votes, because they influence people who see them."
    )


class DecidedSerializer(PairFields, LabelSerializer):
    """A decision of an adjudicator."""

    qid = serializers.CharField(source="query.qid")
    text = serializers.CharField(source="query.text")
    docno = serializers.CharField(source="query.docno", required=False)
    passage = serializers.CharField(source="query.passage", required=False)
    version = serializers.SerializerMethodField(
        help_text="Version of the decision, to send with another one."
    )

    class Meta(LabelSerializer.Meta):
        fields: tuple[str, ...] = (
            *("qid", "docno", "text", "passage"), *LabelSerializer.Meta.fields, "version",
        )  # fmt: skip

    def get_version(self, label: Label) -> str:
        return version_of(decision_state(label, self._scheme_of(label.query.batch)))

    def _scheme_of(self, batch: Batch) -> Scheme:
        """The scheme of the batch; a list has many decisions of one, and reads it once."""
        known: dict[int, Scheme] = vars(self).setdefault("known_schemes", {})
        if batch.pk not in known:
            known[batch.pk] = batch.scheme
        return known[batch.pk]


class QuestionRequest(serializers.Serializer[Any]):
    question = serializers.CharField(
        default="",
        max_length=LONGEST_NAME,
        help_text="Which; left out, the only question with options that the batch asks.",
    )


class BatchLabels(BatchView):
    query_shapes = {"GET": QuestionRequest}

    @reading("batch_labels", OverviewSerializer, parameters=[QuestionRequest])
    def get(self, **_: Any) -> Any:
        """The method that decided the labels of a question, and their number by option."""
        question = closed_question(batch=self.batch, name=self.query_parameters()["question"])
        overview = labels_overview(batch=self.batch, question=question)
        members = (
            vars(overview) if overview else {"labelling": None, "counts": None, "n_ties": None}
        )
        out = votes_out(batch=self.batch, question=question, by=members["labelling"])
        return members | {"votes_out": out}


@listing(
    "adjudication_queue",
    QueueItemSerializer,
    Label,
    parameters=[QueueRequest],
    responses={**REFUSAL, 200: QueueItemSerializer(many=True)},
)
class AdjudicationQueue(BatchView, generics.ListAPIView[Label]):
    """The queue of an adjudicator: open questions about queries first, then doubtful labels."""

    required_actions = {"GET": Action.ADJUDICATE}

    def get_queryset(self) -> Any:
        return adjudication_queue(batch=self.batch, **self.query_parameters())


@listing("adjudication_decisions", DecidedSerializer, Label)
@does(ADJUDICATE, "adjudication_decide", shows=DecidedSerializer, sample=_DECISION)
class Decisions(BatchOperationView, generics.ListAPIView[Label]):
    """Decisions of adjudicators, the latest first."""

    def get_queryset(self) -> Any:
        decided = Label.objects.filter(
            query__batch=self.batch, method=LabelMethod.ADJUDICATED
        ).select_related("query__batch")
        return decided.order_by("-decided_at", "-pk")
