"""Bias reports of a study."""

from typing import Any

from django.http import FileResponse, Http404, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import StudyView
from annotation.api.operation_views import CostEstimateSerializer, StudyOperationView, does
from annotation.api.schema import file_of
from annotation.api.serializers import NumberedSerializer, TaskSerializer
from annotation.core.operations import Result
from annotation.models import StudyReport
from annotation.reports.operations.create import CREATE_REPORT
from annotation.reports.queries.reports import (
    FOLDER,
    VALUES,
    ListedReport,
    report_path,
    report_statistics,
    study_report,
    study_reports,
)
from metrics.errors import InputError

_FILES = {
    "folder": (FOLDER, "application/zip"),
    "values": (VALUES, "application/vnd.apache.parquet"),
}


class ReportSerializer(NumberedSerializer[StudyReport]):
    """A report: its parameters and inputs, and the task that makes it."""

    parameters = serializers.DictField()
    inputs = serializers.DictField()
    summary = serializers.DictField()
    task = serializers.SerializerMethodField()

    class Meta:
        model = StudyReport
        fields = (
            "number", "name", "parameters", "inputs", "labels_digest", "summary", "actor",
            "created_at", "made_at", "archived_at", "task",
        )  # fmt: skip

    @extend_schema_field(TaskSerializer(allow_null=True))
    def get_task(self, report: StudyReport) -> Any:
        task = self.context["tasks"].get(report.pk)
        return None if task is None else TaskSerializer(task).data


@does(
    CREATE_REPORT,
    "study_report_create",
    responses={202: ReportSerializer, 200: CostEstimateSerializer},
    sample={"runs": ["BM25", "LSA"], "scored": "word-1f2e.parquet", "batches": [1]},
)
class Reports(StudyOperationView):
    @extend_schema(operation_id="study_reports", responses=ReportSerializer(many=True))
    def get(self, _request: Request, **_: Any) -> Response:
        """The bias reports of a study, the latest first."""
        return Response(_shown(*study_reports(study=self.study)))

    def answer(self, done: Result) -> Response:
        (members,) = _shown(ListedReport(*done.made))
        return Response(members, status=status.HTTP_202_ACCEPTED)


class Report(StudyView):
    @extend_schema(operation_id="study_report", responses=ReportSerializer)
    def get(self, _request: Request, report: int, **_: Any) -> Response:
        """One report, and its progress."""
        (members,) = _shown(_listed(self, report))
        return Response(members)


class ReportStatistics(StudyView):
    @extend_schema(operation_id="study_report_statistics", responses=OpenApiTypes.OBJECT)
    def get(self, _request: Request, report: int, **_: Any) -> Response:
        """Intervals, tests, uncertain and other labels, and facts of a finished report."""
        return Response(report_statistics(_made(self, report)))


class ReportFile(StudyView):
    """`folder` is the zip with every table and figure, `values` a Parquet file of every query."""

    @extend_schema(
        operation_id="study_report_file",
        responses={
            **file_of("application/zip", "`folder`: the files that the command `report` writes."),
            **file_of("application/vnd.apache.parquet", "`values`: one row per query and measure."),
        },
    )
    def get(self, _request: Request, report: int, file: str, **_: Any) -> HttpResponseBase:
        """A file of a report: `folder` or `values`."""
        if file not in _FILES:
            raise Http404
        name, content_type = _FILES[file]
        path = report_path(_made(self, report), name)
        return FileResponse(
            path.open("rb"),
            as_attachment=True,
            filename=f"report-{report}-{name}",
            content_type=content_type,
        )


def _listed(view: StudyView, number: int) -> ListedReport:
    try:
        return study_report(study=view.study, number=number)
    except InputError:
        raise Http404 from None


def _made(view: StudyView, number: int) -> StudyReport:
    report = _listed(view, number).report
    if report.made_at is None:
        raise Http404
    return report


def _shown(*listed: ListedReport) -> Any:
    tasks = {row.report.pk: row.task for row in listed}
    return ReportSerializer(
        [row.report for row in listed], many=True, context={"tasks": tasks}
    ).data
