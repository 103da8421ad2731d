"""SIGKILL in the midst of calls that a proxy spoils, on SQLite and PostgreSQL: every cent is right.

`python -m pytest -m soak tests/site/kills/test_kills_under_faults.py --log-cli-level=INFO`
says how many kills and faults there were.
"""

import logging
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from decimal import Decimal

import pytest

from tests.annotation.publishing.faults import (
    Exchange,
    Fault,
    FaultyProxy,
    double,
    empty_reply,
    html_error,
    lose_reply,
    refuse,
    refuse_connection,
    truncate_reply,
)
from tests.conversation import Conversation
from tests.project import Project
from tests.site.kills.forking import N_WORKERS

pytestmark = pytest.mark.timed

log = logging.getLogger(__name__)

N_HITS = 24
ASSIGNMENTS = 2
#: The call of a process at which it is killed at the latest.
LAST_CALL = {"publish": 6, "collect": N_HITS, "approve": 3, "bonus": 3}
FAULTS: dict[str, Fault] = {
    "refused": refuse_connection,
    "reply lost": lose_reply,
    "doubled": double,
    "503": html_error,
    "throttled": refuse("ThrottlingException"),
    "truncated": truncate_reply,
    "empty": empty_reply,
}
SHARE_OF_FAULTS = 0.15
_JSON = "application/x-amz-json-1.1"


class Hazards:
    """What happens to the calls: faults at random, and the end of whoever makes the chosen one."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.faults: Counter[str] = Counter()
        self._left = 0
        self._victim: Future[int] = Future()

    def aim(self, call: int) -> Future[int]:
        """Kill at this call from now on (0: at none); the caller names the victim."""
        self._left, self._victim = call, Future()
        return self._victim

    def __call__(self, call: Exchange) -> None:
        self._left -= 1
        if self._left == 0:
            self._kill(call)
            return
        if self.chance.random() < SHARE_OF_FAULTS:
            name = self.chance.choice(list(FAULTS))
            self.faults[name] += 1
            FAULTS[name](call)
        else:
            call.answer(*call.forward(), _JSON)

    def _kill(self, call: Exchange) -> None:
        """Before the service has seen the call, after, or when the reply has just been read."""
        moment, victim = self.chance.choice(("before", "after", "later")), self._victim.result(60)
        if moment == "before":
            os.kill(victim, signal.SIGKILL)
            return
        done = call.forward()
        if moment == "later":
            call.answer(*done, _JSON)
            time.sleep(self.chance.uniform(0, 0.03))
        os.kill(victim, signal.SIGKILL)


class Stage:
    """A site, and processes that work on it through the proxy until they are killed."""

    def __init__(self, project: Project, seed: int) -> None:
        self.hazards = Hazards(seed)
        self.kills: Counter[str] = Counter()
        self._proxy = FaultyProxy(
            upstream=f"http://127.0.0.1:{project.port}/mturk/", otherwise=self.hazards
        )
        through = {"MTURK_LOCAL_ENDPOINT": self._proxy.start()}
        module = "tests.site.kills.forking"
        self.forking = Conversation(module, project.environment | through)
        #: Past the proxy.
        self.ask = Conversation(module, project.environment)

    def close(self) -> None:
        self.forking.close()
        self.ask.close()
        self._proxy.stop()

    def calls(self) -> int:
        return self._proxy.calls.total()

    def attempt(self, *work: str, is_aimed: bool) -> int:
        """Let a process do the work, killed at one of its calls if so; how it ended."""
        last = LAST_CALL[work[0]]
        victim = self.hazards.aim(self.hazards.chance.randint(1, last) if is_aimed else 0)
        child = self.forking("fork", *work)
        victim.set_result(child)
        status: int = self.forking("join", child)
        self.kills[work[0]] += status == -signal.SIGKILL
        return status

    def kill_until(self, holds: Callable[[], bool], kills: int, *work: str) -> None:
        """Kill whoever does the work, until it is done or so many were killed; then finish it."""
        while self.kills[work[0]] < kills and not holds():
            self.attempt(*work, is_aimed=True)
        while not holds():
            self.attempt(*work, is_aimed=False)


@pytest.mark.parametrize(
    "kills",
    [pytest.param(8, marks=pytest.mark.faults), pytest.param(200, marks=pytest.mark.soak)],
)
def test_kills_amid_spoiled_calls_lose_double_and_overpay_nothing(
    project: Project, kills: int
) -> None:
    stage = Stage(project, seed=kills)
    try:
        before = Decimal(stage.ask("balance", ""))
        number = 0
        while min(stage.kills[work] for work in LAST_CALL) < kills:
            rehearse(stage, number, kills)
            number += 1
            log.info(
                "%s killed in %d batches; %d calls, of which %d spoiled: %s",
                dict(stage.kills),
                number,
                stage.calls(),
                stage.hazards.faults.total(),
                dict(stage.hazards.faults),
            )
        spent = before - Decimal(stage.ask("balance", ""))
        assert spent == Decimal(stage.ask("committed", ""))
    finally:
        stage.close()
    project.run("crowd", "invariants")


def rehearse(stage: Stage, number: int, kills: int) -> None:
    """One batch, published, answered, collected, approved and paid its bonuses, and compared."""
    name = stage.ask("create", number, N_HITS, ASSIGNMENTS)
    stage.kill_until(lambda: bool(stage.ask("is_published", name)), kills, "publish", name)
    if all(stage.kills[work] >= kills for work in ("collect", "approve", "bonus")):
        assert stage.ask("differences", name) == []
        return
    handed_in = stage.ask("simulate", name)
    assert handed_in == ASSIGNMENTS * N_HITS
    whole = {
        "assignments": handed_in,
        "readable": handed_in,
        "votes": 2 * handed_in,
        "repeated": 0,
    }
    # About as many in each batch as of the others, for each kind of work needs other batches.
    collectors = min(kills, stage.kills["collect"] + 2 * N_HITS)
    while stage.kills["collect"] < collectors:
        if stage.attempt("collect", name, is_aimed=True) == 0:
            assert stage.ask("answers", name) == whole
            stage.ask("forget", name)
    while stage.attempt("collect", name, is_aimed=False) != 0:
        pass
    assert stage.ask("answers", name) == whole
    stage.kill_until(lambda: bool(stage.ask("is_approved", name)), kills, "approve", name)
    reasons = 0
    payers = min(kills, stage.kills["bonus"] + 2 * N_HITS)
    while reasons == 0 or stage.kills["bonus"] < payers:
        reason = f"reason {reasons}"
        stage.kill_until(
            lambda reason=reason: stage.ask("n_paid", name, reason) == N_WORKERS,  # type: ignore[misc]
            kills,
            *("bonus", name, reason),
        )
        reasons += 1
    assert stage.ask("differences", name) == []
