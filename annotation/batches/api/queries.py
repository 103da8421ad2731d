"""The queries of a batch with their votes and labels."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_dataclasses.serializers import DataclassSerializer

from annotation.api.access import BatchView
from annotation.api.schema import listing
from annotation.api.serializers import CATEGORIES, LABELS, TallySerializer
from annotation.batches.queries.queries import (
    NO_LABEL,
    QueryDetail,
    QueryFilter,
    QueryRow,
    ShownVote,
    batch_queries,
    query_detail,
)
from annotation.models import BatchQuery, Label
from annotation.studies.api.pools import PlaceSerializer
from annotation.vocabulary import WorkerKind


class QueryFilterSerializer(serializers.Serializer[Any]):
    """Which queries to list; what is left out asks for nothing."""

    label = serializers.ChoiceField(  # type: ignore[assignment] # a field, not our own label
        choices=[*LABELS, (NO_LABEL, "No label yet")], default="", help_text="The standing label."
    )
    pattern = serializers.RegexField(
        r"^[0-9]{1,3}(-[0-9]{1,3}){0,9}$", default="", help_text="How the votes fell, as in 2-1."
    )
    first = serializers.ChoiceField(
        choices=CATEGORIES, default="", help_text="Somebody said this, and somebody `second`."
    )
    second = serializers.ChoiceField(choices=CATEGORIES, default="")
    worker = serializers.RegexField(
        r"^[0-9]{1,18}$", default="", help_text="Number of a worker who voted on it."
    )
    text = serializers.CharField(default="", help_text="Occurs in the query, or is its id.")


class QueryRowSerializer(serializers.Serializer[QueryRow]):
    """A query with its votes by category, most votes first; `label` is null before there is one."""

    number = serializers.IntegerField()
    qid = serializers.CharField()
    text = serializers.CharField()
    votes = TallySerializer(many=True)
    label = serializers.SerializerMethodField()  # type: ignore[assignment] # likewise

    def get_label(self, row: QueryRow) -> str | None:
        return row.label or None


class ShownVoteSerializer(DataclassSerializer[ShownVote]):
    """A vote; its worker has a pseudonym, and `kind` says whether a person gave it."""

    kind = serializers.ChoiceField(choices=WorkerKind.choices)
    category = serializers.ChoiceField(choices=CATEGORIES)

    class Meta:
        dataclass = ShownVote


class LabelSerializer(serializers.ModelSerializer[Label]):
    """What one method, or an adjudicator, made of the query."""

    class Meta:
        model = Label
        fields: tuple[str, ...] = (
            "method", "value", "n_votes", "n_for", "confidence", "reason", "decided_by",
            "decided_at",
        )  # fmt: skip


class BatchQuerySerializer(serializers.ModelSerializer[BatchQuery]):
    number = serializers.IntegerField(source="pk", read_only=True)

    class Meta:
        model = BatchQuery
        fields = ("number", "qid", "text", "position", "gold")


class QueryDetailSerializer(serializers.Serializer[QueryDetail]):
    """All that is known about one query; `places` is where it stood in the lists of the pool."""

    query = BatchQuerySerializer()
    votes = ShownVoteSerializer(many=True)
    tally = TallySerializer(many=True)
    labels = LabelSerializer(many=True)
    places = PlaceSerializer(many=True)


@listing("batch_queries", parameters=[QueryFilterSerializer])
class BatchQueries(BatchView, generics.ListAPIView[Any]):
    """The queries of a batch in its order, with how they were voted on; no gold question."""

    serializer_class = QueryRowSerializer
    queryset = BatchQuery.objects.none()

    def get_queryset(self) -> Any:
        wanted = QueryFilter(**self.query_parameters(QueryFilterSerializer))
        return batch_queries(batch=self.batch, filters=wanted).rows


class BatchQueryDetail(BatchView):
    @extend_schema(operation_id="batch_query", responses=QueryDetailSerializer)
    def get(self, _request: Request, query: int, **_: Any) -> Response:
        """One query: its votes, its labels by every method, its places in the pool's lists."""
        if not BatchQuery.objects.filter(batch=self.batch, pk=query).exists():
            raise Http404
        detail = query_detail(batch=self.batch, number=query)
        return Response(QueryDetailSerializer(detail).data)
