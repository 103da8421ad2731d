"""`serve` and what it starts: one does not stay without the other."""

import re
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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
def test_other_commands_find_the_rehearsed_market_by_what_serve_prints(tmp_path: Path) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    project.prepare()
    log = project.data_dir / "site.log"
    with log.open("wb") as written:
        serve = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--rehearse-prolific", "--without-worker"],
            cwd=ROOT,
            env=project.environment,
            stdout=written,
            stderr=written,
        )
    wait_until(lambda: "Ctrl-C" in log.read_text(), seconds=120, what="the market is there")
    (line,) = re.findall(r"export (PROLIFIC_.*)", log.read_text())
    done = subprocess.run(
        [sys.executable, "manage.py", "crowd", "check-prolific"],
        cwd=ROOT,
        env=project.environment | dict(one.split("=") for one in line.split()),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    serve.terminate()
    serve.wait(timeout=120)
    assert done.stdout.startswith("a rehearsal at http://127.0.0.1:"), done.stderr
    assert "1,000.00 USD" in done.stdout
