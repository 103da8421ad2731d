"""A site of 1.0.0 that dies while people answer goes on in this version, with the same books.

`python -m pytest -m soak tests/upgrades/test_under_way.py --log-cli-level=INFO` says how far each
was.
The code of 1.0.0 is taken from the repository's history: a copy without one skips this.
"""

import contextlib
import dataclasses
import logging
import random
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.project import ROOT, Project
from tests.site.workers.profiles import kill_group, wait_until

pytestmark = [pytest.mark.long, pytest.mark.timed, pytest.mark.soak]

log = logging.getLogger(__name__)

N_QUERIES, PER_HIT, ASSIGNMENTS = 60, 2, 3
_BATCH = "under way"
_GIT = shutil.which("git") or "git"


def _git(*arguments: str) -> str:
    done = subprocess.run([_GIT, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of 1.0.0."""
    commit = _git("rev-parse", "--verify", "--quiet", "v1.0.0^{commit}") or _git(
        "log", "--format=%H", "--max-count=1", "--grep=^Release 1.0.0$"
    )
    if not commit:
        pytest.skip("the history of this copy has no 1.0.0")
    folder = tmp_path_factory.mktemp("released")
    with (
        subprocess.Popen([_GIT, "archive", commit], cwd=ROOT, stdout=subprocess.PIPE) as packed,
        tarfile.open(fileobj=packed.stdout, mode="r|") as archive,
    ):
        archive.extraction_filter = lambda member, _folder: member
        archive.extractall(folder)  # noqa: S202 - our own
    return folder


def _begin(project: Project, *command: str) -> subprocess.Popen[bytes]:
    with (project.data_dir / "began.log").open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "manage.py", *command],
            cwd=project.checkout,
            env=project.environment | {"PYTHONPATH": str(project.checkout)},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 11))]
)
def test_a_batch_that_people_answer_is_finished_after_the_upgrade(
    released: Path, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    before = Project(data_dir=tmp_path / "var", port=free_port(), checkout=released)
    before.data_dir.mkdir()
    before.migrate()
    queries = tmp_path / "queries.tsv"
    queries.write_text("".join(f"q{number}\tquery {number}\n" for number in range(N_QUERIES)))
    site = _begin(before, "serve")
    try:
        wait_until((before.data_dir / "crowd-key.json").exists, seconds=240, what="it serves")
        before.run(
            *("batch", "create", "--name", _BATCH, "--queries", queries),
            *("--queries-per-hit", str(PER_HIT), "--assignments", str(ASSIGNMENTS)),
        )
        before.run("batch", "publish", _BATCH, "--yes")
        people = _begin(before, "batch", "simulate", _BATCH, "--seed", str(seed), "--quiet")
        part = chance.uniform(0.1, 0.9)
        whole = N_QUERIES // PER_HIT * ASSIGNMENTS
        wait_until(
            lambda: _n_answers(before) > part * whole or people.poll() is not None,
            seconds=600,
            what="people answer",
        )
        n_before = _n_answers(before)
    finally:
        kill_group(site)
    kill_group(people)
    now = dataclasses.replace(before, checkout=ROOT)
    now.migrate()
    assert now.json("site", "check")["broken"] == {}
    with now.site():
        now.run("batch", "simulate", _BATCH, "--seed", str(seed), "--quiet")
        now.run("batch", "collect", _BATCH, "--approve")
    shown = now.json("batch", "show", _BATCH)
    log.info("%d of %d answers were there when the site of 1.0.0 died", n_before, whole)
    assert 0 < n_before <= whole
    assert shown["n_votes"] == shown["n_votes_expected"] == N_QUERIES * ASSIGNMENTS
    now.run("label", "decide", _BATCH)
    assert now.json("site", "check")["broken"] == {}


def _n_answers(project: Project) -> int:
    """Answers that the crowd service has, read past Django."""
    with contextlib.closing(
        sqlite3.connect(project.data_dir / "crowd.sqlite3", timeout=120)
    ) as database:
        time.sleep(0.05)
        statement = "SELECT COUNT(*) FROM mturk_local_assignment WHERE submitted_at IS NOT NULL"
        return int(database.execute(statement).fetchone()[0])
