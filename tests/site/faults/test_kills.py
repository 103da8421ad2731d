"""Each part killed or starved, while a batch is published, answered, collected, a file scored."""

import itertools
import random
import sys
import threading
import time
from collections.abc import Iterator, Mapping

import pytest

from measurements.load.people import category
from tests.site.faults.driving import Driver, begin_to_answer, wait_for
from tests.site.faults.installation import LEASE_SECONDS, Installation, installed
from tests.site.faults.people import Journal
from tests.site.faults.strikes import HARDSHIPS, KILLS, Strike
from tests.site.workers.profiles import wait_until

STAGES = ("publish", "answer", "collect", "score")
N_HITS = 16
ASSIGNMENTS = 2
N_DOCUMENTS = 100_000
#: Seconds that each stage takes on a quiet machine; the fault comes somewhere within.
SECONDS = {"publish": 0.5, "answer": 1.5, "collect": 0.5, "score": 0.5}


class Blow(threading.Thread):
    """One fault, at a random moment of a stage, for a random time."""

    def __init__(
        self, installation: Installation, strike: Strike, seconds: float, luck: random.Random
    ) -> None:
        super().__init__(name="blow")
        self._installation, self._strike = installation, strike
        self._before = luck.uniform(0, seconds)
        # Sometimes longer than a worker may be silent.
        self._length = luck.uniform(0, 1.5 * LEASE_SECONDS)
        #: When the fault came, and whether a task was running then.
        self.at = 0.0
        self.met_a_task = False

    def run(self) -> None:
        time.sleep(self._before)
        with self._installation.database.connect("fairpool") as database:
            row = database.execute("SELECT 1 FROM annotation_task WHERE state = 'running'")
            self.met_a_task = row.fetchone() is not None
        self.at = time.monotonic()
        with self._strike(self._installation):
            time.sleep(self._length)


def ended(driver: Driver, task: int) -> bool:
    # A worker that met what was away would wait half a minute before it asks again.
    driver("hurry")
    state = driver("state", task)
    assert state in {"queued", "running", "done"}, state
    return bool(state == "done")


def rounds(strikes: Mapping[str, Strike], number: int, seed: str) -> Iterator[tuple[str, str]]:
    """`number` pairs of a fault and a stage: all that there are, in a random order, then again."""
    pairs = list(itertools.product(strikes, STAGES))
    random.Random(seed).shuffle(pairs)
    return itertools.islice(itertools.cycle(pairs), number)


def play(installation: Installation, driver: Driver, name: str, stage: str, strike: Strike) -> str:
    """The life of one batch and one collection, with one fault; what came of it, in words."""
    luck = random.Random(name)
    driver("create", name, N_HITS, N_DOCUMENTS)
    journal = Journal()
    blow = Blow(installation, strike, SECONDS[stage], luck)
    for step in STAGES:
        if step != "answer":
            task = driver("send", step, name)
        if step == stage:
            blow.start()
        if step == "answer":
            wait_for(begin_to_answer(installation.url, driver, name, journal))
            answered = time.monotonic()
        if step == stage:
            blow.join()
        wait_until(installation.is_ready, seconds=240, what="the site is ready again")
        if step != "answer":
            wait_until(lambda: ended(driver, task), seconds=240, what=f"{step} of {name}")  # noqa: B023 - called at once
    check(driver, name, journal)
    inside = blow.at < answered if stage == "answer" else blow.met_a_task
    return f"{'in the middle' if inside else 'beside it'}, {journal.errors} pages failed"


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


@pytest.mark.services
@pytest.mark.parametrize(
    ("broker", "strikes", "number"),
    [
        pytest.param("redis", KILLS, 20, marks=pytest.mark.faults, id="kills-redis"),
        pytest.param("rabbitmq", KILLS, 5, marks=pytest.mark.faults, id="kills-rabbitmq"),
        pytest.param("redis", HARDSHIPS, 10, marks=pytest.mark.faults, id="hardships"),
        pytest.param("redis", KILLS, 80, marks=pytest.mark.soak, id="soak-kills-redis"),
        pytest.param("rabbitmq", KILLS, 20, marks=pytest.mark.soak, id="soak-kills-rabbitmq"),
        pytest.param("redis", HARDSHIPS, 56, marks=pytest.mark.soak, id="soak-hardships"),
    ],
)
def test_whatever_happens_no_hit_and_no_answer_is_lost_or_doubled(
    broker: str, strikes: Mapping[str, Strike], number: int
) -> None:
    with installed(broker) as installation:
        if strikes is HARDSHIPS and not installation.rows.is_small:
            pytest.skip("this account may not mount a small disk to fill")
        driver = Driver(installation.environment)
        try:
            for index, (fault, stage) in enumerate(rounds(strikes, number, f"{broker} {number}")):
                said = play(installation, driver, f"b{index}", stage, strikes[fault])
                sys.stderr.write(f"round {index}: {fault} during {stage}, {said}\n")
        finally:
            driver.close()
