"""Files of a batch: the bytes that the commands write."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from annotation.api.access import BatchView, as_problems
from annotation.api.schema import REFUSAL, file_of
from annotation.core.parameters import serializer_of
from annotation.labels.export.file_formats import FileFormat
from annotation.labels.export.formats import LABEL_FORMATS, VOTE_FORMATS
from annotation.labels.queries.exporting import EXPORT_PARAMETERS, export_lines, read_export
from annotation.labels.queries.votes_export import VotesParameters, vote_lines
from annotation.web.downloads import download_lines


def _files(formats: Mapping[str, FileFormat]) -> dict[Any, Any]:
    """For `responses`: a download of any of the formats."""
    names = defaultdict(list)
    for layout in formats.values():
        names[layout.content_type].append(f"`layout={layout.name}`")
    files = [
        file_of(kind, f"The file of {' or '.join(of_kind)}.") for kind, of_kind in names.items()
    ]
    return {key: file for file_shape in files for key, file in file_shape.items()} | REFUSAL


class BatchExport(BatchView):
    query_shapes = {"GET": serializer_of(EXPORT_PARAMETERS)}

    @extend_schema(
        operation_id="batch_export",
        parameters=[serializer_of(EXPORT_PARAMETERS)],
        responses=_files(LABEL_FORMATS),
    )
    def get(self, _request: Request, **_: Any) -> HttpResponseBase:
        """The labelled queries: by default the non-gendered ones, in the released layout."""
        # All lines are made before the first byte is sent, so that a text unfit for the format is a
        # problem.
        with as_problems():
            parameters = read_export(self.request.query_params.dict())
            lines = export_lines(batch=self.batch, parameters=parameters)
        return download_lines(
            lines, parameters.file_name(self.batch), parameters.format.content_type
        )


class BatchVotes(BatchView):
    query_shapes = {"GET": serializer_of(VotesParameters)}

    @extend_schema(
        operation_id="batch_votes",
        parameters=[serializer_of(VotesParameters)],
        responses=_files(VOTE_FORMATS),
    )
    def get(self, _request: Request, **_: Any) -> HttpResponseBase:
        """The votes under pseudonyms, for `label import-votes` and for other programs."""
        parameters = self.query_parameters()
        lines = vote_lines(batch=self.batch, parameters=parameters)
        return download_lines(
            lines, parameters.file_name(self.batch), parameters.format.content_type
        )
