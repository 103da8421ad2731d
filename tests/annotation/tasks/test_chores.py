"""What is done by the clock: the embedded worker and Celery's beat do the same, as often."""

import threading
from itertools import pairwise

import pytest

from annotation.jobs import app, chore_do
from annotation.jobs.chores import CHORES, Chore
from annotation.jobs.worker import work_until

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


def test_beat_asks_for_every_chore_at_its_interval() -> None:
    app.finalize()
    asked = {tuple(one["args"]): one["schedule"] for one in app.conf.beat_schedule.values()}
    assert asked == {(chore.name,): chore.seconds for chore in CHORES}
    assert {one["task"] for one in app.conf.beat_schedule.values()} <= set(app.tasks)


def test_beat_drops_a_message_before_the_next_one_but_one() -> None:
    app.finalize()
    for chore in CHORES:
        options = app.conf.beat_schedule[chore.name]["options"]
        assert options["expires"] >= chore.seconds
        assert options["time_limit"] > options["soft_time_limit"] >= 60


def test_what_celery_is_asked_to_do_is_there() -> None:
    for chore in CHORES:
        if chore.seconds < 86_400:  # the daily one has tests of its own
            chore_do(chore.name)


def test_no_two_chores_have_one_name() -> None:
    names = sorted(chore.name for chore in CHORES)
    assert all(one != other for one, other in pairwise(names))


def test_the_embedded_worker_does_every_chore_of_the_list() -> None:
    stop = threading.Event()
    done: list[str] = []

    def do(name: str) -> None:
        done.append(name)
        if {"in turn", "apart"} <= set(done):
            stop.set()

    chores = [
        Chore("in turn", 0, lambda: do("in turn")),
        Chore("apart", 0, lambda: do("apart"), is_apart=True),
    ]
    threading.Timer(60, stop.set).start()
    work_until(stop, chores=chores)
    assert {"in turn", "apart"} <= set(done)
