"""Each part killed at random moments of publishing, answering, collecting and scoring."""

import contextlib
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.faults.installation import Installation, installed
from tests.integration.faults.people import Journal, Person
from tests.integration.project import ROOT
from tests.integration.workers.profiles import wait_until
from tests.load.people import category

STAGES = ("publish", "answer", "collect", "score")
#: `restart` is a broker that is told to end, as by an update of the system.
VICTIMS = ("web", "worker", "broker", "database", "restart")
N_HITS = 12
ASSIGNMENTS = 2
N_DOCUMENTS = 20_000
WORKERS = ("ASIM1", "ASIM2", "ASIM3")
#: Rounds of CI (20), and of `make soak` (110).
ROUNDS = [
    pytest.param("redis", 14, marks=pytest.mark.faults),
    pytest.param("rabbitmq", 6, marks=pytest.mark.faults),
    pytest.param("redis", 80, marks=pytest.mark.soak),
    pytest.param("rabbitmq", 30, marks=pytest.mark.soak),
]


class Driver:
    """Speaks with `driver.py`."""

    def __init__(self, installation: Installation) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.faults.driver"],
            cwd=ROOT,
            env=installation.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *request: str | int) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextlib.contextmanager
def struck(installation: Installation, victim: str, luck: random.Random) -> Iterator[None]:
    """Meanwhile the victim dies, at a random moment, and is started again after another."""
    part = installation.parts["broker" if victim == "restart" else victim]
    before, after = luck.uniform(0, 1.2), luck.uniform(0, 0.6)

    def strike() -> None:
        time.sleep(before)
        (part.stop if victim == "restart" else part.kill)()
        time.sleep(after)
        part.start()

    thread = threading.Thread(target=strike)
    thread.start()
    yield
    thread.join()


def ended(driver: Driver, task: int) -> bool:
    state = driver("state", task)
    assert state in {"queued", "running", "done"}, state
    return bool(state == "done")


def answer(installation: Installation, driver: Driver, name: str) -> Journal:
    """Three people do what they can; what they were told was taken."""
    journal = Journal()
    hit_ids = driver("hit_ids", name)
    people = [
        Person(installation.url, worker, driver("link", worker), hit_ids, journal)
        for worker in WORKERS
    ]
    for person in people:
        person.start()
    for person in people:
        person.join()
        assert not person.gave_up, f"{person.name}: {person.gave_up}"
    return journal


def play(installation: Installation, driver: Driver, number: int, seed: str) -> str:
    """The life of one batch and one collection, with one fault; what happened, in words."""
    luck = random.Random(f"{seed}:{number}")
    name, stage, victim = f"b{number}", luck.choice(STAGES), luck.choice(VICTIMS)
    driver("create", name, N_HITS, N_DOCUMENTS)
    journal = Journal()
    for step in STAGES:
        fault = struck(installation, victim, luck) if step == stage else contextlib.nullcontext()
        with fault:
            if step == "answer":
                journal = answer(installation, driver, name)
            else:
                task = driver("send", step, name)
        wait_until(installation.is_ready, seconds=240, what="the site is ready again")
        if step != "answer":
            # A worker that met what was away would wait half a minute before it asks again.
            driver("hurry")
            wait_until(lambda: ended(driver, task), seconds=240, what=f"{step} of {name}")  # noqa: B023 - called at once
    check(driver, name, journal)
    return f"round {number}: {victim} during {stage}, {journal.errors} pages failed"


def check(driver: Driver, name: str, journal: Journal) -> None:
    """One HIT per item, every answer that was taken once and as it was given, the file whole."""
    found = driver("whole", name)
    assert found["hits"] == N_HITS
    assert found["most_of_one"] == 1
    assert set(found["assignments"]) >= {assignment for assignment, _, _ in journal.taken}
    assert len(found["assignments"]) == N_HITS * ASSIGNMENTS
    votes = {(worker, qid): code for worker, qid, code in found["votes"]}
    assert len(votes) == len(found["votes"]) == N_HITS * ASSIGNMENTS
    assert votes == {(worker, qid): category(worker, qid) for worker, qid in votes}
    assert votes.keys() >= {(worker, qid) for _, worker, qid in journal.taken}
    assert found["scored"] == [N_DOCUMENTS]
    assert driver("unfinished") == []
    assert driver("broken", name) == {}


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.parametrize(("broker", "rounds"), ROUNDS)
def test_whatever_is_killed_no_hit_and_no_answer_is_lost_or_doubled(
    broker: str, rounds: int
) -> None:
    with installed(broker) as installation:
        driver = Driver(installation)
        try:
            for number in range(rounds):
                said = play(installation, driver, number, f"{broker} {rounds}")
                sys.stderr.write(f"{said}\n")
        finally:
            driver.close()
