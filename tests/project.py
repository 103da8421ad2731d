"""A project as its users have it: its own data folder, commands typed one after another."""

import atexit
import contextlib
import fcntl
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError

from tests.ports import free_port

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Project:
    """Runs `manage.py` in processes of its own, typed in `folder`, with data under `data_dir`.

    Its site asks people to sign in unless it `is_open`. `endpoint` is that of the crowd service
    where something stands before it. Another `checkout` is another version.
    """

    data_dir: Path
    port: int
    folder: Path = ROOT
    is_open: bool = True
    endpoint: str = ""
    checkout: Path = ROOT

    @property
    def environment(self) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("DATABASE_URL", "CROWD_DATABASE_URL", "DJANGO_"))
        }
        return inherited | {
            "FAIRPOOL_DATA_DIR": str(self.data_dir),
            "FAIRPOOL_OPEN": "1" if self.is_open else "0",
            "MTURK_LOCAL_ENDPOINT": self.endpoint or f"http://127.0.0.1:{self.port}/mturk/",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }

    def run(self, *arguments: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
        """Type one command of `manage.py`; it must end with `status`."""
        return self._run([str(self.checkout / "manage.py")], arguments, status)

    def fairpool(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Type one command of `fairpool`; it must succeed."""
        return self._run(["-m", "config.program"], arguments, 0)

    def _run(
        self, program: Sequence[str], arguments: Sequence[str | Path], status: int
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, *program, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment | {"PYTHONPATH": str(self.checkout)},
            capture_output=True,
            text=True,
            timeout=900,  # on a busy machine
            check=False,
        )
        assert done.returncode == status, f"{arguments}: {done.stdout}\n{done.stderr}"
        return done

    def json(self, *arguments: str | Path) -> Any:
        return json.loads(self.run(*arguments, "--json", "--quiet").stdout)

    def prepare(self) -> None:
        """Make both databases, empty."""
        shutil.copytree(empty_databases(), self.data_dir, dirs_exist_ok=True)

    def migrate(self) -> None:
        self.run("migrate", "--verbosity", "0")
        self.run("migrate", "--database", "crowd", "--verbosity", "0")

    @contextlib.contextmanager
    def site(self, *options: str) -> Iterator[str]:
        """The site as `make serve` starts it, up for the length of the block."""
        url = f"http://127.0.0.1:{self.port}"
        log = self.data_dir / "site.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", *options],
                cwd=self.checkout,
                env=self.environment,
                stdout=output,
                stderr=output,
            )
            try:
                _wait_for(f"{url}/annotate/", process, log)
                yield url
            finally:
                process.terminate()
                process.wait(timeout=120)


@functools.cache
def empty_databases() -> Path:
    """A data folder whose databases are migrated: a quarter minute, once for all workers of a run.

    It goes with the run's own data folder, where the tests' settings have made one.
    """
    run = os.environ.get("FAIRPOOL_DATA_DIR", "") if "PYTEST_XDIST_WORKER" in os.environ else ""
    if not run:
        folder = Path(tempfile.mkdtemp(prefix="fairpool-empty-"))
        atexit.register(shutil.rmtree, folder)
        Project(data_dir=folder, port=free_port()).migrate()
        return folder
    folder = Path(run, "empty-databases")
    with Path(run, "empty-databases.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            begun = folder.with_name("empty-databases-begun")
            shutil.rmtree(begun, ignore_errors=True)
            begun.mkdir()
            Project(data_dir=begun, port=free_port()).migrate()
            begun.rename(folder)
    return folder


def new_project(data_dir: Path, folder: Path = ROOT) -> Project:
    """A project with empty databases, whose commands are typed in `folder`."""
    data_dir.mkdir(parents=True, exist_ok=True)
    project = Project(data_dir=data_dir, port=free_port(), folder=folder)
    project.prepare()
    return project


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 600
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(url, timeout=30).close()
            return
        time.sleep(0.1)
    raise AssertionError(log.read_text())
