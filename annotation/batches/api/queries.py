"""The queries of a batch with their votes and labels."""

from typing import Any

from django.http import Http404
from rest_framework import generics, serializers

from annotation.api.access import BatchView
from annotation.api.schema import listing, reading
from annotation.api.serializers import (
    NumberedSerializer,
    PairFields,
    RowSerializer,
    TallySerializer,
)
from annotation.batches.queries.queries import (
    QueryDetail,
    QueryFilter,
    QueryRow,
    ShownVote,
    batch_queries,
    query_detail,
)
from annotation.core.parameters import serializer_of
from annotation.labels.api.labels import LabelSerializer
from annotation.models import BatchQuery
from annotation.studies.api.pools import PlaceSerializer
from annotation.vocabulary import WorkerKind


class QueryRowSerializer(PairFields):
    """A query with its votes by category, most votes first; `label` is null before there is one."""

    number = serializers.IntegerField()
    qid = serializers.CharField()
    text = serializers.CharField()
    votes = TallySerializer(many=True)
    label = serializers.SerializerMethodField()  # type: ignore[assignment] # likewise

    def get_label(self, row: QueryRow) -> str | None:
        return row.label or None


class ShownVoteSerializer(RowSerializer[ShownVote]):
    """A vote; its worker has a pseudonym, and `kind` says whether a person gave it."""

    kind = serializers.ChoiceField(choices=WorkerKind.choices)
    category = serializers.CharField(help_text="Codes; with their questions where several.")

    class Meta:
        dataclass = ShownVote
        exclude = ("answers",)


class BatchQuerySerializer(PairFields, NumberedSerializer[BatchQuery]):
    class Meta:
        model = BatchQuery
        fields = ("number", "qid", "docno", "text", "passage", "position", "gold")


class QueryDetailSerializer(serializers.Serializer[QueryDetail]):
    """All that is known about one query; `places` are its ranks in the lists of the pool."""

    query = BatchQuerySerializer()
    votes = ShownVoteSerializer(many=True)
    tally = TallySerializer(many=True)
    labels = LabelSerializer(many=True)
    places = PlaceSerializer(many=True)


@listing("batch_queries", QueryRowSerializer, BatchQuery, parameters=[serializer_of(QueryFilter)])
class BatchQueries(BatchView, generics.ListAPIView[Any]):
    """The queries of a batch in its order, with their votes; no gold questions."""

    def get_queryset(self) -> Any:
        filters = self.query_parameters()
        return batch_queries(batch=self.batch, filters=filters).rows


class BatchQueryDetail(BatchView):
    @reading("batch_query", QueryDetailSerializer)
    def get(self, query: int, **_: Any) -> Any:
        """One query: its votes, its labels by every method, its places in the pool's lists."""
        if not BatchQuery.objects.filter(batch=self.batch, pk=query).exists():
            raise Http404
        return query_detail(batch=self.batch, number=query)
