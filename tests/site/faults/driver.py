"""A process with Django loaded that does on request what a person would type.

Each line on standard input is JSON `[verb, argument, ...]`; each gets one line of JSON back. What
meets a database that is away is tried again until it is back.
"""

import io
import json
import sys
import time
from collections import Counter
from io import BytesIO
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django must be set up before models are imported
from django.core.management import CommandError, call_command  # noqa: E402
from django.db import DatabaseError, connections  # noqa: E402
from django.db.models.functions import Now  # noqa: E402
from pyarrow import parquet  # noqa: E402

from annotation.batches.operations.batches import create_batch  # noqa: E402
from annotation.batches.operations.planning import BatchPlan, PlannedQuery  # noqa: E402
from annotation.core.perform import queue_job  # noqa: E402
from annotation.crowd.connection import environment_gateway  # noqa: E402
from annotation.models import HIT, Assignment, Batch, Study, StudyFile, Task, Vote  # noqa: E402
from annotation.overview.operations.simulation import _joining_link  # noqa: E402
from annotation.studies.file_store import local_path  # noqa: E402
from annotation.studies.operations.files import add_study_file  # noqa: E402
from annotation.vocabulary import FileKind, TaskState  # noqa: E402

ASSIGNMENTS = 2
_SECONDS_TO_COME_BACK = 180


def create(name: str, n_hits: int, n_documents: int) -> None:
    """A batch of one query a HIT, and a study with a collection to score."""
    queries = [PlannedQuery(f"{name}-{i}", f"query {i}") for i in range(n_hits)]
    plan = BatchPlan(name=name, queries=queries, queries_per_hit=1, assignments_per_hit=ASSIGNMENTS)
    study = Study.objects.create(name=name)
    create_batch(plan=plan, environment="local", actor="test", study=study)
    lines = (f"d{i}\t{name} {i}: the queen and he, a king\n" for i in range(n_documents))
    add_study_file(
        study=study,
        kind=FileKind.COLLECTION,
        stream=BytesIO("".join(lines).encode()),
        filename="collection.tsv",
        actor="test",
    )


def send(kind: str, name: str) -> int:
    """Ask for work on the batch of this name, or for scoring on the study of this name."""
    about: Any = Study if kind == "score" else Batch
    return queue_job(kind=kind, subject=about.objects.get(name=name), actor="test")[0].pk


def state(task_id: int) -> str:
    """The state of a task, with the reason if it failed."""
    task = Task.objects.get(pk=task_id)
    return f"{task.state}: {task.error}" if task.state == TaskState.FAILED else str(task.state)


def hurry() -> None:
    """Let what waits, because something was away, wait no longer."""
    Task.objects.filter(state=TaskState.QUEUED).update(run_after=Now())


def hit_ids(name: str) -> list[str]:
    hits = HIT.objects.filter(batch__name=name, hit_id__isnull=False)
    return [str(hit.hit_id) for hit in hits]


def link(worker_id: str) -> str:
    return _joining_link(
        f"{settings.MTURK_LOCAL_ENDPOINT.removesuffix('mturk/')}annotate/", worker_id
    )


def whole(name: str) -> dict[str, Any]:
    """What became of a batch and of its study's collection."""
    crowd = [
        hit for hit in environment_gateway("local").list_hits() if hit.hit_id in set(hit_ids(name))
    ]
    votes = Vote.objects.filter(query__batch__name=name, counts=True)
    scored = StudyFile.objects.filter(study__name=name, kind=FileKind.MAGNITUDES)
    return {
        "hits": len(crowd),
        "most_of_one": max(Counter(hit.annotation for hit in crowd).values(), default=0),
        "assignments": sorted(
            Assignment.objects.filter(hit__batch__name=name).values_list("assignment_id", flat=True)
        ),
        "votes": sorted(votes.values_list("worker__worker_id", "query__qid", "choices__option")),
        "scored": [parquet.ParquetFile(local_path(file)).metadata.num_rows for file in scored],
    }


def unfinished() -> list[str]:
    live = Task.objects.filter(state__in=(TaskState.QUEUED, TaskState.RUNNING))
    return [str(task) for task in live]


def broken(name: str) -> dict[str, Any]:
    """What `site check --reconcile` finds, in both databases and at the crowd."""
    output = io.StringIO()
    try:
        call_command("site", "check", "--json", "--quiet", "--reconcile", name, stdout=output)
    except CommandError as error:
        return {"check_invariants": str(error)}
    found: dict[str, Any] = json.loads(output.getvalue())["broken"]
    return found


def main() -> None:
    verbs = (create, send, state, hurry, hit_ids, link, whole, unfinished, broken)
    by_name = {verb.__name__: verb for verb in verbs}
    for line in sys.stdin:
        verb, *arguments = json.loads(line)
        deadline = time.monotonic() + _SECONDS_TO_COME_BACK
        while True:
            try:
                result = by_name[verb](*arguments)
                break
            except DatabaseError:
                connections.close_all()
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
