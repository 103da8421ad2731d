"""The bundle of a study."""

from typing import Any

from django.http import FileResponse, Http404, HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from annotation.api.access import StudyView
from annotation.api.schema import file_of, reading
from annotation.api.serializers import RowSerializer
from annotation.reports.queries.bundles import ReadyBundle, bundle_name, bundle_ready


class BundleSerializer(RowSerializer[ReadyBundle]):
    """The latest bundle; `is_current` unless the study has changed since."""

    class Meta:
        dataclass = ReadyBundle
        exclude = ("path",)


class StudyBundle(StudyView):
    @reading("study_bundle", BundleSerializer)
    def get(self, **_: Any) -> Any:
        """The latest bundle; 404 before there is one."""
        return _bundle(self)


class StudyBundleFile(StudyView):
    @extend_schema(
        operation_id="study_bundle_file",
        responses=file_of("application/zip", "The bundle, as `study verify-bundle` reads it."),
    )
    def get(self, _request: Request, **_: Any) -> HttpResponseBase:
        """The zip with everything that the numbers of the study follow from."""
        return FileResponse(
            _bundle(self).path.open("rb"),
            as_attachment=True,
            filename=bundle_name(self.study),
            content_type="application/zip",
        )


def _bundle(view: StudyView) -> ReadyBundle:
    ready = bundle_ready(study=view.study)
    if ready is None:
        raise Http404
    return ready
