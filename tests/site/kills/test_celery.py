"""Workers of Celery, woken by RabbitMQ, killed while models, reports and scores are made.

`KILLS=200 python -m pytest -m soak tests/site/kills/test_celery.py --log-cli-level=INFO` counts the
kills of each broker. The books' process does what beat does between them, without its intervals.
"""

import contextlib
import json
import logging
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from annotation.language_models.double import ModelDouble, serving
from tests.conversation import Conversation
from tests.ports import free_port
from tests.servers import RABBITMQ, REDIS
from tests.site.workers.profiles import Server, need

pytestmark = [pytest.mark.timed, pytest.mark.services]

log = logging.getLogger(__name__)

_JOBS = ("score", "report", "ask")
#: One kill in so many ends the worker with its children; others a child, which the worker replaces.
_ALL_OF_IT = 8
#: A kill comes within this share of a task's seconds in peace: few attempts get to their end.
_SHARE = 1.2


def children(process: subprocess.Popen[bytes]) -> list[int]:
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(pid) for pid in path.read_text().split()] if path.exists() else []


def _slowly(_text: str) -> str:
    """No fault, but a model that takes its time."""
    time.sleep(0.05)
    return ""


class Killer:
    """Has one job done after another, and kills whoever is at it."""

    def __init__(self, driver: Conversation, project: Server, address: str, seed: int) -> None:
        self.driver, self.project, self.address = driver, project, address
        self.chance = random.Random(seed)
        self.kills: Counter[str] = Counter()
        self.given_up = 0
        self.seconds = dict.fromkeys(_JOBS, 0.0)
        self._killed = 0
        self._workers = contextlib.ExitStack()
        self._worker: subprocess.Popen[bytes] | None = None

    def do(self, job: str, name: str, most: int) -> None:
        """Have the job done, with up to `most` kills, in all, on the way."""
        task, self._killed = self._send(job, name), 0
        begun: float | None = None
        while (state := self._begun(task)) != "done":
            if state == "failed":  # five workers died at it: a person asks again, in peace
                self.given_up += 1
                task, self._killed, most = self._send(job, name), 0, 0
            elif self.kills.total() < most:
                time.sleep(self.chance.uniform(0, _SHARE * self.seconds[job]))
                state, attempt = self.driver("progress", task)
                if state == "running":
                    self._kill(job)
                    self._killed = attempt
            else:
                begun = begun or time.monotonic()
                time.sleep(0.1)
        if begun and not self.kills:
            self.seconds[job] = time.monotonic() - begun

    def close(self) -> None:
        """End the worker, if there is one."""
        self._worker = None
        self._workers.close()

    def _kill(self, job: str) -> None:
        if self.chance.random() < 1 / _ALL_OF_IT:
            self.kills[f"{job}, worker"] += 1
            self.close()
            return
        assert self._worker is not None
        for child in children(self._worker):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self.kills[f"{job}, child"] += 1

    def _send(self, job: str, name: str) -> int:
        more = (self.address,) if job == "ask" else ()
        sent = self.driver(job, name, *more)
        assert isinstance(sent, int), sent
        return sent

    def _begun(self, task: int) -> str:
        """Wait until a living worker does the task or it has ended; return its state."""
        if self._worker is None:
            self._worker = self._workers.enter_context(self.project.celery(beat=False))
        deadline = time.monotonic() + 600
        while True:
            state, attempt = self.driver("progress", task)
            if state != "queued" and not (state == "running" and attempt == self._killed):
                return str(state)
            assert time.monotonic() < deadline, f"task {task} is {state} after {attempt} attempts"
            self.driver("hurry")
            time.sleep(0.2)


@pytest.mark.soak
@pytest.mark.parametrize("broker", [RABBITMQ, REDIS], ids=["rabbitmq", "redis"])
def test_killed_again_and_again_they_leave_the_same_books(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broker: str
) -> None:
    need(broker)
    kills = int(os.environ.get("KILLS", "200"))
    double = ModelDouble(_slowly)
    monkeypatch.setenv("TASK_LEASE_SECONDS", "2")
    with serving(double) as address:
        monkeypatch.setenv("FAIRPOOL_MODEL_KEYS", json.dumps({address: ""}))
        project = Server(data_dir=tmp_path / "var", port=free_port(), broker=broker)
        project.data_dir.mkdir()
        with project.databases():
            project.prepare()
            driver = Conversation("tests.site.kills.books", project.environment)
            try:
                killer = Killer(driver, project, address, seed=kills)
                with contextlib.closing(killer):
                    _play(killer, kills)
                assert killer.kills.total() >= kills
            finally:
                driver.close()


def _play(killer: Killer, kills: int) -> None:
    """One study in peace, then as many as the kills take, each of which must come to the same."""
    driver = killer.driver
    driver("create", "peace")
    for job in _JOBS:
        killer.do(job, "peace", 0)
        log.info("%s is done in peace", job)
    expected = driver("books", "peace")
    assert (len(expected["scores"]), len(expected["reports"]), expected["models"]) == (1, 1, 1)
    number = 0
    while killer.kills.total() < kills:
        name = f"study {number}"
        driver("create", name)
        for job in _JOBS:
            killer.do(job, name, kills)
        assert driver("books", name) == expected
        number += 1
        log.info(
            "%d kills in %d studies: %s; given up and asked again: %d",
            killer.kills.total(), number, dict(killer.kills), killer.given_up,
        )  # fmt: skip
    assert driver("broken") == {}
