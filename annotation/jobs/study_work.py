"""What each kind of task about a study as a whole does: it calls one service."""

from collections.abc import Callable, Mapping

from annotation.core.operations import Advance
from annotation.jobs.work import Outcome, Work
from annotation.models import Study, Task
from annotation.reports.operations.reports import report_make, report_steps
from annotation.vocabulary import TaskKind
from metrics.errors import InputError


def _of_study(
    total: Callable[[Study], int | None], do: Callable[[Study, Task, Advance], Outcome]
) -> Work:
    def study_of(task: Task) -> Study:
        if task.study is None:
            raise InputError(f"a task {task.kind!r} is about a study.", remedy="Name the study.")
        return task.study

    return Work(
        lambda task: total(study_of(task)),
        lambda task, advance: do(study_of(task), task, advance),
    )


def _report(task: Task) -> int:
    number: int = task.arguments["report"]
    return number


def _make_report(_study: Study, task: Task, advance: Advance) -> Outcome:
    report = report_make(report_id=_report(task), advance=advance)
    return Outcome({"report": report.pk, "n_queries": report.summary["n_queries"]})


STUDY_WORK: Mapping[str, Work] = {
    TaskKind.REPORT: Work(
        lambda task: report_steps(report_id=_report(task)),
        _of_study(lambda _study: None, _make_report).do,
    ),
}
