"""What containers and systemd run, run as it is. Images and units themselves need their engines."""

import contextlib
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
import yaml
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.ports import free_port
from tests.project import ROOT
from tests.servers import need_checkout
from tests.site.workers.profiles import Embedded, wait_until

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
    ours = {"migrate", "web", "worker", "worker-long", "beat", "backup"}
    others = {"db": "postgres", "redis": "redis", "proxy": None}
    assert set(services) == ours | set(others)
    for name, service in services.items():
        assert service["restart"] == ("no" if name == "migrate" else "unless-stopped"), name
        assert service["read_only"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["pids_limit"], name
        assert service.get("user") == others.get(name), name
    for name in ours - {"migrate"}:
        assert services[name]["depends_on"]["migrate"]
    assert services["proxy"]["cap_add"] == ["NET_BIND_SERVICE"]
    assert "USER fairpool" in (ROOT / "Dockerfile").read_text()


def test_no_service_takes_more_of_the_machine_than_it_is_given() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    units = {"m": 1, "g": 1024}
    megabytes = {
        name: int(service["mem_limit"][:-1]) * units[service["mem_limit"][-1]]
        for name, service in services.items()
    }
    # The documented machine has 8 GB and two cores; an engine refuses more cores than there are.
    assert max(megabytes.values()) == megabytes["worker-long"] <= 6 * 1024
    assert min(megabytes.values()) >= 256
    assert {service["cpus"] for service in services.values()} <= {1, 2}


def test_the_proxy_leads_to_the_site_by_the_name_that_the_composition_gives() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    said = (DEPLOY / "Caddyfile").read_text()
    assert "./deploy/Caddyfile:/etc/caddy/Caddyfile:ro" in services["proxy"]["volumes"]
    [(name, service, port)] = re.findall(
        r"^\{\$(\w+)\} \{\n(?:\t.*\n)*?\treverse_proxy (\S+):(\d+)", said, re.MULTILINE
    )
    assert name in services["proxy"]["environment"]
    assert services[service]["ports"] == [f"127.0.0.1:8000:{port}"]
    # The proxy ends a resting connection first, so that it sends nothing into a closed one.
    [rests] = re.findall(r"keepalive (\d+)s", said)
    [kept] = re.findall(r"--keep-alive (\d+)", (DEPLOY / "web.sh").read_text())
    assert int(rests) < int(kept)


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


@pytest.mark.long
def test_a_new_backup_replaces_the_oldest_and_a_failed_one_replaces_nothing(
    project: Embedded, tmp_path: Path
) -> None:
    def backup(**settings: str) -> int:
        return subprocess.run(
            [str(DEPLOY / "backup.sh"), "once"],
            cwd=ROOT,
            env=project.environment
            | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
            | {"BACKUP_DIR": str(folder), "BACKUPS_KEPT": "2", **settings},
            check=False,
        ).returncode

    def names() -> list[str]:
        return sorted(path.name for path in folder.iterdir())

    folder = tmp_path / "backups"
    old = ["2026-01-01T030000Z", "2026-01-02T030000Z"]
    for name in [*old, ".2026-01-03T030000Z.part", "kept-by-hand"]:
        (folder / name).mkdir(parents=True)
    assert backup(BACKUPS_KEPT="0") == 2
    assert backup(DATABASE_URL="postgres://nobody@127.0.0.1:9/none") != 0
    assert names() == [*old, "kept-by-hand"]
    assert backup() == 0
    first, new, by_hand = names()
    assert (first, by_hand) == (old[1], "kept-by-hand")
    assert (folder / new / "manifest.json").is_file()


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


@pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
@pytest.mark.parametrize("hosts", ["fairpool.example.org,web", ".example.org", "*"])
def test_the_health_check_is_answered_whatever_the_site_is_called(
    live_server: LiveServer, settings: Settings, monkeypatch: pytest.MonkeyPatch, hosts: str
) -> None:
    settings.ALLOWED_HOSTS = hosts.split(",")
    monkeypatch.setenv("ALLOWED_HOSTS", hosts)
    for path in ("/healthz", "/readyz"):
        # It gives up after four seconds, in which a busy machine has not yet loaded the pages.
        address = live_server.url + path
        wait_until(lambda: healthcheck(address) == 0, seconds=180, what=f"{path} answers")  # noqa: B023 - now


def test_the_example_of_settings_names_what_compose_insists_on() -> None:
    needed = set(re.findall(r"\$\{(\w+):\?", (ROOT / "compose.yaml").read_text()))
    named = set(re.findall(r"^#?(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert needed
    assert needed <= named


def enters_image(path: str) -> bool:
    """Whether `COPY . /app` takes the file."""
    enters: Callable[[str], bool] = runpy.run_path(str(ROOT / ".ci" / "image.py"))["enters"]
    return enters(path)


@pytest.mark.long
def test_only_the_site_enters_the_image() -> None:
    made = ["var/fairpool.sqlite3", ".env", ".git/config", ".venv/bin/python", "manage.pyc"]
    made += [".venv-neural/lib/torch.so", ".venv-docs/bin/pip", ".mypy_cache/x", "demo-output/a"]
    made += ["annotation/__pycache__/urls.cpython-311.pyc", "tests/conftest.py"]
    assert [path for path in made if enters_image(path)] == []
    needed = ["manage.py", "config/settings.py", "deploy/web.sh", "templates/base.html"]
    needed += [
        "requirements.txt",
        "static/fairpool.css",
        "mturk_local/apps.py",
        "sample/collection.tsv",
    ]
    assert [path for path in needed if not enters_image(path)] == []
    git = need_checkout()
    tracked = subprocess.run(
        [git, "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    folders = {path.split("/")[0] for path in tracked if "/" in path and enters_image(path)}
    houses = {"annotation", "config", "metrics", "mturk_local", "pooling", "rankers", "sample"}
    assert folders <= houses | {"deploy", "docs", "static", "templates", "LICENSES"}
    size = sum((ROOT / path).stat().st_size for path in tracked if enters_image(path))
    assert size < 20_000_000


#: Megabytes: python:3.11-slim-bookworm, and the client of PostgreSQL.
BASE = 125 + 45


@pytest.mark.long
def test_the_image_stays_near_the_size_that_the_page_says() -> None:
    said = re.search(r"about ([\d.]+) GB", (ROOT / "docs" / "operations.md").read_text())
    assert said
    text = (ROOT / "requirements.txt").read_text()
    size = 0
    for name in set(re.findall(r"^([\w.-]+)(?:\[[^]]+\])?==", text, re.MULTILINE)):
        with contextlib.suppress(PackageNotFoundError):  # for other systems
            files = distribution(name).files or []
            paths = (Path(str(file.locate())) for file in files)
            size += sum(path.stat().st_size for path in paths if path.is_file())
    estimate = (BASE + size / 1_000_000) / 1_000
    assert estimate == pytest.approx(float(said[1]), rel=0.15)


@pytest.mark.long
def test_a_site_of_the_files_of_the_image_alone_passes_its_checks(tmp_path: Path) -> None:
    git = need_checkout()
    tracked = subprocess.run(
        [git, "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for path in filter(enters_image, tracked):
        (tmp_path / "app" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / "app" / path)
    assert not list((tmp_path / "app").glob("rankers/neural/*"))
    for command in (["migrate", "--verbosity", "0"], ["check"], ["demo", "--help"]):
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=tmp_path / "app",
            env=os.environ
            | {
                "FAIRPOOL_DATA_DIR": str(tmp_path / "var"),
                "DJANGO_SETTINGS_MODULE": "config.settings",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
