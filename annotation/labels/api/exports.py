"""Files of a batch: the bytes that the commands write."""

from typing import Any

from django.http import FileResponse, Http404, HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation.api.access import BatchView
from annotation.api.schema import REFUSAL, file_of, reading
from annotation.api.serializers import RowSerializer
from annotation.core.parameters import serializer_of
from annotation.labels.export import votes as votes_export
from annotation.labels.queries.exporting import ExportParameters, export_lines
from annotation.labels.queries.votes_export import vote_lines
from annotation.reports.queries.bundles import ReadyBundle, bundle_ready
from annotation.web.downloads import download_lines


class VotesRequest(serializers.Serializer[Any]):
    layout = serializers.ChoiceField(
        choices=votes_export.FORMATS,
        default="plain",
        help_text="plain: one vote a line; mturk: as Mechanical Turk's results.",
    )


class BatchExport(BatchView):
    @extend_schema(
        operation_id="batch_export",
        parameters=[serializer_of(ExportParameters)],
        responses={
            **file_of("text/csv", "The file, as `export_queries` writes it."),
            **file_of("text/tab-separated-values", "The same as `layout=tsv`."),
            **file_of("application/jsonl", "The same as `layout=jsonl`."),
            **REFUSAL,
        },
    )
    def get(self, _request: Request, **_: Any) -> HttpResponseBase:
        """The labelled queries: by default the non-gendered ones, in the released layout."""
        parameters = self.query_parameters(serializer_of(ExportParameters))
        # Found before the first byte is sent: a text that the layout cannot hold is a problem.
        lines = export_lines(batch=self.batch, parameters=parameters)
        name = f"{self.batch.name}-{parameters.category}.{parameters.layout}"
        return download_lines(lines, name)


class BatchVotes(BatchView):
    @extend_schema(
        operation_id="batch_votes",
        parameters=[VotesRequest],
        responses={**file_of("text/csv", "The file, as `export_votes` writes it."), **REFUSAL},
    )
    def get(self, _request: Request, **_: Any) -> HttpResponseBase:
        """The votes under pseudonyms, for `import_votes` and for other programs."""
        lines = vote_lines(batch=self.batch, layout=self.query_parameters(VotesRequest)["layout"])
        return download_lines(lines, f"{self.batch.name}-votes.csv")


class BundleSerializer(RowSerializer[ReadyBundle]):
    """The bundle that was made last; `is_current` unless something was done to the batch since."""

    class Meta:
        dataclass = ReadyBundle
        exclude = ("path",)


class BatchBundle(BatchView):
    @reading("batch_bundle", BundleSerializer)
    def get(self, **_: Any) -> Any:
        """What is known about the bundle that was made last; 404 before one is."""
        return _bundle(self)


class BatchBundleFile(BatchView):
    @extend_schema(
        operation_id="batch_bundle_file",
        responses=file_of("application/zip", "The bundle, as `verify_bundle` reads it."),
    )
    def get(self, _request: Request, **_: Any) -> HttpResponseBase:
        """The zip with everything that the numbers of the batch follow from."""
        return FileResponse(
            _bundle(self).path.open("rb"),
            as_attachment=True,
            filename=f"{self.batch.name}.zip",
            content_type="application/zip",
        )


def _bundle(view: BatchView) -> ReadyBundle:
    ready = bundle_ready(batch=view.batch)
    if ready is None:
        raise Http404
    return ready
