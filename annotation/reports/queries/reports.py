"""The bias reports of a study: the list, and the files of one, wherever they are stored."""

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from django.db.models import Max, Q

from annotation.models import AuditEvent, BatchQuery, Study, StudyReport, Task
from annotation.models.tasks import LIVE_STATES
from annotation.studies.queries.stored_files import stored_path
from annotation.vocabulary import AuditAction, TaskKind
from metrics.errors import InputError
from metrics.io.zips import open_zip
from metrics.results.stored import StoredResults, open_results

#: The files of a report, by name.
FOLDER, VALUES, STATISTICS = "report.zip", "per_query.parquet", "statistics.json"
_MOST_FILES = 10_000


@dataclass(frozen=True)
class ListedReport:
    """A report with its task, None for a lost one.

    `is_outdated` says whether a label of its batches has changed since it was made.
    """

    report: StudyReport
    task: Task | None
    is_outdated: bool = False

    @property
    def is_live(self) -> bool:
        return self.task is not None and self.task.state in LIVE_STATES


def study_reports(*, study: Study) -> list[ListedReport]:
    """The reports of a study that are not archived, newest first; three statements."""
    tasks: dict[int, Task] = {}
    for task in Task.objects.filter(study=study, kind=TaskKind.REPORT).order_by("pk"):
        tasks[task.arguments.get("report", 0)] = task
    reports = list(study.reports.filter(archived_at=None).order_by("-pk"))
    outdated = outdated_reports(reports)
    return [
        ListedReport(report, tasks.get(report.pk), is_outdated=report.pk in outdated)
        for report in reports
    ]


def study_report(*, study: Study, number: int) -> ListedReport:
    """One report of the study, by its number; `InputError` if the study has none such."""
    report = study.reports.filter(pk=number).first()
    if report is None:
        raise InputError(f"the study {study.name!r} has no report number {number}.")
    made = Task.objects.filter(study=study, kind=TaskKind.REPORT, arguments__report=number)
    is_outdated = bool(outdated_reports([report]))
    return ListedReport(report, made.order_by("-pk").first(), is_outdated=is_outdated)


def outdated_reports(reports: Sequence[StudyReport]) -> set[int]:
    """Return the keys of reports made before a label of their batches changed.

    The log has the time of the change; one statement.
    """
    on = {report: report.parameters["batches"] for report in reports if report.made_at is not None}
    batches = {number for numbers in on.values() for number in numbers}
    adjudicated = (AuditAction.QUERY_ADJUDICATED, AuditAction.ADJUDICATION_WITHDRAWN)
    decided = Q(action=AuditAction.LABELS_DECIDED, detail__changed__gt=0)
    events = AuditEvent.objects.filter(decided | Q(action__in=adjudicated), batch__in=batches)
    changed_at = dict(events.order_by().values_list("batch").annotate(Max("at")))
    return {
        report.pk
        for report, numbers in on.items()
        for number in numbers
        if number in changed_at and changed_at[number] > report.made_at
    }


def report_values(report: StudyReport) -> StoredResults:
    """Open every value of every query; only selected values are read."""
    return open_results(report_path(report, VALUES))


def report_statistics(report: StudyReport) -> dict[str, Any]:
    """Results beside the tables: intervals, tests, other label methods, facts."""
    statistics: dict[str, Any] = orjson.loads(report_path(report, STATISTICS).read_bytes())
    return statistics


def report_file(report: StudyReport, name: str) -> bytes:
    """A file of the report's folder; `InputError` if it has none of that name."""
    with _folder(report) as folder:
        try:
            return folder.read(name)
        except KeyError:
            raise InputError(f"the report has no file {name!r}.") from None


def report_files_by_stem(report: StudyReport) -> dict[str, list[str]]:
    """Group the names of the folder's files by table or figure."""
    names: dict[str, list[str]] = {}
    with _folder(report) as folder:
        for name in folder.namelist():
            names.setdefault(name.rpartition(".")[0], []).append(name)
    return names


def _folder(report: StudyReport) -> zipfile.ZipFile:
    """The report's files; those of an imported report come from a bundle."""
    path = report_path(report, FOLDER)
    try:
        return open_zip(path, most=_MOST_FILES)
    except zipfile.BadZipFile:
        raise InputError("is no folder of a report.", path=path) from None


def report_path(report: StudyReport, name: str) -> Path:
    """Where this machine can read a file of the report; `InputError` if it is gone."""
    stored: Mapping[str, Any] | None = report.files.get(name)
    if stored is None:
        raise InputError(f"report {report.pk} is not made yet.", remedy="Wait for it.")
    return stored_path(stored)


def queries_shown(report: StudyReport, qids: Sequence[str]) -> dict[str, BatchQuery]:
    """The queries with these ids in the batches of the report, else of its study; by id."""
    first = set(report.parameters["batches"])
    kept = BatchQuery.objects.filter(batch__study=report.study_id, batch__removed_at=None)
    queries = kept.filter(qid__in=qids, gold="")
    ordered = sorted(queries.order_by("pk"), key=lambda query: query.batch_id in first)
    return {query.qid: query for query in ordered}
