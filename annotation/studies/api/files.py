"""The files that a study measures with."""

from typing import IO, Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import StudyView, as_problems, found
from annotation.api.operation_views import StudyOperationView, does
from annotation.api.schema import listing, reading
from annotation.api.serializers import NumberedSerializer
from annotation.core.parameters import serializer_of
from annotation.core.perform import perform_here
from annotation.models import StudyFile
from annotation.overview.operations.remove import REMOVE
from annotation.studies.operations.add_file import ADD_FILE, POINT_TO_FILE, UploadParameters

BYTES = "application/octet-stream"


class Bytes(BaseParser):
    """The body is the file, which is stored in pieces and never in memory as a whole."""

    media_type = BYTES

    def parse(self, stream: IO[Any], *_: Any) -> Any:
        return stream


def stream_of(request: Request) -> Any:
    """Return the body, to be read in pieces; a problem where there is none."""
    if not hasattr(request.data, "read"):
        raise ParseError("The body is to be the file, and there is none.")
    return request.data


class FileSerializer(NumberedSerializer[StudyFile]):
    """A file; `summary` is the result of the check; `is_pointed` if it stays where it is."""

    summary = serializers.DictField()

    class Meta:
        model = StudyFile
        fields = (
            "number", "kind", "name", "size", "digest", "summary", "is_pointed", "actor",
            "created_at", "archived_at",
        )  # fmt: skip


@listing("study_files", FileSerializer, StudyFile)
class Files(StudyView, generics.ListAPIView[StudyFile]):
    """The files of a study, by kind and name."""

    filterset_fields = ("kind", "name")
    parser_classes = (Bytes,)
    query_shapes = {"POST": serializer_of(UploadParameters)}

    def get_queryset(self) -> QuerySet[StudyFile]:
        return StudyFile.objects.filter(study=self.study).order_by("kind", "name")

    @extend_schema(
        operation_id="study_file_add",
        parameters=[serializer_of(UploadParameters)],
        request={BYTES: OpenApiTypes.BINARY},
        responses={201: FileSerializer},
        filters=False,
    )
    def post(self, request: Request, **_: Any) -> Response:
        """Add a file: the body is the file itself, plain or packed, and no zip of several.

        It is checked before it is kept; a problem says the line that cannot be used.
        """
        values = {**request.query_params.dict(), "stream": stream_of(request)}
        with as_problems():
            done = perform_here(ADD_FILE, self.study, values, self.who)
        return Response(FileSerializer(done.made).data, status=status.HTTP_201_CREATED)


@does(
    POINT_TO_FILE,
    "study_file_point_to",
    shows=FileSerializer,
    status=201,
    sample={"kind": "collection", "where": "msmarco/collection.tsv.gz"},
)
class FilesPointed(StudyOperationView):
    pass


@does(
    REMOVE,
    "study_file_remove",
    method="delete",
    from_address={"number": "file"},
    fixed={"what": StudyFile.noun},
    about="Remove a file, unless something was made from it; `undo-removal` undoes it for a day.",
)
class File(StudyOperationView):
    @reading("study_file", FileSerializer)
    def get(self, file: int, **_: Any) -> Any:
        """A file of a study, with its counts and warnings."""
        return found(self.study.files.all(), file)

    def subject(self, **place: Any) -> Any:
        found(self.study.files.all(), place["file"])
        return self.study
