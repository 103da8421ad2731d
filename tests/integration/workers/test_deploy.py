"""What containers and systemd run, run as it is. Images and units themselves need their engines."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.integration.ports import free_port
from tests.integration.project import ROOT
from tests.integration.workers.profiles import Embedded, wait_until

DEPLOY = ROOT / "deploy"


def scripts_of(text: str) -> set[str]:
    return set(re.findall(r"deploy/([\w-]+\.\w+)", text))


def test_every_script_that_a_container_or_a_unit_names_exists_and_can_be_run() -> None:
    named = scripts_of((ROOT / "compose.yaml").read_text()) | scripts_of(
        (ROOT / "Dockerfile").read_text()
    )
    for unit in DEPLOY.glob("*.service"):
        named |= scripts_of(unit.read_text())
    assert {"web.sh", "worker.sh", "beat.sh", "migrate.sh", "healthcheck.py"} <= named
    for name in named:
        assert (DEPLOY / name).is_file(), name
        assert not name.endswith(".sh") or os.access(DEPLOY / name, os.X_OK), name


def test_every_service_that_goes_on_is_restarted_and_runs_without_privileges() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert set(services) == {"db", "redis", "migrate", "web", "worker", "beat"}
    for name in ("web", "worker", "beat"):
        assert services[name]["restart"] == "unless-stopped"
        assert services[name]["cap_drop"] == ["ALL"]
        assert services[name]["depends_on"]["migrate"]
    assert "USER fairpool" in (ROOT / "Dockerfile").read_text()


@pytest.fixture
def project(tmp_path: Path) -> Embedded:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    return project


def healthcheck(url: str) -> int:
    return subprocess.run(
        [sys.executable, str(DEPLOY / "healthcheck.py"), url], timeout=120, check=False
    ).returncode


@pytest.mark.long
def test_the_scripts_prepare_and_serve_a_site_that_is_healthy_until_it_is_told_to_stop(
    project: Embedded, start: Callable[[str], subprocess.Popen[bytes]]
) -> None:
    assert start("migrate.sh").wait(timeout=300) == 0
    assert start("migrate.sh").wait(timeout=300) == 0
    site = f"http://127.0.0.1:{project.port}"
    assert healthcheck(f"{site}/readyz") == 1
    web = start("web.sh")
    wait_until(lambda: healthcheck(f"{site}/readyz") == 0, seconds=180, what="the site is ready")
    assert healthcheck(f"{site}/no/such/page") == 1
    with urllib.request.urlopen(f"{site}/metrics", timeout=120) as reply:
        assert b"fairpool_tasks" in reply.read()
    web.send_signal(signal.SIGTERM)
    assert web.wait(timeout=180) == 0


@pytest.fixture
def start(
    project: Embedded, request: pytest.FixtureRequest
) -> Callable[[str], subprocess.Popen[bytes]]:
    """Runs a script of `deploy/` with the project's settings."""

    def run(script: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [str(DEPLOY / script)],
            cwd=ROOT,
            env=project.environment
            | {
                "BIND": f"127.0.0.1:{project.port}",
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            },
        )
        request.addfinalizer(process.kill)
        return process

    return run
