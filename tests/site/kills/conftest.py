"""Sites whose processes are killed, on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.project import Project, new_project
from tests.servers import need_postgresql
from tests.site.workers.profiles import Server


@pytest.fixture(params=["sqlite", "postgres"])
def project(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Project]:
    """Empty databases, and a site that does no work by itself: the tests' processes do."""
    monkeypatch.setenv("MTURK_LOCAL_KEYS_HOSTS", "127.0.0.1")  # of Prolific's double
    if request.param == "sqlite":
        embedded = new_project(tmp_path / "var")
        with embedded.site("--without-worker"):
            yield embedded
        return
    need_postgresql()
    server = Server(data_dir=tmp_path / "var", port=free_port())
    server.data_dir.mkdir()
    with server.databases():
        server.prepare()
        with server.site("--without-worker"):
            yield server
