"""Scoring and pooling a study in the background: once, whole, and told with file and line."""

from html import unescape
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.batches.operations.batches import create_batch
from annotation.batches.operations.planning import BatchPlan
from annotation.batches.operations.queries import queries_from_pool, without_batched
from annotation.core.operations import Actor
from annotation.core.perform import perform_here, queue_job
from annotation.core.task_queue import task_cancel
from annotation.jobs.execution import run_job
from annotation.models import AuditEvent, Study, StudyFile, StudyPool, Task
from annotation.overview.queries.flow import study_flow
from annotation.overview.queries.steps import next_step, steps_of
from annotation.reports.pages.forms import ReportForm
from annotation.schemes import built_in_scheme
from annotation.studies.file_store import local_path
from annotation.studies.operations.add_file import ADD_FILE
from annotation.studies.operations.files import study_file_point_to
from annotation.studies.operations.pool import BUILD_POOL, free_pool_name
from annotation.studies.operations.score import study_score
from annotation.studies.queries.files_looked_at import files_looked_at
from annotation.vocabulary import FileKind, TaskKind, TaskState
from metrics.errors import InputError
from metrics.io.digests import digest_of
from metrics.runs.reading import read_run
from metrics.texts.lexicon import read_lexicon
from metrics.texts.scoring import score_collection
from pooling.models import Pool
from tests.annotation.studies.material import a_run, add, below, collection, queries, with_files
from tests.commands import failure, run, run_json
from tests.performing import remove

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(folders: Path) -> Study:
    return with_files(Study.objects.create(name="gender"))


def score(study: Study) -> Task:
    queue_job(kind=TaskKind.SCORE, subject=study, actor="test")
    return done()


def pool(study: Study, name: str = "", cutoff: int = 3, tokenizer: str = "word") -> Task:
    name = name or free_pool_name(study)
    terms = {"name": name, "cutoff": cutoff, "tokenizer": tokenizer}
    queue_job(kind=TaskKind.POOL, subject=study, actor="test", arguments=terms)
    return done()


def done() -> Task:
    task = run_job()
    assert task is not None
    return task


def states(study: Study) -> dict[str, str]:
    return {step.key: str(step.state) for step in steps_of(study_flow(study=study))}


def test_warnings_about_files_stand_where_the_pool_is_made(client: Client, study: Study) -> None:
    odd = b"q0 Q0 d1 1 1.0 t\nq0 Q0 d2 2 2.0 t\nq1 Q0 d1 1 9.0 t\n"
    warnings = add(study, FileKind.RUN, odd, "odd.run").warnings
    score(study)
    page = unescape(client.get(reverse("study-detail", args=[study.pk])).content.decode())
    pooling = page[page.index('id="pool"') : page.index('id="batches"')]
    assert warnings
    assert all(warning in pooling for warning in warnings)


@pytest.mark.parametrize("engine", ["", "processes"])
def test_a_scored_collection_has_the_bytes_of_score_collection(
    engine: str, study: Study, settings: Settings, tmp_path: Path
) -> None:
    settings.SCORE_ENGINE = engine
    task = score(study)
    assert (task.state, task.error) == (TaskState.DONE, "")
    assert task.done == task.total == len(collection()) // 1_000
    file = StudyFile.objects.get(study=study, kind=FileKind.MAGNITUDES)
    (tmp_path / "collection.tsv").write_bytes(collection())
    score_collection(tmp_path / "collection.tsv", tmp_path / "m.parquet", lexicon=read_lexicon())
    assert file.digest == digest_of(tmp_path / "m.parquet") == digest_of(local_path(file))


