"""`serve` and what it starts: one does not stay without the other."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from annotation.management.site import is_taken
from tests.ports import free_port
from tests.project import ROOT
from tests.site.workers.profiles import Embedded, wait_until

pytestmark = pytest.mark.timed


#: `serve`, where a process of pages has gained much at once, and a new one answers soon.
_SOON_FULL = """
import os, runpy, sys
import django
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
django.setup()
from annotation.management import supervisor
supervisor._MOST_BYTES_GAINED, supervisor._LEAST_SECONDS = 1, 12.0
supervisor._SECONDS_TO_START = 4.0
sys.argv = ["manage.py", "serve", "--quiet"]
runpy.run_path("manage.py", run_name="__main__")
"""


@contextlib.contextmanager
def serving(project: Embedded, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A site that answers, for the length of the block."""
    project.data_dir.mkdir()
    project.prepare()
    with (project.data_dir / "site.log").open("wb") as log:
        serve = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, env=project.environment, stdout=log, stderr=log
        )
    try:
        wait_until(lambda: is_taken("127.0.0.1", project.port), seconds=120, what="the site is up")
        yield serve
    finally:
        serve.kill()
        serve.wait()


def children_of(pid: int) -> set[int]:
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


@pytest.mark.long
def test_a_site_that_is_killed_leaves_nothing_behind_that_holds_its_port(tmp_path: Path) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    with serving(project, "manage.py", "serve", "--quiet") as serve:
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
    log = project.data_dir / "site.log"
    command = ["manage.py", "serve", "--rehearse-prolific", "--without-worker"]
    with serving(project, *command) as serve:
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


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_process_of_pages_that_gained_much_is_followed_by_another(tmp_path: Path) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    page = f"http://127.0.0.1:{project.port}/sign-in/"
    with serving(project, "-c", _SOON_FULL) as serve, requests.Session() as session:
        session.get(page, timeout=120).raise_for_status()
        first, answered, most = children_of(serve.pid), 0, 0
        deadline = time.monotonic() + 60
        # The worker of short jobs stays, the process of pages does not.
        while len(there := children_of(serve.pid)) != 2 or len(there & first) > 1:
            assert time.monotonic() < deadline, (first, there)
            session.get(page, timeout=120).raise_for_status()
            most = max(most, len(there))
            answered += 1
    assert most == 3
    assert answered > 3


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_serve_starts_is_started_again_and_ends_with_it(tmp_path: Path) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    with serving(project, "manage.py", "serve", "--quiet") as serve:
        wait_until(lambda: len(children_of(serve.pid)) == 2, seconds=60, what="both are there")
        for pid in (killed := children_of(serve.pid)):
            os.kill(pid, signal.SIGKILL)
        wait_until(
            lambda: len(children_of(serve.pid) - killed) == 2, seconds=60, what="both are new"
        )
        started = children_of(serve.pid)
        requests.get(f"http://127.0.0.1:{project.port}/sign-in/", timeout=120).raise_for_status()
        serve.terminate()
        assert serve.wait(timeout=60) == 0
        assert not any(Path(f"/proc/{pid}").exists() for pid in started)
