"""What each kind of task about a study as a whole does: it calls one service."""

from collections.abc import Callable, Mapping

from annotation.models import Study, Task
from annotation.services.pool_documents import pool_documents_keep
from annotation.services.reports import report_make, report_steps
from annotation.services.study_pooling import PoolTerms, study_pool
from annotation.services.study_scoring import scoring_total, study_score
from annotation.tasks.work import Advance, Outcome, Work
from annotation.vocabulary import FileKind, TaskKind
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


def _score(study: Study, task: Task, advance: Advance) -> Outcome:
    file = study_score(study=study, actor=task.actor, advance=advance, **task.arguments)
    return Outcome({"file": file.name, "n_documents": file.summary["made_from"]["n_documents"]})


def _pool(study: Study, task: Task, advance: Advance) -> Outcome:
    terms = dict(task.arguments)
    name = terms.pop("name")
    pool = study_pool(
        study=study, name=name, terms=PoolTerms(**terms), actor=task.actor, advance=advance
    )
    pool_documents_keep(study=study, pool=pool, advance=advance)
    return Outcome({"pool": pool.pk, "name": pool.name, "n_pooled": pool.summary["n_pooled"]})


def _report(task: Task) -> int:
    number: int = task.arguments["report"]
    return number


def _make_report(_study: Study, task: Task, advance: Advance) -> Outcome:
    report = report_make(report_id=_report(task), advance=advance)
    return Outcome({"report": report.pk, "n_queries": report.summary["n_queries"]})


STUDY_WORK: Mapping[str, Work] = {
    TaskKind.SCORE: _of_study(scoring_total, _score),
    TaskKind.POOL: _of_study(lambda study: study.files.filter(kind=FileKind.RUN).count(), _pool),
    TaskKind.REPORT: Work(
        lambda task: report_steps(report_id=_report(task)),
        _of_study(lambda _study: None, _make_report).do,
    ),
}
