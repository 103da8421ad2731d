"""Making a requested bias report."""

from dataclasses import dataclass

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import ROW_NUMBER, parameter
from annotation.models import Study
from annotation.reports.operations.reports import make_report, report_steps
from annotation.vocabulary import TaskKind
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class MakeReportParameters:
    report: int = parameter(**ROW_NUMBER, help_text="Number of the report.")


class MakeReport(Operation[Study, MakeReportParameters]):
    """Measure for a requested report, and store its tables and figures."""

    name = "report"
    command = "report remake"
    example = {"report": 7}
    title = "Make report"
    queued = "The report is being made. Progress updates live."
    subject = Study
    parameters = MakeReportParameters
    job = TaskKind.REPORT
    unit = "steps"

    def clean(self, subject: Study, parameters: MakeReportParameters) -> MakeReportParameters:
        if not subject.reports.filter(pk=parameters.report).exists():
            raise InputError(f"the study has no report {parameters.report}.")
        return parameters

    def units(self, subject: Study, parameters: MakeReportParameters) -> int:
        return report_steps(report_id=parameters.report)

    def run(self, subject: Study, parameters: MakeReportParameters, run: Run) -> Result:
        report = make_report(report_id=parameters.report, advance=run.advance)
        values = {"report": report.pk, "n_queries": report.summary["n_queries"]}
        return Result(values, "The report is made.")


MAKE_REPORT = MakeReport()
