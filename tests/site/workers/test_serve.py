"""`serve` and what it starts: one does not stay without the other."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.management.site import is_taken
from tests.ports import free_port
from tests.project import ROOT
from tests.site.workers.profiles import Embedded, wait_until

pytestmark = pytest.mark.timed


def test_a_site_that_is_killed_leaves_nothing_behind_that_holds_its_port(tmp_path: Path) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    project.prepare()
    with (project.data_dir / "site.log").open("wb") as log:
        serve = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--quiet"],
            cwd=ROOT,
            env=project.environment,
            stdout=log,
            stderr=log,
        )
    wait_until(lambda: is_taken("127.0.0.1", project.port), seconds=120, what="the site is up")
    serve.send_signal(signal.SIGKILL)
    serve.wait()
    wait_until(
        lambda: not is_taken("127.0.0.1", project.port), seconds=120, what="the port is free"
    )


def test_a_worker_whose_site_was_killed_before_it_was_up_ends_too(tmp_path: Path) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    project.prepare()
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    done = subprocess.run(
        [sys.executable, "manage.py", "job", "work", "--with-parent", "--quiet"],
        cwd=ROOT,
        env=project.environment | {"FAIRPOOL_PARENT_PROCESS": str(dead.pid)},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0
