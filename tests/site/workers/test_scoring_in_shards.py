"""A collection scored in shards by workers of this process: the file of a single machine."""

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from django.db import IntegrityError, connection

from annotation.core.task_progress import task_list
from annotation.core.task_queue import task_cancel
from annotation.jobs.execution import run_job
from annotation.jobs.worker import work_until
from annotation.management.sharding import scoring_wait
from annotation.models import Scoring, Task
from annotation.studies.operations.scorings import (
    scoring_begin,
    scoring_discard,
    scoring_finish,
    scoring_stop,
)
from annotation.studies.queries.scorings import scoring_progress
from annotation.vocabulary import TaskState
from config.program import main
from metrics.errors import InputError
from metrics.texts.lexicon import read_lexicon
from metrics.texts.shards import plan_shards
from tests.commands import failure, run, run_json
from tests.site.workers.s3 import S3, s3_server

pytestmark = [pytest.mark.timed, pytest.mark.django_db(transaction=True)]

SHARD_SIZE = 20_000
SHARD_OPTION = ("--shard-size", SHARD_SIZE / (1 << 20))
Workers = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    path = tmp_path / "c.tsv"
    path.write_bytes(b"".join(b"D%d\tHe said she, her and %d\n" % (i, i) for i in range(5_000)))
    return path


@pytest.fixture
def at_once(collection: Path, tmp_path: Path) -> bytes:
    """What one machine makes of the collection."""
    score(collection, "--output", tmp_path / "at-once.parquet")
    return (tmp_path / "at-once.parquet").read_bytes()


def score(*arguments: object) -> None:
    """Score on this machine alone."""
    assert main(["score", *map(str, arguments), "--quiet"]) == 0


@contextmanager
def workers() -> Iterator[None]:
    """A worker on a thread of its own."""
    stop = threading.Event()

    def work() -> None:
        work_until(stop)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def begin(collection: Path, folder: Path) -> Scoring:
    return scoring_begin(
        plan=plan_shards([collection], shard_size=SHARD_SIZE),
        lexicon=read_lexicon(),
        tokenizer="word",
        parts=str(folder),
        actor="test",
    )


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.long
def test_the_command_gives_the_bytes_of_a_single_machine_and_leaves_nothing_else(
    collection: Path, at_once: bytes, tmp_path: Path
) -> None:
    output = tmp_path / "m.parquet"
    with workers():
        said = run_json("collection", "score-shards", collection, "--output", output, *SHARD_OPTION)

    assert output.read_bytes() == at_once
    assert said["n_documents"] == 5_000
    assert names_in(tmp_path) == {"c.tsv", "at-once.parquet", "m.parquet"}
    assert not Scoring.objects.exists()
    assert not Task.objects.exists()


@pytest.mark.long
def test_the_earliest_bad_line_is_told_and_nothing_stays(collection: Path, tmp_path: Path) -> None:
    lines = collection.read_bytes().splitlines(keepends=True)
    lines[2_000], lines[4_000] = b"no tab\n", b"none here\n"
    collection.write_bytes(b"".join(lines))
    output = tmp_path / "m.parquet"
    with workers():
        said = failure("collection", "score-shards", collection, "--output", output, *SHARD_OPTION)

    assert "c.tsv:2001: no tab." in said
    assert names_in(tmp_path) == {"c.tsv"}
    assert not Scoring.objects.exists()


@pytest.mark.long
def test_a_docno_that_repeats_in_another_shard_is_told_with_its_line(
    collection: Path, tmp_path: Path
) -> None:
    collection.write_bytes(collection.read_bytes() + b"D7\tagain\n")
    with workers():
        said = failure(
            "collection", "score-shards", collection, "--output", tmp_path / "m", *SHARD_OPTION
        )

    assert "c.tsv:5001: the docno is that of line 8." in said
    assert names_in(tmp_path) == {"c.tsv"}


