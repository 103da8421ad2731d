"""The models that label queries of a study."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import StudyView, as_problems
from annotation.api.schema import listing
from annotation.api.serializers import NumberedSerializer
from annotation.core.parameters import serializer_of
from annotation.labels.operations.model_labels import UploadModelLabelsParameters, import_upload
from annotation.labels.queries.raters import label_counts, study_raters
from annotation.models import ModelRater
from annotation.studies.api.files import BYTES, Bytes, stream_of


class RaterSerializer(NumberedSerializer[ModelRater]):
    """A model; `counts` are its labels by category, `n_missing` its missing answers."""

    parameters = serializers.DictField()
    options = serializers.ListField(child=serializers.CharField())
    counts = serializers.SerializerMethodField()
    n_labels = serializers.IntegerField()
    n_missing = serializers.IntegerField()

    class Meta:
        model = ModelRater
        fields = (
            "number", "name", "origin", "question", "options", "category", "prompt",
            "prompt_sha256", "parameters", "program_version", "actor", "created_at", "n_labels",
            "n_missing", "counts",
        )  # fmt: skip

    def get_counts(self, rater: ModelRater) -> dict[str, int]:
        counts: dict[int, dict[str, int]] = self.context["counts"]
        return counts[rater.pk]


class ImportedModelLabelsSerializer(serializers.Serializer[Any]):
    """Number of imported labels by model, and of missing answers among all."""

    labels = serializers.DictField(child=serializers.IntegerField())
    missing = serializers.IntegerField()


@listing("study_models", RaterSerializer, ModelRater)
class Models(StudyView, generics.ListAPIView[ModelRater]):
    """The models that label queries of the study, by name."""

    parser_classes = (Bytes,)
    query_shapes = {"POST": serializer_of(UploadModelLabelsParameters)}

    def get_queryset(self) -> QuerySet[ModelRater]:
        return study_raters(study=self.study)

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "counts": label_counts(study=self.study)}

    @extend_schema(
        operation_id="study_models_import",
        parameters=[serializer_of(UploadModelLabelsParameters)],
        request={BYTES: OpenApiTypes.BINARY},
        responses={201: ImportedModelLabelsSerializer},
        filters=False,
    )
    def post(self, request: Request, **_: Any) -> Response:
        """Import labels of models: the body is the file itself, CSV or Label Studio's JSON.

        All of it is imported, or nothing; a problem says the line that cannot be used.
        """
        values = request.query_params.dict()
        with as_problems():
            done = import_upload(self.study, stream_of(request), values, self.who)
        return Response(done.values, status=status.HTTP_201_CREATED)