def test_what_is_done_twice_is_there_once(study: Study, folders: Path) -> None:
    for _ in range(2):
        assert score(study).result["n_documents"] == 60
    for _ in range(2):
        assert pool(study, "gender").state == TaskState.DONE
    assert StudyFile.objects.filter(kind=FileKind.MAGNITUDES).count() == 1
    assert Pool.objects.count() == StudyPool.objects.count() == 1
    assert len(below(folders / "stored" / str(study.pk) / "scored")) == 1
    assert below(folders / "uploads") == []
    done_once = AuditEvent.objects.filter(action__in=["collection scored", "queries pooled"])
    assert done_once.count() == 2


def test_a_file_that_a_killed_worker_left_whole_is_taken_over(study: Study, folders: Path) -> None:
    file = study_score(study=study, actor="test")
    left = below(folders / "stored")
    file.delete()
    again = study_score(study=study, actor="test")
    assert (again.path, again.digest) == (file.path, file.digest)
    assert below(folders / "stored") == left


@pytest.mark.parametrize("engine", ["", "processes"])
def test_files_that_do_not_go_together_are_told_by_their_names(
    engine: str, study: Study, settings: Settings, folders: Path
) -> None:
    settings.SCORE_ENGINE = engine
    docno = collection().split(b"\t")[0]
    add(study, FileKind.COLLECTION, b"other\tshe\n" + docno + b"\the\n", "more.tsv")
    ended = score(study)
    assert ended.state == TaskState.FAILED
    assert ended.error.startswith("more.tsv:2: the docno is that of line 1 of collection.tsv.")
    assert str(folders) not in ended.error


def test_an_engine_that_is_not_there_is_named(study: Study, settings: Settings) -> None:
    settings.SCORE_ENGINE, settings.SCORE_SCHEDULER = "dask", "127.0.0.1:1"
    ended = score(study)
    assert ended.state == TaskState.FAILED
    assert "no scheduler answers at 127.0.0.1:1" in ended.error


@pytest.mark.long
def test_a_job_that_takes_too_much_memory_ends_with_a_sentence_and_the_next_one_is_done(
    study: Study, settings: Settings
) -> None:
    # Columns of 40 MB: what earlier tests gave back to the process is never enough for one of them.
    lines = b"\n".join(map(b"q0 Q0 d%d 1 1.0 t".__mod__, range(5_000_000)))
    long = add(study, FileKind.RUN, lines, "long.run")
    read_run(local_path(long))  # a compiler without memory would end the process
    settings.JOB_MEMORY_MB = 5
    ended = pool(study)
    assert ended.state == TaskState.FAILED
    assert ended.error.startswith("the job needs more than 5 MB of memory.")
    assert "JOB_MEMORY_MB" in ended.error
    remove(study, "file", long)
    settings.JOB_MEMORY_MB = 500
    assert pool(study).state == TaskState.DONE


def test_a_file_that_changed_is_refused(study: Study) -> None:
    (part,) = study.files.filter(kind=FileKind.COLLECTION)
    part.digest = f"blake3:{0:064}"
    part.save()

    with pytest.raises(InputError, match=part.name):
        study_score(study=study, actor="test")


def test_a_cancelled_scoring_leaves_nothing(study: Study, folders: Path) -> None:
    class CancelledError(Exception):
        pass

    def cancel(_units: int) -> None:
        raise CancelledError

    before = below(folders)
    with pytest.raises(CancelledError):
        study_score(study=study, actor="test", advance=cancel)
    assert below(folders) == before
    assert not StudyFile.objects.filter(kind=FileKind.MAGNITUDES).exists()


def test_a_scoring_that_is_cancelled_at_its_last_step_is_not_made(
    study: Study, folders: Path
) -> None:
    """The request comes after the last unit was counted, long before a heartbeat would tell."""
    task, _new = queue_job(kind=TaskKind.SCORE, subject=study, actor="test")
    before = below(folders)

    def cancelled_meanwhile() -> bool:
        task_cancel(task_id=task.pk)
        return False

    done = run_job(task_id=task.pk, stopping=cancelled_meanwhile)
    assert done is not None
    assert done.state == TaskState.CANCELLED
    assert not StudyFile.objects.filter(kind=FileKind.MAGNITUDES).exists()
    assert below(folders) == before


