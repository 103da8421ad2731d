"""Requesting a bias report, which is made in the background."""

from dataclasses import dataclass, fields

from django.db import transaction

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.perform import perform
from annotation.models import Study
from annotation.reports.operations.make_report import MAKE_REPORT
from annotation.reports.operations.material import check_request
from annotation.reports.operations.reports import create_report
from annotation.reports.operations.request import ReportRequest
from annotation.vocabulary import LONGEST_OWN_NAME
from metrics.errors import InputError


@dataclass(frozen=True)
class CreateReportParameters(ReportRequest):
    """Parameters, with runs and files by their names; `paired` maps a run to its random twin."""

    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Name",
        help_text="Left out, the number is its name.",
    )

    @property
    def request(self) -> ReportRequest:
        """Fields of the measurement, without its name."""
        return ReportRequest(
            **{field.name: getattr(self, field.name) for field in fields(ReportRequest)}
        )


class CreateReport(Operation[Study, CreateReportParameters]):
    """Request a report; it is made in the background, and its task has the progress."""

    name = "create report"
    command = "report create"
    example = {"runs": ["BM25"], "scored": "collection", "batches": [7]}
    title = "New report"
    button = "Make the report"
    subject = Study
    parameters = CreateReportParameters

    def clean(self, subject: Study, parameters: CreateReportParameters) -> CreateReportParameters:
        check_request(subject, parameters.request)
        name = parameters.name
        if name and subject.reports.filter(name__iexact=name).exists():
            raise InputError(f"a report named {name!r} exists.", remedy="Choose another name.")
        return parameters

    def run(self, subject: Study, parameters: CreateReportParameters, run: Run) -> Result:
        # Where another report is being made, nothing is stored.
        with transaction.atomic():
            report = create_report(
                study=subject,
                request=parameters.request,
                actor=run.actor.name,
                name=parameters.name,
            )
            try:
                task = perform(MAKE_REPORT, subject, {"report": report.pk}, run.actor)
            except InputError as error:
                busy = InputError("a report is being made.", remedy="Wait for it, or cancel it.")
                raise busy from error
        return Result({"number": report.pk}, MAKE_REPORT.queued, made=(report, task))


CREATE_REPORT = CreateReport()
