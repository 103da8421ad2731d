"""Why a query has the bias that it was pooled for: its documents, run by run."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import BatchView
from annotation.models import BatchQuery
from annotation.studies.queries.pool_documents import QueryDocuments, ShownDocument, query_documents


class PieceSerializer(serializers.Serializer[Any]):
    """A piece of a text; `group` is that of its word, or empty."""

    text = serializers.CharField(allow_blank=True, trim_whitespace=False)
    group = serializers.CharField(allow_blank=True)


class DocumentSerializer(serializers.Serializer[Any]):
    """One rank of a run. `bias` is RaB of the ranks so far; null where it is not defined."""

    rank = serializers.IntegerField()
    docno = serializers.CharField()
    score = serializers.FloatField()
    is_missing = serializers.BooleanField(help_text="The collection has no such document.")
    magnitudes = serializers.DictField(child=serializers.FloatField())
    bias = serializers.FloatField(allow_null=True)
    pieces = PieceSerializer(many=True)


class RunDocumentsSerializer(serializers.Serializer[Any]):
    run = serializers.CharField()
    documents = DocumentSerializer(many=True)


class QueryDocumentsSerializer(serializers.Serializer[Any]):
    """Where nothing is known, `why_not` says what to do."""

    magnitude = serializers.CharField(allow_blank=True)
    groups = serializers.ListField(child=serializers.CharField())
    why_not = serializers.CharField(allow_blank=True)
    runs = RunDocumentsSerializer(many=True)


class QueryExplained(BatchView):
    @extend_schema(operation_id="batch_query_explain", responses=QueryDocumentsSerializer)
    def get(self, _request: Request, query: int, **_: Any) -> Response:
        """The documents behind a query, with the words that count and the bias rank by rank."""
        found = BatchQuery.objects.filter(batch=self.batch, pk=query).first()
        if found is None:
            raise Http404
        documents = query_documents(batch=self.batch, query=found)
        return Response(QueryDocumentsSerializer(_shown(documents)).data)


def _shown(documents: QueryDocuments) -> dict[str, Any]:
    return {
        "magnitude": documents.magnitude,
        "groups": list(documents.groups),
        "why_not": documents.why_not,
        "runs": [
            {"run": one.run, "documents": [_document(document) for document in one.documents]}
            for one in documents.runs
        ],
    }


def _document(one: ShownDocument) -> dict[str, Any]:
    return {
        "rank": one.rank,
        "docno": one.docno,
        "score": one.score,
        "is_missing": one.is_missing,
        "magnitudes": dict(one.magnitudes),
        "bias": one.bias,
        "pieces": [{"text": text, "group": group} for text, group in one.pieces],
    }
