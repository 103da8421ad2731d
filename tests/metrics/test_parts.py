"""Unfinished files: a process that is killed leaves one, and the next one removes it."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from metrics.io import parts
from metrics.io.files import replacing, write_text
from metrics.io.parts import part_file, part_folder, remove_dead_parts, remove_dead_parts_below
from tests.project import ROOT

_WRITER = """
import sys, time
from pathlib import Path
from metrics.io import parts
with getattr(parts, sys.argv[1])(Path(sys.argv[2])) as part:
    (part / "default.sqlite3" if part.is_dir() else part).write_text("a secret")
    print(part, flush=True)
    time.sleep(600)
"""


@contextmanager
def writer(kind: str, target: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that is writing a part, and the part."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, kind, str(target)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip())
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(autouse=True)
def sweeps_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_SECONDS_BETWEEN_SWEEPS", -1)


@pytest.mark.parametrize("kind", ["part_file", "part_folder"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_killed_process_leaves_goes_with_the_next_file(
    tmp_path: Path, kind: str, how: signal.Signals
) -> None:
    with writer(kind, tmp_path / "m.parquet") as (process, part):
        write_text(tmp_path / "other.txt", "a\n")
        assert part.exists()
        assert remove_dead_parts(tmp_path) == []
        os.kill(process.pid, how)
        process.wait()
        assert part.exists()
        write_text(tmp_path / "other.txt", "b\n")
    assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]


def test_all_folders_below_are_searched(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    with writer("part_folder", below / "backup") as (process, part):
        assert remove_dead_parts_below(tmp_path) == []
        process.kill()
        process.wait()
        assert remove_dead_parts_below(tmp_path) == [part]
    assert list(below.iterdir()) == []


def test_a_part_of_this_process_is_not_removed_by_it(tmp_path: Path) -> None:
    with part_file(tmp_path / "a") as file, part_folder(tmp_path / "b") as folder:
        assert remove_dead_parts(tmp_path) == []
        assert file.exists()
        assert folder.exists()
        assert file.stat().st_mode & 0o077 == folder.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == []


def test_a_part_is_written_in_place(tmp_path: Path) -> None:
    """Replaced, it would lose its lock while its process lives."""
    with replacing(tmp_path / "a.txt") as part:
        write_text(part, "text\n")
        assert remove_dead_parts(tmp_path) == []
    assert (tmp_path / "a.txt").read_text() == "text\n"


def test_parts_of_many_that_are_made_and_removed_at_once_are_never_lost(tmp_path: Path) -> None:
    lost, stop = [], threading.Event()

    def sweep() -> None:
        while not stop.is_set():
            remove_dead_parts(tmp_path)

    def write(number: int) -> None:
        for step in range(60):
            with replacing(tmp_path / f"{number}-{step}") as part:
                time.sleep(0.0005)
                if not part.exists():
                    lost.append(part)

    sweepers = [threading.Thread(target=sweep) for _ in range(2)]
    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in (*sweepers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in sweepers:
        thread.join()
    assert lost == []
    assert len(list(tmp_path.iterdir())) == 4 * 60


def test_parts_of_version_1_0_go_after_a_day(tmp_path: Path) -> None:
    """They have no lock that would tell whether their process lives."""
    draft, file = tmp_path / ".2026-11-21.part", tmp_path / ".m.parquet.0ab_12cd.part"
    draft.mkdir()
    (draft / "default.sqlite3").write_text("a secret")
    file.write_text("counts")
    others = [tmp_path / ".mine.part", tmp_path / ".theirs.part", tmp_path / "x.0ab_12cd.part"]
    others[0].mkdir()
    (others[0] / "thesis.tex").write_text("text")
    others[1].write_text("of a browser")
    others[2].write_text("not hidden")
    assert remove_dead_parts(tmp_path) == []
    day_before_yesterday = time.time() - 2 * 86_400
    for path in (draft / "default.sqlite3", others[0] / "thesis.tex", draft, file, *others):
        os.utime(path, (day_before_yesterday, day_before_yesterday))
    assert sorted(remove_dead_parts(tmp_path)) == [draft, file]
    assert sorted(tmp_path.iterdir()) == sorted(others)


def test_names_at_the_limit_of_the_file_system_are_written(tmp_path: Path) -> None:
    name = "ä" * 120 + ".txt"
    write_text(tmp_path / name, "a\n")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_killed_score_leaves_nothing_behind_the_next_one(tmp_path: Path) -> None:
    output = tmp_path / "m.parquet"
    command = [sys.executable, "-m", "config.program", "score", "-", "--output", str(output)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"d1\tShe left.\n")
        process.stdin.flush()
        assert process.poll() is None
        process.kill()
    collection = tmp_path / "c.tsv"
    collection.write_text("d1\tShe left.\n")
    with writer("part_file", output) as (writing, _):
        writing.kill()
    command[4] = str(collection)
    subprocess.run(command, cwd=ROOT, check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.tsv", "m.parquet"]


def test_a_killed_command_leaves_no_copy_of_its_standard_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "config.program", "agree", "-"]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE) as process:
        while not list(tmp_path.rglob("standard-input")):
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    assert list(tmp_path.iterdir())
    votes = b"query_id,worker,label\nq1,w1,f\nq1,w2,f\n"
    subprocess.run(command, cwd=ROOT, env=environment, input=votes, check=True)
    assert list(tmp_path.iterdir()) == []
