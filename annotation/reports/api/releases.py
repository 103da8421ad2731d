"""The release of a study."""

from typing import Any

from django.http import FileResponse, Http404, HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from annotation.api.access import StudyView
from annotation.api.schema import file_of, reading
from annotation.api.serializers import RowSerializer
from annotation.reports.queries.releases import ReadyRelease, release_name, release_ready


class ReleaseSerializer(RowSerializer[ReadyRelease]):
    """The latest release; `is_current` unless the study has changed since."""

    class Meta:
        dataclass = ReadyRelease
        exclude = ("path",)


class StudyRelease(StudyView):
    @reading("study_release", ReleaseSerializer)
    def get(self, **_: Any) -> Any:
        """The latest release; 404 before there is one."""
        return _release(self)


class StudyReleaseFile(StudyView):
    @extend_schema(
        operation_id="study_release_file",
        responses=file_of("application/zip", "The release: tables, Croissant, RO-Crate, a card."),
    )
    def get(self, _request: Request, **_: Any) -> HttpResponseBase:
        """The zip of the release, to be unpacked and published."""
        return FileResponse(
            _release(self).path.open("rb"),
            as_attachment=True,
            filename=release_name(self.study),
            content_type="application/zip",
        )


def _release(view: StudyView) -> ReadyRelease:
    ready = release_ready(study=view.study)
    if ready is None:
        raise Http404
    return ready
