"""Many at once, and killed at once: no slot given twice, no HIT made twice, nothing lost."""

import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from botocore.exceptions import ClientError

from tests.mturk_local.conftest import assignments, counters, make_hit
from tests.project import empty_databases
from tests.servers import POSTGRES, need_postgresql
from tests.site.service import Service

pytestmark = [pytest.mark.long, pytest.mark.timed]
WORKERS = 12
SLOTS = 5


@pytest.fixture(
    params=["sqlite", pytest.param("postgres", marks=[pytest.mark.services, pytest.mark.long])]
)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    if request.param == "sqlite":
        shutil.copy(empty_databases() / "crowd.sqlite3", tmp_path)
        yield Service(tmp_path, f"sqlite:///{tmp_path / 'crowd.sqlite3'}")
        return
    need_postgresql()
    name = f"crowd_{uuid.uuid4().hex}"
    with psycopg.connect(f"{POSTGRES}postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield Service(tmp_path, f"{POSTGRES}{name}")
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def at_once(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each act returned, or the error it raised, all started together."""

    def outcome(act: Callable[[], Any]) -> Any:
        try:
            return act()
        except ClientError as error:
            return error

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(outcome, acts))


def test_no_slot_is_given_twice_and_no_answer_is_stored_twice(service: Service) -> None:
    with service.running():
        mturk = service.client()
        hit_id = make_hit(mturk, MaxAssignments=SLOTS)
        guests = [service.simulated(f"ASIM{number:03d}") for number in range(WORKERS)]
        # Each sees the offer first: whoever came after the last slot was taken would not.
        for guest in guests:
            guest.browser.open(f"{guest.site}hits/{hit_id}/")
            guest.browser.select_form('form[action$="/accept/"]')
        at_once([guest.browser.submit_selected for guest in guests])
        holders = [guest for guest in guests if "/assignments/" in guest.browser.url]

        assert len(holders) == SLOTS
        assert counters(mturk, hit_id) == ("Unassignable", 0, SLOTS, 0)

        def answer_twice(guest: Any) -> None:
            guest.open_task()
            form, url = guest.browser.select_form("form"), guest.browser.url
            form["label"] = "cat"
            at_once([lambda: guest.browser.submit(form, url).raise_for_status()] * 2)

        at_once([partial(answer_twice, guest) for guest in holders])
        handed_in = assignments(mturk, hit_id)
        assert len({one["WorkerId"] for one in handed_in}) == len(handed_in) == SLOTS
        assert counters(mturk, hit_id) == ("Reviewable", 0, 0, 0)

        approve = [
            partial(mturk.approve_assignment, AssignmentId=one["AssignmentId"])
            for one in handed_in
            for _ in range(2)
        ]
        refused = [one for one in at_once(approve) if isinstance(one, ClientError)]
        assert len(refused) == SLOTS
        # 5 answers for 0.25 USD and 20 % of it.
        assert mturk.get_account_balance()["AvailableBalance"] == "9998.50"


def test_one_token_makes_one_hit_however_many_ask(service: Service) -> None:
    with service.running():
        clients = [service.client() for _ in range(8)]
        asked = at_once([partial(make_hit, client, UniqueRequestToken="t") for client in clients])
        (hit,) = clients[0].list_hits()["HITs"]

        made = [one for one in asked if one == hit["HITId"]]
        others = [one for one in asked if one != hit["HITId"]]
        assert len(made) == 1
        assert all(hit["HITId"] in str(error) for error in others)


def test_everything_is_still_there_after_a_kill(service: Service) -> None:
    with service.running():
        mturk = service.client()
        hit_id = make_hit(mturk, UniqueRequestToken="t", MaxAssignments=2)
        ada, ben = service.simulated("ASIM1"), service.simulated("ASIM2")
        ada.accept(hit_id)
        ada.answer(label="cat", comment="before the kill")
        ben.accept(hit_id)
    with service.running():
        assert counters(mturk, hit_id) == ("Unassignable", 0, 1, 0)
        assert "before the kill" in assignments(mturk, hit_id)[0]["Answer"]
        with pytest.raises(ClientError, match=hit_id):
            make_hit(mturk, UniqueRequestToken="t")
        ben.answer(label="cat")

        assert counters(mturk, hit_id) == ("Reviewable", 0, 0, 0)
