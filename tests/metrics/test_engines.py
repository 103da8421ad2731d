"""Collections scored on engines: the file that one machine writes at once, or its errors."""

import contextlib
import errno
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from config.program import main
from metrics.engines import Engine, engine_names, opened
from metrics.errors import InputError
from metrics.extras import has
from metrics.sources import load_magnitudes
from metrics.texts.lexicon import read_lexicon
from metrics.texts.magnitude_store import open_magnitudes
from metrics.texts.scoring import score_collection
from metrics.texts.sharding import on_engine
from metrics.texts.sharding.joining import join_parts
from metrics.texts.sharding.parts import Scoring, Work, score_shard
from metrics.texts.sharding.plan import plan_shards
from metrics.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
SCORING = Scoring(read_lexicon())
SHARD_SIZE = 1_000
OTHERS = [
    pytest.param("dask", marks=pytest.mark.skipif(not has("distributed"), reason="no distributed")),
    # On a busy machine Ray at times ends the process that asks for it, without a word.
    pytest.param(
        "ray", marks=[pytest.mark.skipif(not has("ray"), reason="no ray"), pytest.mark.faults]
    ),
]


def in_this_process(function: Callable[[str], str], jobs: Sequence[str]) -> Iterable[str]:
    return map(function, jobs)


def last_first(function: Callable[[str], str], jobs: Sequence[str]) -> list[str]:
    """An engine that does the jobs in another order than it gives them."""
    results = {job: function(job) for job in reversed(jobs)}
    return [results[job] for job in jobs]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Lines, lines with a header, JSON lines and two tables, in files of several shards or less."""
    folder = tmp_path / "data"
    folder.mkdir()
    lines = [f"a{i}\tShe said that he, her mother and {i}\n" for i in range(100)]
    (folder / "a.tsv").write_text("".join(lines))
    (folder / "b.tsv").write_text("docno\ttext\n" + "".join(f"b{i}\tking\n" for i in range(9)))
    objects = (json.dumps({"id": f"c{i}", "text": "the queen"}) + "\n" for i in range(60))
    (folder / "c.jsonl").write_text("".join(objects))
    for name in "de":
        ids = [f"{name}{i}" for i in range(70)]
        table = pa.table({"id": ids, "text": [f"his and hers {i}" for i in range(70)]})
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=20)
    (folder / "_SUCCESS").touch()
    return folder


@pytest.fixture
def at_once(collection: Path, tmp_path: Path) -> bytes:
    score_collection(collection, tmp_path / "at-once.parquet")
    return (tmp_path / "at-once.parquet").read_bytes()


@pytest.mark.parametrize("shard_size", [1, SHARD_SIZE, 1 << 20])
@pytest.mark.parametrize("engine", [in_this_process, last_first])
def test_any_function_that_maps_is_an_engine(
    engine: Engine, shard_size: int, collection: Path, at_once: bytes, tmp_path: Path
) -> None:
    output = tmp_path / "m.parquet"
    metadata = score_collection(collection, output, engine=engine, shard_size=shard_size)

    assert output.read_bytes() == at_once
    assert metadata.n_documents == 309
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "at-once.parquet", "data", "m.parquet",
    ]  # fmt: skip


@pytest.mark.timed
@pytest.mark.parametrize("engine", ["processes", *OTHERS])
def test_each_engine_gives_the_file_and_the_errors_of_one_machine(
    engine: str, collection: Path, at_once: bytes, tmp_path: Path
) -> None:
    output = tmp_path / "m.parquet"
    score_collection(collection, output, engine=engine, shard_size=SHARD_SIZE, threads=2)
    assert output.read_bytes() == at_once

    with (collection / "a.tsv").open("a") as file:
        file.write("no tab\n")
    with pytest.raises(InputError, match=r"a\.tsv:101: no tab\.") as caught:
        score_collection(collection, output, engine=engine, shard_size=SHARD_SIZE, threads=2)
    assert "no tab" in str(caught.value)
    assert not list(tmp_path.glob("fairpool-parts-*"))


@pytest.mark.timed
@pytest.mark.skipif(not has("distributed"), reason="no distributed")
def test_dask_begins_where_its_usual_port_is_taken() -> None:
    with socket.socket() as other:
        with contextlib.suppress(OSError):  # somebody has it already
            other.bind(("127.0.0.1", 8787))
            other.listen()
        with opened("dask", workers=1) as over:
            assert list(over(str.upper, ["a", "b"])) == ["A", "B"]


def test_a_folder_of_parts_is_read_as_one_file_and_joins_to_it(
    collection: Path, at_once: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, whole = tmp_path / "parts", tmp_path / "at-once.parquet"
    metadata = score_collection(
        collection, folder, engine=in_this_process, as_parts=True, shard_size=SHARD_SIZE
    )
    scored, expected = open_magnitudes(folder), open_magnitudes(whole)

    assert scored.metadata == expected.metadata == metadata
    assert scored.docnos == expected.docnos
    assert scored.mean_magnitude("tf", "f") == expected.mean_magnitude("tf", "f")
    assert load_magnitudes(folder).find(["e69"]).tolist() == [308]
    parts = sorted(folder.glob("part-*.parquet"))
    plan = plan_shards(sorted(collection.glob("[a-e].*")), shard_size=SHARD_SIZE)
    join_parts(plan, parts, tmp_path / "joined.parquet", SCORING)
    assert (tmp_path / "joined.parquet").read_bytes() == at_once

    (folder / "mine.txt").touch()
    with pytest.raises(InputError, match=r"mine\.txt"):
        score_collection(collection, folder, engine=in_this_process, as_parts=True)
    (folder / "mine.txt").unlink()
    parts[1].unlink()
    with pytest.raises(InputError, match="no such file"):
        open_magnitudes(folder)


def test_a_call_goes_on_with_the_parts_that_are_there(
    collection: Path, at_once: bytes, tmp_path: Path
) -> None:
    output = tmp_path / "m.parquet"

    def breaks(function: Callable[[str], str], jobs: Sequence[str]) -> Iterable[str]:
        yield from map(function, jobs[:2])
        raise ConnectionError("the cluster is gone")

    with pytest.raises(InputError, match=r"the cluster is gone.*fairpool-parts-"):
        score_collection(collection, output, engine=breaks, shard_size=SHARD_SIZE)
    [folder] = tmp_path.glob("fairpool-parts-*")
    first, second = sorted(folder.iterdir())
    before = first.stat().st_ino
    second.write_bytes(second.read_bytes()[:100])  # as only another program could leave it
    seen: list[tuple[int, int]] = []

    def looks(function: Callable[[str], str], jobs: Sequence[str]) -> Iterable[str]:
        for job in jobs:
            yield function(job)
            seen.append((first.stat().st_ino, second.stat().st_size))

    score_collection(collection, output, engine=looks, shard_size=SHARD_SIZE)
    assert output.read_bytes() == at_once
    assert seen[0][0] == before
    assert seen[-1][1] > 100
    assert not folder.exists()


@pytest.mark.parametrize("seed", range(50))
def test_parts_of_any_plan_join_in_their_order_alone(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    paths = []
    for number in range(draw.randint(1, 4)):
        paths.append(tmp_path / f"{number}.tsv")
        texts = ["she " * draw.randint(0, 9) for _ in range(draw.randint(1, 30))]
        lines = [f"{number}-{i}\t{text}\n" for i, text in enumerate(texts)]
        paths[-1].write_text("".join(lines))
    score_collection(paths, tmp_path / "at-once.parquet")
    plan = plan_shards(paths, shard_size=draw.randint(1, 400))
    parts = [tmp_path / f"{number}.part" for number in range(len(plan.shards))]
    for number in draw.sample(range(len(parts)), len(parts)):
        score_shard(Work.of(plan, number, SCORING), parts[number])

    output = tmp_path / "m.parquet"
    join_parts(plan, parts, output, SCORING)
    assert output.read_bytes() == (tmp_path / "at-once.parquet").read_bytes()
    output.unlink()
    chosen = draw.randrange(len(parts))
    others = [[*parts[:chosen], *parts[chosen + 1 :]], [*parts[: chosen + 1], *parts[chosen:]]]
    if len(parts) > 1:
        others.append(parts[1:] + parts[:1])
    for wrong in others:
        with pytest.raises(InputError):
            join_parts(plan, wrong, output, SCORING)
        assert not output.exists()


def test_a_worker_of_another_version_is_refused(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(function: Callable[[str], str], jobs: Sequence[str]) -> Iterable[str]:
        for job in jobs:
            yield function(json.dumps(json.loads(job) | {"version": "0.9"}))

    with pytest.raises(InputError, match=f"{re.escape(VERSION)}.*0.9"):
        score_collection(collection, tmp_path / "m.parquet", engine=elsewhere)


def test_a_full_disk_of_a_worker_is_named_with_its_machine(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/mnt/parts/1.parquet")

    monkeypatch.setattr(on_engine, "score_shard", full)
    with pytest.raises(InputError, match=r"/mnt/parts/1\.parquet: No space left on device, on "):
        score_collection(collection, tmp_path / "m.parquet", engine=in_this_process)


@pytest.mark.parametrize("change", ["vanishes", "changes"])
def test_a_file_that_vanishes_or_changes_is_named(
    change: str, collection: Path, tmp_path: Path
) -> None:
    def changing(function: Callable[[str], str], jobs: Sequence[str]) -> Iterable[str]:
        if change == "vanishes":
            (collection / "b.tsv").unlink()
        else:
            (collection / "b.tsv").write_text("b\tother\n")
        return map(function, jobs)

    with pytest.raises(InputError, match=r"b\.tsv: (no such file|has changed)"):
        score_collection(collection, tmp_path / "m.parquet", engine=changing)


def test_repeated_docnos_of_two_files_are_found(collection: Path, tmp_path: Path) -> None:
    (collection / "f.tsv").write_text("f\tx\na7\tagain\n")

    with pytest.raises(InputError, match=r"f\.tsv:2: the docno is that of line 8 of .*a\.tsv"):
        score_collection(
            collection, tmp_path / "m.parquet", engine=in_this_process, shard_size=SHARD_SIZE
        )


@pytest.mark.parametrize("engine", ["processes", *OTHERS])
def test_a_scheduler_that_is_not_there_is_told_soon(engine: str) -> None:
    began = time.monotonic()
    with pytest.raises(InputError, match=r"scheduler"), opened(engine, "127.0.0.1:1"):
        pass
    assert time.monotonic() - began < 10


def test_an_unknown_engine_is_refused_with_those_that_there_are() -> None:
    assert engine_names() == ["dask", "processes", "ray"]
    with pytest.raises(InputError, match="dask, processes, ray"), opened("dusk"):
        pass


def test_an_adapter_is_short_and_imports_its_engine_when_asked() -> None:
    for path in (ROOT / "metrics" / "engines").glob("[a-z]*.py"):
        assert len(path.read_text().splitlines()) <= 40, path
    code = "import sys, metrics.texts.scoring; print({'ray', 'distributed'} & set(sys.modules))"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "set()\n"


def is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.long
@pytest.mark.timed
@pytest.mark.timeout(120)
def test_ctrl_c_ends_the_workers_and_says_how_to_go_on(tmp_path: Path) -> None:
    path = tmp_path / "c.tsv"
    path.write_text("".join(f"{i}\tshe said that he {i}\n" for i in range(200_000)))
    options = ["--engine", "processes", "--processes", "2", "--shard-size", "0.05", "--quiet"]
    program = [sys.executable, "-m", "config.program", "score"]
    command = subprocess.Popen(
        [*program, path, "-o", tmp_path / "m.parquet", *options],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not list(tmp_path.glob("fairpool-parts-*/*.parquet")):
        assert command.poll() is None
        time.sleep(0.01)
    os.killpg(command.pid, signal.SIGINT)
    _, errors = command.communicate(timeout=60)

    assert "the same command goes on" in errors
    assert "Traceback" not in errors
    while is_alive(command.pid):  # a process that Python starts beside its workers ends last
        time.sleep(0.01)
    assert main(["score", str(path), "-o", str(tmp_path / "m.parquet"), *options]) == 0
    score_collection(path, tmp_path / "at-once.parquet")
    assert (tmp_path / "m.parquet").read_bytes() == (tmp_path / "at-once.parquet").read_bytes()


@pytest.mark.parametrize("option", [["--only-run"], ["--extend"]])
def test_what_an_engine_cannot_do_is_refused(
    option: list[str], collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score_collection(collection / "b.tsv", tmp_path / "old.parquet")
    (tmp_path / "a.run").write_text("1 Q0 a1 1 2 x\n")
    given = tmp_path / ("a.run" if option == ["--only-run"] else "old.parquet")
    output = str(tmp_path / "m.parquet")

    assert main(["score", str(collection / "a.tsv"), "-o", output, "--parts", *option, str(given)])
    assert "whole collections" in capsys.readouterr().err
