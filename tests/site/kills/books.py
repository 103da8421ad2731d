"""A process with Django loaded that asks for models, reports and scores, and reads their books.

Each line on standard input is JSON `[verb, argument, ...]`; each gets one line of JSON back.
"""

import io
import json
import sys
from typing import Any

import django

django.setup()

from django.db.models.functions import Now  # noqa: E402 - Django must be set up before models are imported

from annotation.batches.operations.ask_model import ASK_MODEL  # noqa: E402
from annotation.batches.operations.batches import create_batch  # noqa: E402
from annotation.batches.operations.planning import BatchPlan, PlannedQuery  # noqa: E402
from annotation.core.operations import Actor  # noqa: E402
from annotation.core.perform import perform, perform_here, queue_job  # noqa: E402
from annotation.core.task_progress import tasks_due  # noqa: E402
from annotation.core.wake import tasks_wake_for  # noqa: E402
from annotation.models import Batch, ModelLabel, Study, Task  # noqa: E402
from annotation.overview.queries.invariants import broken_invariants  # noqa: E402
from annotation.reports.operations.create import CREATE_REPORT  # noqa: E402
from annotation.reports.operations.make_report import MAKE_REPORT  # noqa: E402
from annotation.studies.operations.files import add_study_file  # noqa: E402
from annotation.vocabulary import FileKind, TaskKind, TaskState  # noqa: E402
from metrics.errors import InputError  # noqa: E402

N_QUERIES, N_DOCUMENTS, N_RUNS = 120, 60_000, 3
_ACTOR = Actor("test")


def create(name: str) -> None:
    """A study with a collection, queries and runs, whatever its name the same, and a batch."""
    study = Study.objects.create(name=name)
    queries = [PlannedQuery(f"q{i}", f"query {i}") for i in range(N_QUERIES)]
    plan = BatchPlan(name=name, queries=queries, queries_per_hit=10, assignments_per_hit=1)
    create_batch(plan=plan, environment="local", actor="test", study=study)
    words = ("the queen", "a king", "he and she", "rain", "her mother")
    _add(
        study,
        FileKind.COLLECTION,
        "collection.tsv",
        (f"d{i}\t{words[i % 5]} {i % 97} {words[i % 3]}\n" for i in range(N_DOCUMENTS)),
    )
    _add(study, FileKind.QUERIES, "queries.tsv", (f"q{i}\tquery {i}\n" for i in range(N_QUERIES)))
    for run in range(N_RUNS):
        lines = (
            f"q{i} Q0 d{(i * 31 + rank * (run + 7)) % N_DOCUMENTS} {rank} {100 - rank} r{run}\n"
            for i in range(N_QUERIES)
            for rank in range(1, 51)
        )
        _add(study, FileKind.RUN, f"r{run}.run", lines)


def _add(study: Study, kind: str, filename: str, lines: Any) -> None:
    stream = io.BytesIO("".join(lines).encode())
    add_study_file(study=study, kind=kind, stream=stream, filename=filename, actor="test")


def score(name: str) -> int:
    study = Study.objects.get(name=name)
    return queue_job(kind=TaskKind.SCORE, subject=study, actor="test")[0].pk


def ask(name: str, address: str) -> int:
    """Queue the questions that have no answer yet."""
    values = {"address": address, "model": "double", "budget": "100"}
    task = perform(ASK_MODEL, Batch.objects.get(name=name), values, _ACTOR)
    assert isinstance(task, Task)
    return task.pk


def report(name: str) -> int:
    """Queue the study's report, also once more where the job was given up."""
    study = Study.objects.get(name=name)
    known = study.reports.first()
    if known is not None:
        task = perform(MAKE_REPORT, study, {"report": known.pk}, _ACTOR)
        assert isinstance(task, Task)
        return task.pk
    values = {
        "runs": [f"r{run}" for run in range(N_RUNS)],
        "scored": study.files.get(kind=FileKind.MAGNITUDES).name,
        "batches": [],
        "cutoffs": [5, 10],
    }
    _, task = perform_here(CREATE_REPORT, study, values, _ACTOR).made
    return int(task.pk)


def progress(task: int) -> tuple[str, int]:
    """The task's state, and how often somebody has begun it."""
    row = Task.objects.get(pk=task)
    return str(row.state), row.attempts


def hurry() -> None:
    """Let what a killed worker left wait no longer, and wake workers for it, as beat does."""
    Task.objects.filter(state=TaskState.QUEUED).update(run_after=Now())
    tasks_wake_for(tasks_due())


def books(name: str) -> dict[str, Any]:
    """What stands of the study: scores, values of the report, labels of the model."""
    study = Study.objects.get(name=name)
    labels = ModelLabel.objects.filter(rater__study=study)
    return {
        "scores": [file.digest for file in study.files.filter(kind=FileKind.MAGNITUDES)],
        "reports": [report.files["per_query.parquet"]["digest"] for report in study.reports.all()],
        "labels": sorted(labels.values_list("qid", "category")),
        "models": study.model_raters.count(),
    }


def broken() -> dict[str, Any]:
    return {sentence: str(found) for sentence, found in broken_invariants().items() if found}


def main() -> None:
    verbs = (create, score, ask, report, progress, hurry, books, broken)
    by_name = {verb.__name__: verb for verb in verbs}
    for line in sys.stdin:
        verb, *arguments = json.loads(line)
        result: Any
        try:
            result = by_name[verb](*arguments)
        except InputError as error:
            result = f"refused: {error}"
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
