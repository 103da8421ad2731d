"""SIGKILL amid spoiled calls while a batch recruits on Prolific's double, on both databases.

One study per batch, each answer once, each bonus once or uncertain, books to the cent.
`python -m pytest -m soak tests/site/kills/test_kills_while_recruiting.py --log-cli-level=INFO`
kills 400 processes and spoils 800 calls on each database, and says how many there were.
"""

import logging
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from annotation.prolific.double.market import Market
from annotation.prolific.double.server import serving
from tests.annotation.prolific.spoilt import SpoilingProxy
from tests.conversation import Conversation
from tests.mturk_local.conftest import Guest
from tests.project import Project

pytestmark = pytest.mark.timed

log = logging.getLogger(__name__)

TOKEN = "a-token-for-rehearsals"
SHARE_OF_FAULTS = 0.12
#: The call of a process at which it is killed at the latest.
LAST_CALL = {
    "recruit": 14,
    "add places": 8,
    "catch up": 8,
    "approve people": 8,
    "pay people": 10,
}
#: So often is one kind of work tried before it is given up for stuck.
_MOST_ATTEMPTS = 200
#: Readings within which what was asked for shows at the double.
_READINGS = 4
_BONUSES_OF_A_BATCH = 6


class Stage:
    """A site, the market, the proxy between them, and processes that die."""

    last_call: Mapping[str, int] = LAST_CALL

    def __init__(self, project: Project, market: Market, address: str, seed: int) -> None:
        self.site, self.market = f"http://127.0.0.1:{project.port}", market
        self.proxy = SpoilingProxy(address, seed=seed, share=SHARE_OF_FAULTS)
        self.kills: Counter[str] = Counter()
        through = {"PROLIFIC_ADDRESS": self.proxy.start(), "FAIRPOOL_SITE": self.site}
        self.ask = Conversation("tests.site.kills.forking", project.environment | through)

    def close(self) -> None:
        self.ask.close()
        self.proxy.stop()

    def attempt(self, work: str, name: str, reason: str = "", *, is_aimed: bool) -> int:
        chance = self.proxy.chance
        victim = self.proxy.aim(chance.randint(1, self.last_call[work]) if is_aimed else 0)
        child = self.ask("fork", work, name, reason)
        victim.set_result(child)
        status: int = self.ask("join", child)
        self.kills[work] += status == -signal.SIGKILL
        return status

    def do_until(self, holds: Callable[[], bool], kills: int, *work: str) -> None:
        """Kill whoever does the work, up to so many of a kind, until it is done."""
        for _ in range(_MOST_ATTEMPTS):
            if holds():
                return
            self.attempt(*work, is_aimed=self.kills[work[0]] < kills)
        raise AssertionError(f"not done after {_MOST_ATTEMPTS} attempts: {work}")

    def calmly(self, *request: str) -> Any:
        """Ask while no call is spoiled."""
        share, self.proxy.share = self.proxy.share, 0.0
        try:
            return self.ask(*request)
        finally:
            self.proxy.share = share

    def read(self, name: str) -> None:
        share, self.proxy.share = self.proxy.share, 0.0
        for _ in range(_READINGS):
            assert self.attempt("catch up", name, is_aimed=False) == 0
        self.proxy.share = share


@pytest.fixture
def market() -> Iterator[tuple[Market, str]]:
    market = Market(balance=10**8)
    with serving(market, token=TOKEN) as address:
        yield market, address


@pytest.mark.parametrize(
    ("kills", "faults"),
    [
        pytest.param(1, 1, marks=[pytest.mark.faults, pytest.mark.long]),
        pytest.param(80, 800, marks=pytest.mark.soak),
    ],
)
def test_kills_amid_spoiled_calls_pay_nobody_twice(
    project: Project, market: tuple[Market, str], kills: int, faults: int
) -> None:
    """`kills` of each kind of work."""
    stage = Stage(project, *market, seed=kills)
    names: list[str] = []
    try:
        while (
            min(stage.kills[work] for work in LAST_CALL) < kills
            or stage.proxy.faults.total() < faults
        ):
            names.append(recruited_and_paid(stage, len(names), kills))
            log.info("%s killed; %s spoiled", dict(stage.kills), dict(stage.proxy.faults))
        assert settled(stage, names)
    finally:
        stage.close()
    project.run("crowd", "invariants")


def recruited_and_paid(stage: Stage, number: int, kills: int) -> str:
    """One batch from its draft at the market to bonuses; its name."""
    name: str = stage.ask("create", number, 1)
    assert stage.ask("join", stage.ask("fork", "publish", name)) == 0
    stage.calmly("connect", name, TOKEN)
    stage.do_until(lambda: stage.ask("recruited", name)[0] == "ACTIVE", kills, "recruit", name)
    stage.do_until(lambda: stage.ask("recruited", name)[1] == 3, kills, "add places", name)
    study = stage.ask("recruited", name)[2]
    answered = [take_part(stage, name, study, person) for person in range(3)]
    while stage.kills["catch up"] < min(kills, (number + 1) * 4):
        stage.attempt("catch up", name, is_aimed=True)
    stage.read(name)
    assert set(stage.ask("submissions", name)) == set(answered)
    stage.do_until(
        lambda: set(stage.ask("submissions", name).values()) == {"APPROVED"},
        kills,
        *("approve people", name),
    )
    for reason in range(_BONUSES_OF_A_BATCH):
        pay(stage, name, str(reason), kills)
    return name


def take_part(stage: Stage, name: str, study: str, person: int) -> str:
    """Come by the market's signed link, answer the batch's HIT, and hand in; the submission."""
    visit = stage.market.arrive(study, f"{person:024x}")
    assert visit is not None
    guest = Guest(stage.site)
    guest.browser.open(visit.url)
    (hit,) = stage.ask("hits_of", name)
    guest.accept(hit)
    guest.answer(**{"q-0-gender": "f", "q-1-gender": "m"})
    guest.browser.close()
    submission = visit.submission.submission_id
    stage.market.come_back(submission, stage.ask("codes", name)["completed"])
    return submission


def pay(stage: Stage, name: str, reason: str, kills: int) -> None:
    """Try until the bonus is paid or uncertain; it may be neither before."""
    over = {"accepted", "confirmed", "uncertain"}
    stage.do_until(
        lambda: stage.ask("bonus_state", name, reason) in {*over, "paying"},
        kills,
        *("pay people", name, reason),
    )
    stage.ask("bonus_state", name, reason)
    stage.read(name)
    assert stage.ask("bonus_state", name, reason) in {"confirmed", "uncertain"}


def settled(stage: Stage, names: list[str]) -> bool:
    """Compare what the site says with what the market did, to the cent."""
    market = stage.market
    of = {study.terms["internal_name"]: study for study in market.studies.values()}
    assert len(of) == len(market.studies) == len(names)
    for name in names:
        books = stage.ask("books", name)
        assert books == {"votes": 6, "repeated": 0, "events twice": 0, "broken": {}}
        for set_id, state in stage.ask("bonuses", name).items():
            paid = market.paid[set_id]
            assert paid == {"confirmed": 1, "uncertain": 0}.get(state, 0), (name, set_id, state)
    assert set(market.paid.values()) <= {1}
    spent = sum(study.cost for study in market.studies.values())
    spent += sum(market.bonus_sets[one].total * times for one, times in market.paid.items())
    assert market.balance == 10**8 - spent
    return True