def test_who_asks_again_goes_on_with_the_parts_that_are_there(
    collection: Path, at_once: bytes, tmp_path: Path
) -> None:
    scoring = begin(collection, tmp_path)
    n_tasks = scoring.tasks.count()
    for _ in range(4):
        run_job()
    scoring_stop(scoring=scoring)
    assert scoring.tasks.filter(state=TaskState.CANCELLED).count() == n_tasks - 4

    again = begin(collection, tmp_path)
    assert again == scoring
    assert again.tasks.filter(state=TaskState.QUEUED).count() == n_tasks - 4
    lost = next(Path(again.parts).iterdir())
    lost.unlink()
    begin(collection, tmp_path)
    assert again.tasks.filter(state=TaskState.QUEUED).count() == n_tasks - 3

    while run_job():
        pass
    assert scoring_progress(scoring=again).is_done
    scoring_finish(scoring=again, output=tmp_path / "m.parquet")
    assert (tmp_path / "m.parquet").read_bytes() == at_once


def test_a_shard_whose_files_are_away_waits_and_says_why(collection: Path, tmp_path: Path) -> None:
    scoring = begin(collection, tmp_path)
    Path(scoring.parts).rmdir()
    shard = scoring.tasks.filter(kind="shard").earliest("pk")
    task = run_job(task_id=shard.pk)

    assert task is not None
    assert (task.state, task.attempts) == (TaskState.QUEUED, 1)
    assert f"{scoring.parts} is not in sight of" in task.error
    assert scoring_progress(scoring=scoring).trouble == task.error


def test_a_cancelled_shard_ends_the_command_and_keeps_the_parts(
    collection: Path, tmp_path: Path
) -> None:
    scoring = begin(collection, tmp_path)
    run_job()
    run_job()
    last = scoring.tasks.latest("part")
    with pytest.raises(InputError, match=r"c\.tsv.* 8\b") as caught:
        scoring_wait(
            scoring=scoring,
            progress=lambda _bytes: task_cancel(task_id=last.pk),
            tell=lambda _text: None,
        )
    assert scoring.parts in str(caught.value)
    assert len(names_in(Path(scoring.parts))) == 1


def test_tasks_lists_shards_with_what_they_are_about(collection: Path, tmp_path: Path) -> None:
    scoring = begin(collection, tmp_path)
    run_job()

    listed = run_json("job", "list")["tasks"]
    assert len(listed) == len(task_list()) == scoring.tasks.count()
    assert {one["kind"] for one in listed} == {"shard", "checksum"}
    assert "Score a shard, c.tsv, part 2: waiting" in run("job", "list")


def test_who_comes_second_is_told_that_it_is_done(collection: Path, tmp_path: Path) -> None:
    scoring = begin(collection, tmp_path)
    scoring_discard(scoring=Scoring.objects.get())

    with pytest.raises(InputError, match=r"c\.tsv"):
        scoring_wait(scoring=scoring, progress=lambda _bytes: None, tell=lambda _text: None)


def test_a_part_is_asked_for_once_and_about_one_thing(collection: Path, tmp_path: Path) -> None:
    scoring = begin(collection, tmp_path)
    shard = {"kind": "shard", "actor": "test"}
    with pytest.raises(IntegrityError, match=r"one_live_task_per_part|scoring_id.*part"):
        Task.objects.create(**shard, scoring=scoring, part=1)
    with pytest.raises(IntegrityError, match="task_of_one_subject"):
        Task.objects.create(**shard)


@pytest.mark.long
def test_a_collection_in_an_object_store_is_scored_there(
    collection: Path, tmp_path: Path, s3: S3, capfd: pytest.CaptureFixture[str]
) -> None:
    packed = gzip.compress(b"x\tmother\ny\tking\n")
    urls = [s3.put("in/c.tsv", collection.read_bytes()), s3.put("in/d.tsv.gz", packed)]
    (tmp_path / "d.tsv.gz").write_bytes(packed)
    here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"
    score(collection, tmp_path / "d.tsv.gz", "--output", here)
    options = ("--output", there, "--parts", "s3://fairpool/parts", *SHARD_OPTION)
    with workers():
        run("collection", "score-shards", *urls, *options)

    assert there.read_bytes() == here.read_bytes()
    assert s3.names() == {"in/c.tsv", "in/d.tsv.gz"}
    score(*urls, "--output", there)
    assert there.read_bytes() == here.read_bytes()
    assert s3.secret not in "".join(capfd.readouterr())


def test_credentials_in_a_url_are_refused_and_not_repeated() -> None:
    said = failure("collection", "score-shards", "s3://key:secret@bucket/c.tsv", "--output", "m")

    assert "credentials" in said
    assert "secret@" not in said


@pytest.fixture
def s3(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield server
