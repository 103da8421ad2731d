"""Sixty-four approvals and bonuses at once: the site goes on answering, and each is done once."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from tests.ports import free_port
from tests.project import ROOT
from tests.site.workers.profiles import Embedded, wait_until, write_queries

N_ANSWERS = 32
COMMANDS = {
    "serve": [sys.executable, "manage.py", "serve", "--without-worker"],
    "web.sh": [str(ROOT / "deploy" / "web.sh")],
}


@contextlib.contextmanager
def running(project: Embedded, command: list[str]) -> Iterator[None]:
    with (project.data_dir / "log").open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=project.environment
            | {
                "BIND": f"127.0.0.1:{project.port}",
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            },
            stdout=log,
            stderr=log,
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=120)


def answered_batch(project: Embedded, folder: Path) -> None:
    """A published batch of one query a HIT, each answered once, and collected."""
    queries = write_queries(folder / "queries.tsv", N_ANSWERS)
    truth = folder / "truth.csv"
    truth.write_text("".join(f"q{n},query number {n},n\n" for n in range(N_ANSWERS)))
    terms = ("--queries-per-hit", "1", "--assignments", "1")
    project.run("batch", "create", "--name", "b", "--queries", queries, *terms)
    project.run("batch", "publish", "b", "--yes")
    project.run("batch", "simulate", "b", "--truth", truth, "--seed", "1", "--workers", "2")
    project.run("batch", "collect", "b")


def is_up(url: str) -> bool:
    with contextlib.suppress(requests.RequestException):
        return requests.get(f"{url}/healthz", timeout=60).status_code == 200
    return False


@pytest.mark.long
@pytest.mark.parametrize("server", COMMANDS)
def test_the_site_answers_while_64_approvals_and_bonuses_wait(server: str, tmp_path: Path) -> None:
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    project.prepare()
    project.run("crowd", "key")
    project.run("createsuperuser", "--noinput", "--username", "ada", "--email", "a@example.org")
    token = project.json("account", "create-token", "ada")["token"]
    url = f"http://127.0.0.1:{project.port}"
    api = f"{url}/api/v1/batches/1/assignments"
    headers = {"Authorization": f"Bearer {token}"}
    with running(project, COMMANDS[server]), ThreadPoolExecutor(66) as pool:
        wait_until(lambda: is_up(url), seconds=180, what="the site is up")
        answered_batch(project, tmp_path)
        rows = requests.get(f"{api}/?limit=100", headers=headers, timeout=60).json()["results"]
        numbers = [row["number"] for row in rows]
        bonus = {"amount": "0.10", "reason": "It took longer than we had said."}
        calls: list[tuple[str, dict[str, str]]] = [
            (f"{api}/{number}/approve/", {}) for number in numbers
        ]
        calls += [(f"{api}/{number}/bonus/", bonus) for number in numbers]
        sent = [
            pool.submit(requests.post, to, json=body, headers=headers, timeout=120)
            for to, body in calls
        ]
        # Nobody works on them yet: none has ended when these are answered.
        pages = [pool.submit(requests.get, url + page, timeout=60) for page in PAGES]
        assert [page.result().status_code for page in pages] == [200, 200]
        assert {one.result().status_code for one in sent} == {202}
        with running(project, [sys.executable, "manage.py", "job", "work"]):
            wait_until(lambda: is_done(project), seconds=300, what="all are done")
            assert [requests.get(url + page, timeout=60).status_code for page in PAGES] == [200] * 2
    states = "SELECT count(*) FROM annotation_task WHERE state = 'done' AND assignment_id NOT NULL"
    assert project.first(states) == 2 * N_ANSWERS
    assert project.first("SELECT count(*) FROM annotation_bonus WHERE paid_at NOT NULL") == 32
    approved = "SELECT count(*) FROM annotation_assignment WHERE state = 'Approved'"
    assert project.first(approved) == N_ANSWERS
    money = "SELECT committed FROM annotation_batch"
    # 0.30 for each answer and 0.12 for each bonus, fees included.
    assert float(str(project.first(money))) == pytest.approx(N_ANSWERS * 0.42, abs=1e-9)
    assert project.run("crowd", "invariants")


PAGES = ("/healthz", "/annotate/")


def is_done(project: Embedded) -> bool:
    live = "SELECT count(*) FROM annotation_task WHERE state IN ('queued', 'running')"
    return project.first(live) == 0
