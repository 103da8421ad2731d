"""Delete a bias report."""

from dataclasses import dataclass
from functools import partial

from django.db import transaction

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import AuditEvent, Study, StudyReport
from annotation.reports.queries.reports import study_report
from annotation.studies.file_store import store
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class DeleteReportParameters:
    report: int = parameter(min_value=1, max_value=2**63 - 1, help_text="Number of the report.")


class DeleteReport(Operation[Study, DeleteReportParameters]):
    """Delete a bias report with its files. What it was made from stays, and so does the log."""

    name = "delete report"
    title = "Delete report"
    button = "Delete"
    subject = Study
    parameters = DeleteReportParameters

    def run(self, subject: Study, parameters: DeleteReportParameters, run: Run) -> Result:
        listed = study_report(study=subject, number=parameters.report)
        if listed.is_live:
            raise InputError("the report is being made.", remedy="Wait for it, or cancel it.")
        report, number = listed.report, listed.report.pk
        detail = {"report": number, "parameters": report.parameters, "inputs": report.inputs}
        paths = [one["path"] for one in report.files.values()]
        with transaction.atomic():
            StudyReport.objects.filter(pk=number).delete()
            AuditEvent.objects.create(
                study=subject, actor=run.actor.name, action="report deleted", detail=detail
            )
            for path in paths:
                # Gone from the table first: what is left over of files is found as an orphan.
                transaction.on_commit(partial(store().delete, path))
        return Result(message=f"Report {number} is deleted.")


DELETE_REPORT = DeleteReport()
