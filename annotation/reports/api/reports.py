"""Bias reports of a study."""

from typing import Any

from django.http import FileResponse, Http404, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import StudyView
from annotation.api.schema import example, file_of
from annotation.api.shapes import CATEGORIES, DECIDING
from annotation.core.queue import task_send
from annotation.models import StudyReport
from annotation.overview.api.tasks import TaskShape
from annotation.reports.operations.material import ReportRequest
from annotation.reports.operations.reports import report_create, report_withdraw
from annotation.reports.queries.comparison import STRICT
from annotation.reports.queries.reports import (
    FOLDER,
    VALUES,
    ListedReport,
    report_path,
    report_statistics,
    study_report,
    study_reports,
)
from annotation.vocabulary import MissingRule, OrderRule, TaskKind
from metrics.errors import InputError
from metrics.texts.magnitude import MAGNITUDES

_FILES = {
    "folder": (FOLDER, "application/zip"),
    "values": (VALUES, "application/vnd.apache.parquet"),
}
_MOST = 100
_NAME: dict[str, Any] = {"max_length": 100}


class ReportAsked(serializers.Serializer[Any]):
    """Runs and files go by their names in the study; `paired` maps a run to its random twin."""

    name = serializers.CharField(
        **_NAME, default="", help_text="Left out, the report goes by its number."
    )
    runs = serializers.ListField(
        child=serializers.CharField(**_NAME), min_length=1, max_length=_MOST
    )
    scored = serializers.CharField(**_NAME, help_text="Name of the scored collection.")
    batches = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        max_length=_MOST,
        default=list,
        help_text="Whose labels count; without one, every query of the runs is measured.",
    )
    category = serializers.ChoiceField(choices=[*CATEGORIES, ("all", "All")], default="n")
    method = serializers.ChoiceField(
        choices=[*DECIDING, (STRICT, "More than half of the votes")],
        default="",
        help_text="Left out, the labels that stand.",
    )
    magnitudes = serializers.ListField(
        child=serializers.ChoiceField(choices=list(MAGNITUDES)),
        min_length=1,
        max_length=len(MAGNITUDES),
        default=lambda: list(ReportRequest.magnitudes),
    )
    cutoffs = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=1_000),
        min_length=1,
        max_length=10,
        default=lambda: list(ReportRequest.cutoffs),
    )
    baseline = serializers.CharField(**_NAME, default="")
    paired = serializers.DictField(child=serializers.CharField(**_NAME), default=dict)
    background = serializers.CharField(**_NAME, default=ReportRequest.background)
    missing = serializers.ChoiceField(choices=MissingRule.choices, default="error")
    order = serializers.ChoiceField(choices=OrderRule.choices, default="default")
    with_qrels = serializers.BooleanField(default=False)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)


class ReportShape(serializers.ModelSerializer[StudyReport]):
    """A report: what it was asked to be, what it was made from, and the task that makes it."""

    number = serializers.IntegerField(source="pk", read_only=True)
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

    @extend_schema_field(TaskShape(allow_null=True))
    def get_task(self, report: StudyReport) -> Any:
        task = self.context["tasks"].get(report.pk)
        return None if task is None else TaskShape(task).data


class Reports(StudyView):
    @extend_schema(operation_id="study_reports", responses=ReportShape(many=True))
    def get(self, _request: Request, **_: Any) -> Response:
        """The bias reports of a study, the latest first."""
        return Response(_shown(*study_reports(study=self.study)))

    @extend_schema(
        operation_id="study_report_create",
        request=ReportAsked,
        responses={202: ReportShape},
        examples=[
            example({"runs": ["BM25", "LSA"], "scored": "word-1f2e.parquet", "batches": [1]})
        ],
    )
    def post(self, _request: Request, **_: Any) -> Response:
        """Ask for a report; it is made in the background, and its task tells how far it is."""
        given = self.given(ReportAsked)
        name = given.pop("name")
        asked = ReportRequest(**given)
        report = report_create(study=self.study, asked=asked, actor=self.actor, name=name)
        task = task_send(
            kind=TaskKind.REPORT, study_id=self.study.pk, actor=self.actor, report=report.pk
        )
        if task.arguments.get("report") != report.pk:
            report_withdraw(report=report)
            raise InputError("a report is being made.", remedy="Wait for it, or cancel its task.")
        (shown,) = _shown(ListedReport(report, task))
        return Response(shown, status=status.HTTP_202_ACCEPTED)


class Report(StudyView):
    @extend_schema(operation_id="study_report", responses=ReportShape)
    def get(self, _request: Request, report: int, **_: Any) -> Response:
        """One report, and how far it is."""
        (shown,) = _shown(_listed(self, report))
        return Response(shown)


class ReportStatistics(StudyView):
    @extend_schema(operation_id="study_report_statistics", responses=OpenApiTypes.OBJECT)
    def get(self, _request: Request, report: int, **_: Any) -> Response:
        """Intervals, tests, correlations, other labels and facts of a report that is made."""
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
    tasks = {one.report.pk: one.task for one in listed}
    return ReportShape([one.report for one in listed], many=True, context={"tasks": tasks}).data
