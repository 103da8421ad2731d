"""The bias reports of a study: the list, and the files of one, wherever they are stored."""

import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
from django.db.models import Max, Q

from annotation.labels.export.label_formats.qrels import STANDING
from annotation.models import AuditEvent, BatchQuery, Labelling, Study, StudyReport, Task
from annotation.models.tasks import LIVE_STATES
from annotation.studies.queries.stored_files import stored_path
from annotation.vocabulary import OWN_CLASSIFIER, AuditAction, TaskKind
from metrics.errors import InputError
from metrics.io.zips import open_zip
from metrics.results.stored import StoredResults, open_results

#: The files of a report, by name.
FOLDER, VALUES, STATISTICS = "report.zip", "per_query.parquet", "statistics.json"
_MOST_FILES = 10_000


@dataclass(frozen=True)
class ListedReport:
    """A report with its task, None for a lost one.

    `is_outdated` says whether something that it rests on has changed since it was made.
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
    tasks = Task.objects.filter(study=study, kind=TaskKind.REPORT, arguments__report=number)
    is_outdated = bool(outdated_reports([report]))
    return ListedReport(report, tasks.order_by("-pk").first(), is_outdated=is_outdated)


def outdated_reports(reports: Sequence[StudyReport]) -> set[int]:
    """Return the keys of reports made before something changed that they rest on.

    That are the labels of their batches, those that judge passages included; the votes, where a
    report or a batch decides by them; and the labels of models beside them. The log has the times:
    at most four statements.
    """
    finished = [report for report in reports if report.made_at is not None]
    batches = {number for report in finished for number in _batches_of(report)}
    labels_changed = _latest(batches, _LABELS_CHANGED)
    votes_changed = _latest(batches, _VOTES_CHANGED)
    labelled = set(Labelling.objects.filter(batch__in=batches).values_list("batch", flat=True))
    models_changed = _models_changed({report.study_id for report in finished if _judges_of(report)})
    outdated = set()
    for report in finished:
        changed = [labels_changed.get(number) for number in _batches_of(report)]
        decides = bool(report.parameters.get("method"))
        judges_by_votes = report.parameters.get("judged_by", STANDING) != STANDING
        judging = report.parameters.get("judgments", ())
        for number in _batches_of(report):
            by_votes = judges_by_votes if number in judging else decides
            if by_votes or number not in labelled:
                changed.append(votes_changed.get(number))
        changed += [models_changed.get((report.study_id, name)) for name in _judges_of(report)]
        if any(at and report.made_at and at > report.made_at for at in changed):
            outdated.add(report.pk)
    return outdated


_LABELS_CHANGED = Q(action=AuditAction.LABELS_DECIDED, detail__changed__gt=0) | Q(
    action__in=(
        AuditAction.QUERY_ADJUDICATED,
        AuditAction.ADJUDICATION_WITHDRAWN,
        AuditAction.LABELS_IMPORTED,
    )
)
_VOTES_CHANGED = Q(action=AuditAction.ANSWERS_COLLECTED, detail__votes__gt=0) | Q(
    action__in=(
        AuditAction.VOTES_IMPORTED,
        AuditAction.ANSWERS_WITHDRAWN,
        AuditAction.ANSWERS_READ_AGAIN,
        AuditAction.REJECTED,
        AuditAction.RESTORED,
        AuditAction.PANELS_LIST_IMPORTED,
        AuditAction.VOTES_DISCARDED,
        AuditAction.VOTES_RESTORED,
    )
)
_MODELS_CHANGED = (
    AuditAction.MODEL_LABELS_IMPORTED,
    AuditAction.MODEL_LABELS_REMOVED,
    AuditAction.MODEL_ASKED,
    AuditAction.CLASSIFIER_TRAINED,
)


def _batches_of(report: StudyReport) -> list[int]:
    return [*report.parameters["batches"], *report.parameters.get("judgments", ())]


def _judges_of(report: StudyReport) -> list[str]:
    """The names of the models whose labels it compares with those of people."""
    return list(report.inputs.get("judges", ()))


def _latest(batches: Collection[int], which: Q) -> dict[int, datetime]:
    """The time of the latest such event of each batch."""
    events = AuditEvent.objects.filter(which, batch__in=batches)
    return dict(events.order_by().values_list("batch").annotate(Max("at")))


def _models_changed(studies: Collection[int]) -> dict[tuple[int, str], datetime]:
    """When the labels of a model, by study and name, changed last."""
    if not studies:
        return {}
    events = AuditEvent.objects.filter(study__in=studies, action__in=_MODELS_CHANGED)
    changed: dict[tuple[int, str], datetime] = {}
    for study, detail, at in events.order_by("at").values_list("study", "detail", "at"):
        trained = {"model": OWN_CLASSIFIER} if isinstance(detail.get("labels"), int) else {}
        named = [model] if (model := (trained | detail).get("model")) else detail["labels"]
        changed |= {(study, name): at for name in named}
    return changed


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
        raise InputError("is not a folder of a report.", path=path) from None


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
