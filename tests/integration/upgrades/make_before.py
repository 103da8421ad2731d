"""Make `before.tar.gz`: a data folder of version 0.1 in which a job of every kind waits.

Run it in a checkout of commit ea0427d, with the environment of this one:

    git worktree add ../before ea0427d && cd ../before
    python /PATH/TO/make_before.py before.tar.gz
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from urllib.error import URLError

PORT = 8397
FOLDER = Path(tempfile.mkdtemp())
sys.path.insert(0, str(Path.cwd()))
os.environ |= {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "FAIRPOOL_DATA_DIR": str(FOLDER),
    "MTURK_LOCAL_ENDPOINT": f"http://127.0.0.1:{PORT}/mturk/",
}

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402

from annotation.models import Assignment, Batch, Study, Task  # noqa: E402
from annotation.services.batches import batch_create  # noqa: E402
from annotation.services.collecting import batch_collect  # noqa: E402
from annotation.services.kept_out import worker_keep_out  # noqa: E402
from annotation.services.labels import batch_label  # noqa: E402
from annotation.services.planning import BatchPlan, PlannedQuery  # noqa: E402
from annotation.services.publishing import batch_publish  # noqa: E402
from annotation.services.redundancy import redundancy_begin  # noqa: E402
from annotation.services.report_material import ReportRequest  # noqa: E402
from annotation.services.reports import report_create  # noqa: E402
from annotation.services.scorings import scoring_begin  # noqa: E402
from annotation.services.simulation import batch_simulate, crowd_of  # noqa: E402
from annotation.services.studies import study_create  # noqa: E402
from annotation.services.study_files import study_file_add  # noqa: E402
from annotation.services.study_pooling import study_pool, PoolTerms  # noqa: E402
from annotation.services.study_scoring import study_score  # noqa: E402
from annotation.services.task_queue import task_enqueue  # noqa: E402
from annotation.vocabulary import TaskKind  # noqa: E402
from metrics.lexicon import read_lexicon  # noqa: E402
from metrics.shards import plan_shards  # noqa: E402

ACTOR = "anna"
#: What is asked of a batch of its own each, in the words of that version.
OF_BATCHES = {
    TaskKind.PUBLISH: {},
    TaskKind.COLLECT: {"approve": True},
    TaskKind.EXPIRE: {},
    TaskKind.LABEL: {"method": "dawid_skene"},
    TaskKind.EXTEND: {"until": "2027-06-01T12:00+00:00"},
    TaskKind.TOP_UP: {"assignments": 4},
    TaskKind.ASK: {},
    TaskKind.APPROVE: {"feedback": "Thank you."},
    TaskKind.BONUS: {"amount": "0.05", "reason": "Careful work."},
    TaskKind.KEEP_OUT: {},
    TaskKind.BUNDLE: {},
}
COLLECTION = "".join(
    f"d{i}\t{text}\n"
    for i, text in enumerate(
        ["She fixed her sink.", "He fixed his sink.", "A sink was fixed.", "The king and his tap."]
    )
)
QUERIES = "q0\tkitchen sink\nq1\twater tap\n"
RUN = "".join(f"q{q} Q0 d{(q + i) % 4} {i + 1} {9 - i} bm25\n" for q in range(2) for i in range(4))


def main(output: str) -> None:
    call_command("migrate", verbosity=0)
    call_command("migrate", database="crowd", verbosity=0)
    with subprocess.Popen([sys.executable, "manage.py", "serve", "--port", str(PORT)]) as site:
        try:
            reached = False
            while not reached:
                time.sleep(0.5)
                with suppress(URLError, ConnectionError):
                    urllib.request.urlopen(f"http://127.0.0.1:{PORT}/annotate/").close()
                    reached = True
            for kind, arguments in OF_BATCHES.items():
                prepare_batch(kind)
        finally:
            site.terminate()
    # Now that no worker runs any more.
    for kind, arguments in OF_BATCHES.items():
        batch = Batch.objects.get(name=kind)
        task_enqueue(kind=kind, batch_id=batch.pk, actor=ACTOR, arguments=arguments)
    prepare_study()
    assert set(Task.objects.filter(state="queued").values_list("kind", flat=True)) == set(
        TaskKind.values
    )
    for connection in connections.all():
        connection.cursor().execute("VACUUM")
        connection.close()
    with tarfile.open(output, "w:gz") as archive:
        for path in sorted(FOLDER.rglob("*")):
            if path.is_file() and path.suffix != ".log":
                archive.add(path, path.relative_to(FOLDER))


def prepare_batch(kind: str) -> None:
    queries = [PlannedQuery(f"{kind}-{i}", f"query {i}") for i in range(2)]
    n_votes = 2 if kind == TaskKind.ASK else 3
    plan = BatchPlan(name=kind, queries=queries, queries_per_hit=2, assignments_per_hit=n_votes)
    batch = batch_create(plan=plan, environment="local", actor=ACTOR)
    if kind == TaskKind.ASK:
        redundancy_begin(batch=batch, actor=ACTOR)
    if kind == TaskKind.PUBLISH:
        return
    batch_publish(batch_id=batch.pk, actor=ACTOR)
    truth = {f"{kind}-0": "n", f"{kind}-1": "f"}
    batch_simulate(batch=batch, truth=truth, crowd=crowd_of(seed=1, n_workers=4, accuracy=0.7))
    if kind != TaskKind.COLLECT:
        batch_collect(batch_id=batch.pk, actor=ACTOR)
    if kind == TaskKind.BUNDLE:
        batch_label(batch=batch, method="majority", actor=ACTOR)
    if kind == TaskKind.KEEP_OUT:
        worker = Assignment.objects.filter(hit__batch=batch).first().worker
        worker_keep_out(batch=batch, worker=worker, reason="Too fast.", actor=ACTOR)


def prepare_study() -> None:
    study = study_create(name="waiting", actor=ACTOR)
    for kind, name, text in (
        ("collection", "collection.tsv", COLLECTION),
        ("queries", "queries.tsv", QUERIES),
        ("run", "bm25.run", RUN),
    ):
        stream = BytesIO(text.encode())
        study_file_add(study=study, kind=kind, stream=stream, filename=name, actor=ACTOR)
    scored = study_score(study=study, actor=ACTOR)
    study_pool(study=study, name="first", terms=PoolTerms(cutoff=1), actor=ACTOR)
    report = report_create(study=study, asked=ReportRequest(["bm25"], scored.name), actor=ACTOR)
    for kind, arguments in (
        (TaskKind.SCORE, {"tokenizer": "whitespace"}),
        (
            TaskKind.POOL,
            {
                "name": "second",
                "cutoff": 2,
                "rank_cutoff": 10,
                "magnitude": "tf",
                "missing": "error",
            },
        ),
        (TaskKind.REPORT, {"report": report.pk}),
    ):
        task_enqueue(kind=kind, study_id=study.pk, actor=ACTOR, arguments=arguments)
    alone = FOLDER / "alone.tsv"
    alone.write_text(COLLECTION)
    scoring_begin(
        plan=plan_shards([alone]),
        lexicon=read_lexicon(None),
        tokenizer="word",
        parts=str(FOLDER / "parts"),
        actor=ACTOR,
    )
    assert Study.objects.count() == 1


if __name__ == "__main__":
    main(sys.argv[1])
