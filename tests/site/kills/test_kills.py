"""SIGKILL at random moments of publishing and collecting: one HIT per item, no answer lost."""

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conversation import Conversation
from tests.project import Project, new_project

pytestmark = pytest.mark.timed

#: Of `make faults`, and of `make soak`.
KILLS = [
    pytest.param(40, marks=pytest.mark.faults),
    pytest.param(200, marks=pytest.mark.soak),
]
N_HITS = 40
#: Seconds within which a child is killed; a whole run takes longer.
LONGEST_LIFE = 0.6


class Worker(Conversation):
    """Speaks with `forking.py`."""

    def __init__(self, project: Project) -> None:
        super().__init__("tests.site.kills.forking", project.environment)

    def kill_within(self, seconds: float, *work: str) -> bool:
        """Start `work` and kill it after `seconds`; whether it was killed before it ended."""
        child = self("fork", *work)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        return bool(self("join", child) == -signal.SIGKILL)


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """Database files and a crowd service of its own, in processes of their own."""
    project = new_project(tmp_path)
    with project.site():
        worker = Worker(project)
        yield worker
        worker.close()


@pytest.mark.parametrize("kills", KILLS)
def test_a_publisher_that_is_killed_again_and_again_makes_each_hit_once(
    worker: Worker, kills: int
) -> None:
    chance = random.Random(kills)
    done = batches = 0
    while done < kills:
        name = worker("create", batches, N_HITS)
        batches += 1
        while done < kills and not worker("is_published", name):
            done += worker.kill_within(chance.uniform(0, LONGEST_LIFE), "publish", name)
        assert worker("join", worker("fork", "publish", name)) == 0
    total = batches * N_HITS
    assert worker("hits", "") == {
        "crowd": total,
        "most_of_one": 1,
        "ledger": total,
        "agree": True,
    }


@pytest.mark.parametrize("kills", KILLS)
def test_a_collector_that_is_killed_again_and_again_loses_and_doubles_no_answer(
    worker: Worker, kills: int
) -> None:
    name = worker("create", 0, N_HITS)
    assert worker("join", worker("fork", "publish", name)) == 0
    handed_in = worker("simulate", name)
    assert handed_in == 3 * N_HITS
    chance = random.Random(kills)
    done = 0
    whole = {
        "assignments": handed_in,
        "readable": handed_in,
        "votes": 2 * handed_in,
        "repeated": 0,
    }
    while done < kills:
        if not worker.kill_within(chance.uniform(0, LONGEST_LIFE), "collect", name):
            assert worker("answers", name) == whole
            worker("forget", name)
        else:
            done += 1
    assert worker("join", worker("fork", "collect", name)) == 0
    assert worker("answers", name) == whole


@pytest.mark.long
def test_two_publishers_and_two_collectors_at_once_do_the_work_of_one(worker: Worker) -> None:
    name = worker("create", 0, N_HITS)
    children = [worker("fork", "publish", name) for _ in range(2)]
    assert [worker("join", child) for child in children] == [0, 0]
    assert worker("is_published", name)
    hits = {"crowd": N_HITS, "most_of_one": 1, "ledger": N_HITS, "agree": True}
    assert worker("hits", "") == hits
    handed_in = worker("simulate", name)
    children = [worker("fork", "collect", name) for _ in range(2)]
    assert [worker("join", child) for child in children] == [0, 0]
    assert worker("answers", name) == {
        "assignments": handed_in,
        "readable": handed_in,
        "votes": 2 * handed_in,
        "repeated": 0,
    }
