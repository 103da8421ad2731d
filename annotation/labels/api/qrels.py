"""Decided grades of a batch of pairs, from qrels."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import BatchView, as_problems
from annotation.core.parameters import serializer_of
from annotation.labels.operations.qrels_import import UploadQrelsParameters, import_qrels_upload
from annotation.studies.api.files import BYTES, Bytes, stream_of


class ImportedQrelsSerializer(serializers.Serializer[Any]):
    """Numbers of imported grades, of pairs without one, and of judgments of other pairs."""

    question = serializers.CharField()
    n_labels = serializers.IntegerField()
    n_without = serializers.IntegerField()
    n_others = serializers.IntegerField()


class BatchQrels(BatchView):
    parser_classes = (Bytes,)
    query_shapes = {"POST": serializer_of(UploadQrelsParameters)}

    @extend_schema(
        operation_id="batch_qrels_import",
        parameters=[serializer_of(UploadQrelsParameters)],
        request={BYTES: OpenApiTypes.BINARY},
        responses={201: ImportedQrelsSerializer},
        filters=False,
    )
    def post(self, request: Request, **_: Any) -> Response:
        """Import qrels as decided labels of a batch of pairs: the body is the file itself.

        They replace those that were imported before. All of it is imported, or nothing.
        """
        values = request.query_params.dict()
        with as_problems():
            done = import_qrels_upload(self.batch, stream_of(request), values, self.who)
        return Response(done.values, status=status.HTTP_201_CREATED)
