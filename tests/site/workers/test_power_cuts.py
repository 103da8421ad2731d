"""Site and worker die at random moments of publishing and of collecting, as in a power cut."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.project import ROOT, _wait_for
from tests.site.workers.profiles import Embedded, kill_group, wait_until, write_queries

#: Of `make faults`, and of `make soak`.
ROUNDS = [pytest.param(2, marks=pytest.mark.faults), pytest.param(50, marks=pytest.mark.soak)]
N_HITS = 40
ASSIGNMENTS = 3


@contextlib.contextmanager
def running(project: Embedded) -> Iterator[subprocess.Popen[bytes]]:
    """Web server and worker, in a process group of their own; killed in the end, never asked."""
    log = project.data_dir / "site.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env=project.environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        _wait_for(f"http://127.0.0.1:{project.port}/healthz", process, log)
        yield process
    finally:
        kill_group(process)


def do_with_a_power_cut(project: Embedded, kind: str, name: str, luck: random.Random) -> None:
    """Ask for the work, kill at a random moment after it has begun, and let it be finished."""
    # No other batch has a task of this kind after this one.
    state = f"SELECT state FROM annotation_task WHERE kind = '{kind}' ORDER BY id DESC"  # noqa: S608 - our own words
    with running(project) as site:
        project.run("batch", kind, name, "--background", *(["--yes"] if kind == "publish" else []))
        wait_until(lambda: project.first(state) != "queued", seconds=180, what=f"{kind} begins")
        time.sleep(luck.uniform(0, 1.5))
        if luck.random() < 0.5:
            kill_group(site)
        else:
            worker = str(project.first("SELECT worker FROM annotation_task ORDER BY id DESC"))
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(worker.rpartition(":")[2]), signal.SIGKILL)
    with running(project):
        # A worker that met the dead site would wait half a minute before it asks again.
        project.run("shell", "--command", _DUE_NOW)
        wait_until(lambda: project.first(state) == "done", seconds=300, what=f"{kind} is done")


_DUE_NOW = (
    "from annotation.models import Task; from django.db.models.functions import Now; "
    "Task.objects.update(run_after=Now())"
)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_after_power_cuts_each_hit_exists_once_and_each_answer_counts_once(
    rounds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TASK_LEASE_SECONDS", "2")
    monkeypatch.setenv("COLLECT_EVERY_SECONDS", "0")
    project = Embedded(data_dir=tmp_path / "var", port=free_port())
    project.data_dir.mkdir()
    project.prepare()
    queries = write_queries(tmp_path / "queries.tsv", N_HITS)
    truth = tmp_path / "truth.tsv"
    truth.write_text("".join(f"q{number}\tn\n" for number in range(N_HITS)))
    for number in range(rounds):
        name, luck = f"b{number}", random.Random(number)
        project.run(
            "batch", "create", "--name", name, "--queries", queries, "--queries-per-hit", "1"
        )
        do_with_a_power_cut(project, "publish", name, luck)
        with running(project):
            project.run("batch", "simulate", name, "--truth", truth, "--seed", str(number))
        do_with_a_power_cut(project, "collect", name, luck)
        status = project.json("batch", "show", name)
        assert status["n_hits_published"] == N_HITS
        assert status["n_votes"] == status["n_assignments"] == N_HITS * ASSIGNMENTS
    with running(project):
        reconcile = [part for number in range(rounds) for part in ("--reconcile", f"b{number}")]
        assert project.json("site", "check", *reconcile)["broken"] == {}