def test_a_bad_line_far_below_is_told_when_it_is_read(study: Study) -> None:
    rows = collection(1_500) + b"no tab here\n"
    remove(study, "file", study.files.get(kind=FileKind.COLLECTION))
    add(study, FileKind.COLLECTION, rows, "passages.tsv")
    task = score(study)
    assert task.state == TaskState.FAILED
    assert task.error.startswith("passages.tsv:1501: no tab.")
    [step] = [one for one in steps_of(study_flow(study=study)) if one.key == "score"]
    assert (step.state, step.sentence) == ("failed", task.error)


def test_a_bad_run_is_told_with_its_name_and_line(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    score(study)
    # As if it were too large to be read while somebody waits for the page.
    monkeypatch.setattr("annotation.studies.operations.files.READ_AT_ONCE", 0)
    add(study, FileKind.RUN, a_run(3, depth=100) + b"q1 Q0 d1 one 1.0 x\n", "model.run", "late")
    task = pool(study)
    assert task.state == TaskState.FAILED
    assert task.error.startswith("late:1201: the rank 'one' is not a whole number")
    assert not Pool.objects.exists()


def test_a_study_goes_step_by_step(folders: Path) -> None:
    study = Study.objects.create(name="steps")
    assert states(study)["files"] == "ready"
    assert pool(study).error.startswith("the study has no collection.")
    with_files(study)
    assert states(study) == {
        "files": "done",
        "score": "ready",
        "pool": "failed",
        "batches": "waiting",
        "labels": "waiting",
        "report": "waiting",
    }
    score(study)
    pool(study)
    steps = steps_of(study_flow(study=study))
    assert [str(step.state) for step in steps[:4]] == ["done", "done", "done", "ready"]
    following = next_step(steps)
    assert following is not None
    assert following.key == "batches"


def test_a_pool_scores_the_collection_where_nobody_has(study: Study) -> None:
    pool(study, tokenizer="whitespace")
    scored = study.files.get(kind=FileKind.MAGNITUDES)
    assert scored.summary["made_from"]["tokenizer"] == "whitespace"
    pool(study, name="again")
    assert study.files.get(kind=FileKind.MAGNITUDES) == scored
    assert Pool.objects.count() == 2


def test_only_queries_that_a_new_run_brought_are_asked_for(study: Study) -> None:
    score(study)
    pool(study, cutoff=1)
    first = Pool.objects.get()
    plan = BatchPlan(name="first", queries=queries_from_pool(first), pool=first)
    create_batch(plan=plan, environment="local", actor="test", study=study)
    assert study_flow(study=study).n_new == 0
    add(study, FileKind.RUN, a_run(4), "C.run")
    [step] = [one for one in steps_of(study_flow(study=study)) if one.key == "pool"]
    assert (step.state, step.sentence) == ("ready", "Not in the latest pool: C. Pool again.")
    pool(study, cutoff=3)
    second = Pool.objects.get(name="gender 2")
    queries = queries_from_pool(second)
    new = without_batched(queries, study=study, scheme=built_in_scheme("gender"))
    asked = set(first.queries.values_list("qid", flat=True))
    assert {query.qid for query in new} == {query.qid for query in queries} - asked
    assert study_flow(study=study).n_new == len(new) > 0
    told = run_json(
        "batch", "create", "--name", "b", "--pool", "gender 2", "--new-only", "--dry-run"
    )
    assert told["n_queries"] == len(new)
    plan = BatchPlan(name="second", queries=new, pool=second)
    create_batch(plan=plan, environment="local", actor="test", study=study)
    with pytest.raises(InputError):
        without_batched(queries, study=study, scheme=built_in_scheme("gender"))


@pytest.mark.parametrize("kind", [FileKind.COLLECTION, FileKind.QUERIES, FileKind.RUN])
def test_what_a_result_was_made_from_stays(study: Study, kind: FileKind) -> None:
    score(study)
    pool(study)
    file = study.files.filter(kind=kind).order_by("pk")[0]
    with pytest.raises(InputError):
        remove(study, "file", file)
    assert local_path(file).is_file()


def test_what_is_being_used_stays(study: Study) -> None:
    queue_job(kind=TaskKind.SCORE, subject=study, actor="test")
    with pytest.raises(InputError):
        remove(study, "file", study.files.order_by("pk")[0])


def test_a_replaced_file_of_the_same_size_is_found_out(
    study: Study, folders: Path, settings: Settings
) -> None:
    path = folders / "server" / "C.run"
    path.write_bytes(a_run(5))
    study_file_point_to(study=study, kind="run", where="C.run", actor="test")
    score(study)
    path.write_bytes(a_run(5).replace(b"model5", b"model6"))
    task = pool(study)
    assert task.state == TaskState.FAILED
    assert task.error.startswith("C: has changed since it was added.")


def test_study_status_tells_the_same(study: Study) -> None:
    score(study)
    told = run_json("study", "show", "gender")
    assert told["next"] == "pool"
    assert {step["step"]: step["state"] for step in told["steps"]} == states(study)
    assert "60 passages scored" in run("study", "show", "gender")
    assert "no study" in failure("study", "show", "nothing")


def test_rules_of_a_pool_are_kept_and_offered_to_the_report(study: Study, client: Client) -> None:
    contradicting = b"".join(
        b"q%d Q0 d%d %d %d t\n" % (q, d, rank, rank)
        for q in range(12)
        for rank, d in enumerate((1, 2, 99), start=1)
    )
    add(study, FileKind.RUN, contradicting, "odd.run", "odd")
    score(study)
    task = pool(study)
    assert task.error.count("d99") == 1
    assert "--missing" not in task.error
    perform_here(BUILD_POOL, study, {"missing": "skip", "order": "rank"}, Actor("test"))
    made = Pool.objects.get()
    assert (made.inputs["missing"], made.inputs["order"]) == ("skip", "rank")
    (notice,) = made.summary["notices"]
    assert notice.startswith("odd, line 2: ")
    assert notice in client.get(reverse("pool-detail", args=[made.pk])).content.decode()
    form = ReportForm(study)
    assert (form["missing"].initial, form["order"].initial) == ("skip", "rank")


def test_queries_in_parquet_are_those_of_a_pool(study: Study) -> None:
    texts = dict(row.split("\t") for row in queries().decode().splitlines())
    study.files.filter(kind=FileKind.QUERIES).delete()
    frame = pd.DataFrame({"qid": list(texts), "query": list(texts.values())})
    content = frame.to_parquet()
    beginnings = [("queries.parquet", BytesIO(content))]
    [looked_at] = files_looked_at(study=study, beginnings=beginnings)
    assert looked_at.kind == FileKind.QUERIES
    sent = {"filename": "queries.parquet", "stream": BytesIO(content)}
    told = perform_here(ADD_FILE, study, sent, Actor("test")).message
    assert "queries, as Parquet with a query's id and text; 12 lines" in told
    assert pool(study, "p").state == TaskState.DONE
    in_pool = dict(Pool.objects.get().queries.values_list("qid", "text"))
    assert in_pool
    assert in_pool.items() <= texts.items()


def test_parquet_without_queries_is_none_of_a_study(study: Study) -> None:
    study.files.filter(kind=FileKind.QUERIES).delete()
    for columns, kind in (
        ({"a": ["x"]}, FileKind.QUERIES),
        ({"qid": ["q"], "query": ["x"]}, "run"),
    ):
        content = pd.DataFrame(columns).to_parquet()
        with pytest.raises(InputError, match=r"has no id and text|Parquet file, not text"):
            add(study, kind, content, "file.parquet")
