"""Two people at once on one batch: no unexpected error, nothing lost, paid or held twice."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.project import ROOT, empty_databases
from tests.servers import POSTGRES, need_postgresql

SAMPLE_SECONDS = 30
#: Of the full run, each of some minutes.
PARTS = 24
on_each = pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgres", marks=pytest.mark.services)], indirect=True
)


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of an empty database; empty for a file."""
    if request.param == "sqlite":
        yield ""
        return
    need_postgresql()
    name = f"pairs_{uuid.uuid4().hex}"
    with psycopg.connect(f"{POSTGRES}postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{POSTGRES}{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def tried(database: str, tmp_path: Path, *options: str | int) -> None:
    """What was tried is printed; findings fail."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DATABASE_URL", "CROWD_DATABASE_URL", "FAIRPOOL_DATA_DIR"}
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.site.pairs", *map(str, options)],
        cwd=ROOT,
        env=inherited
        | {"FAIRPOOL_EMPTY": str(empty_databases())}
        | ({"DATABASE_URL": database} if database else {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(done.stdout)  # noqa: T201 - shown where it fails
    assert done.returncode == 0, done.stdout[-20_000:]


@pytest.mark.long
@pytest.mark.timeout(1200)  # of a busy machine; a sample takes a minute
@on_each
def test_a_sample_of_pairs_leaves_all_as_it_must_be(database: str, tmp_path: Path) -> None:
    tried(database, tmp_path, "--seconds", SAMPLE_SECONDS)


@pytest.mark.faults
@pytest.mark.timeout(0)
@on_each
@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_every_pair_leaves_all_as_it_must_be(database: str, tmp_path: Path, part: int) -> None:
    tried(database, tmp_path, "--share", f"{part}/{PARTS}")
