"""The documents that gave a pooled query its bias, run by run."""

from typing import Any

from rest_framework import serializers

from annotation.api.access import BatchView, found
from annotation.api.schema import reading
from annotation.models import BatchQuery
from annotation.studies.queries.pool_documents import query_documents


class PieceSerializer(serializers.Serializer[Any]):
    """A piece of a text; `group` is that of its word, or empty."""

    text = serializers.CharField(allow_blank=True, trim_whitespace=False)
    group = serializers.CharField(allow_blank=True)

    def to_representation(self, instance: tuple[str, str]) -> dict[str, Any]:
        text, group = instance
        return {"text": text, "group": group}


class _Pairs(serializers.DictField):
    """Pairs of a name and a value as members."""

    def to_representation(self, value: Any) -> dict[str, Any]:
        return super().to_representation(dict(value))


class DocumentSerializer(serializers.Serializer[Any]):
    """One rank of a run. `bias` is RaB of the ranks so far; null where it is not defined."""

    rank = serializers.IntegerField()
    docno = serializers.CharField()
    score = serializers.FloatField()
    is_missing = serializers.BooleanField(help_text="The collection has no such document.")
    magnitudes = _Pairs(child=serializers.FloatField())
    bias = serializers.FloatField(allow_null=True)
    pieces = PieceSerializer(many=True)


class RunDocumentsSerializer(serializers.Serializer[Any]):
    run = serializers.CharField()
    documents = DocumentSerializer(many=True)


class QueryDocumentsSerializer(serializers.Serializer[Any]):
    """Documents of a query; where they are unknown, `why_not` says what to do."""

    magnitude = serializers.CharField(allow_blank=True)
    groups = serializers.ListField(child=serializers.CharField())
    why_not = serializers.CharField(allow_blank=True)
    runs = RunDocumentsSerializer(many=True)


class QueryExplained(BatchView):
    @reading("batch_query_explain", QueryDocumentsSerializer)
    def get(self, query: int, **_: Any) -> Any:
        """The documents behind a query, with the words that count and the bias rank by rank."""
        row = found(BatchQuery.objects.filter(batch=self.batch), query)
        return query_documents(batch=self.batch, query=row)
