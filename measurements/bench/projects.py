"""Projects with empty tables on either database, for the time of a benchmark."""

import contextlib
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.project import Project, new_project
from tests.servers import POSTGRES


def databases(*, quick: bool) -> tuple[str, ...]:
    """Those to measure on; to keep a benchmark alive the first will do."""
    return ("SQLite",) if quick else ("SQLite", "PostgreSQL")


@dataclass(frozen=True)
class OnPostgres(Project):
    """A project whose tables lie on the server."""

    databases: tuple[str, str] = ("", "")

    @property
    def environment(self) -> dict[str, str]:
        default, crowd = self.databases
        return super().environment | {
            "DATABASE_URL": POSTGRES + default,
            "CROWD_DATABASE_URL": POSTGRES + crowd,
        }

    def prepare(self) -> None:
        """Empty tables on the server: there is no file to copy."""
        self.migrate()


@contextlib.contextmanager
def project_on(*, postgres: bool) -> Iterator[Project]:
    """On SQLite, or on the PostgreSQL server of this machine; afterwards everything is gone."""
    with tempfile.TemporaryDirectory(prefix="fairpool-bench-") as folder:
        project = new_project(Path(folder))
        if not postgres:
            yield project
            return
        names = tuple(f"bench_{kind}_{uuid.uuid4().hex[:8]}" for kind in ("default", "crowd"))
        with psycopg.connect(f"{POSTGRES}postgres", autocommit=True) as server:
            for name in names:
                server.execute(f"CREATE DATABASE {name}")
            try:
                yield OnPostgres(
                    data_dir=project.data_dir, port=project.port, databases=(names[0], names[1])
                )
            finally:
                for name in names:
                    server.execute(f"DROP DATABASE {name} WITH (FORCE)")
