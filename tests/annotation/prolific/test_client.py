"""Every call of ours against the market on this machine, whose answers are held to the contract."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import pytest
import urllib3

from annotation.prolific import client
from annotation.prolific.client import (
    BusyError,
    OutcomeUnknownError,
    Prolific,
    ProlificError,
    RefusedError,
)
from annotation.prolific.double.market import Market
from annotation.prolific.events import STUDY, SUBMISSION
from metrics.errors import InputError
from tests.annotation.prolific.conftest import TOKEN, Described, study_terms

_BONUS = 150


def everything(prolific: Prolific, market: Market) -> None:
    """From a token to people who are paid, with every call that the client has."""
    prolific.account()
    (workspace,) = prolific.workspaces()
    prolific.balance(workspace)
    prolific.project(workspace)
    prolific.filters()
    prolific.cost(reward=100, places=3)
    assert prolific.event_secret(workspace) == prolific.event_secret(workspace)
    for event_type in (SUBMISSION, STUDY):
        prolific.subscribe(workspace, event_type=event_type, target="http://127.0.0.1:1/events/")
    subscribed, other = prolific.subscriptions(workspace)
    prolific.unsubscribe(other.subscription_id)
    study = prolific.create_study(study_terms())
    assert prolific.named("fairpool-1") == [study]
    prolific.move_study(study.study_id, "PUBLISH")
    prolific.change_study(study.study_id, total_available_places=4)
    came = [market.arrive(study.study_id, f"{number:024x}") for number in range(3)]
    ids = [visit.submission.submission_id for visit in came if visit]
    prolific.submission(ids[0])
    for one in ids:
        market.come_back(one, "DONE")
    group = prolific.create_group(workspace, "fairpool-1")
    for _ in range(2):
        prolific.add_to_group(group.group_id, [market.submission(ids[0]).participant])
    assert [one.n_people for one in prolific.groups(workspace)] == [1]
    prolific.request_return(ids[2], "Half of the answers are missing.")
    prolific.reject(ids[2], category="NO_DATA", message="No answers arrived. " * 6)
    prolific.approve(ids[:2])
    bonuses = prolific.set_up_bonuses(study.study_id, {ids[0]: _BONUS})
    prolific.pay_bonuses(bonuses.set_id)
    for _ in range(2):
        assert len(list(prolific.submissions(study.study_id))) == len(ids)
    assert prolific.submission(ids[0]).bonuses == (_BONUS,)
    assert [prolific.submission(one).status for one in ids] == ["APPROVED", "APPROVED", "REJECTED"]
    prolific.move_study(study.study_id, "PAUSE")
    prolific.move_study(study.study_id, "START")
    assert prolific.move_study(study.study_id, "STOP").status == "COMPLETED"
    assert prolific.study(study.study_id).places == len(ids) + 1
    told = {one["resource_id"] for one in prolific.events(subscribed.subscription_id)}
    assert told == set(ids)


def test_every_call_is_as_the_market_takes_it(prolific: Prolific, market: Market) -> None:
    """The market refuses what Prolific's contract does not describe: see `test_contract`."""
    everything(prolific, market)


@pytest.mark.long
def test_answers_are_as_prolific_describes_them(
    prolific: Prolific,
    market: Market,
    contract: list[Described],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[str, str, urllib3.BaseHTTPResponse]] = []
    request = urllib3.PoolManager.request

    def recorded(pool: Any, method: str, url: str, **members: Any) -> urllib3.BaseHTTPResponse:
        reply = request(pool, method, url, **members)
        calls.append((method, url, reply))
        return reply

    monkeypatch.setattr(urllib3.PoolManager, "request", recorded)
    everything(prolific, market)
    for method, url, reply in calls:
        path = "/" + url.partition("//")[2].partition("/")[2].partition("?")[0]
        (described,) = [
            one for one in contract if one.method == method and one.pattern.fullmatch(path)
        ]
        answer = described.answers[str(reply.status)]
        if answer and reply.data:
            jsonschema.validate(reply.json(), answer)
    assert len({(method, url.partition("?")[0]) for method, url, _ in calls}) >= 28


def test_it_is_refused_in_a_sentence(prolific: Prolific, market: Market, address: str) -> None:
    study = prolific.create_study(study_terms())
    with pytest.raises(RefusedError, match=r"Authentication .* not provided") as refused:
        Prolific("another", address=address).account()
    assert "token" in refused.value.remedy
    with pytest.raises(RefusedError, match="reward: The reward is below the minimum"):
        prolific.create_study(study_terms(reward=10))
    with pytest.raises(RefusedError, match="PAUSE is not possible while the study is UNPUBLISHED"):
        prolific.move_study(study.study_id, "PAUSE")
    market.balance = 100
    with pytest.raises(RefusedError, match="balance of the workspace is too low"):
        prolific.move_study(study.study_id, "PUBLISH")
    with pytest.raises(RefusedError, match="did not take part"):
        prolific.set_up_bonuses(study.study_id, {"6" * 24: 100})
    with pytest.raises(InputError, match="not an id of Prolific"):
        prolific.study("../users/me")


def test_approving_somebody_who_is_still_at_work_is_refused(
    prolific: Prolific, market: Market
) -> None:
    study = prolific.create_study(study_terms())
    prolific.move_study(study.study_id, "PUBLISH")
    visit = market.arrive(study.study_id, "a" * 24)
    assert visit is not None
    # The other shape of an error.
    with pytest.raises(RefusedError, match="is ACTIVE"):
        prolific.approve([visit.submission.submission_id])


def test_lists_of_several_pages_are_read_to_their_end(prolific: Prolific, market: Market) -> None:
    study = prolific.create_study(study_terms(total_available_places=200))
    prolific.move_study(study.study_id, "PUBLISH")
    for number in range(200):
        market.arrive(study.study_id, f"{number:024x}")
    found = {one.participant_id for one in prolific.submissions(study.study_id)}
    assert len(found) == 200


def test_a_set_of_bonuses_is_paid_as_often_as_it_is_asked(
    prolific: Prolific, market: Market
) -> None:
    """What makes the ledger necessary: nothing at Prolific keeps a second call from paying."""
    study = prolific.create_study(study_terms())
    prolific.move_study(study.study_id, "PUBLISH")
    visit = market.arrive(study.study_id, "a" * 24)
    assert visit is not None
    bonuses = prolific.set_up_bonuses(study.study_id, {visit.submission.submission_id: _BONUS})
    assert bonuses.amount == _BONUS
    prolific.pay_bonuses(bonuses.set_id)
    prolific.pay_bonuses(bonuses.set_id)
    for _ in range(2):
        prolific.submission(visit.submission.submission_id)
    assert visit.submission.bonuses == [_BONUS, _BONUS]


_REPLIES = {
    b"": OutcomeUnknownError,
    b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{": OutcomeUnknownError,
    b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>": OutcomeUnknownError,
    b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n": OutcomeUnknownError,
    b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n": (
        OutcomeUnknownError
    ),
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n": BusyError,
    b'HTTP/1.1 400 Bad Request\r\nContent-Length: 15\r\n\r\n{"detail":"No"}': RefusedError,
}


@contextmanager
def _wire(reply: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """Somebody who answers every request with these bytes and hangs up."""
    requests: list[bytes] = []

    def answer(server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                requests.append(connection.recv(65_536))
                connection.sendall(reply)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer, args=(server,), daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", requests


@pytest.mark.parametrize(("reply", "expected"), _REPLIES.items())
def test_paying_is_sent_once_whatever_comes_back(
    reply: bytes, expected: type[ProlificError]
) -> None:
    with _wire(reply) as (address, requests):
        prolific = Prolific(TOKEN, address=address, timeout=5)
        with pytest.raises(ProlificError) as raised:
            prolific.pay_bonuses("a" * 24)
    assert type(raised.value) is expected
    assert len(requests) == 1
    assert TOKEN not in f"{raised.value} {raised.value.remedy} {raised.value!r} {prolific!r}"


def test_a_list_that_prolific_calls_longer_than_it_is_proves_nothing() -> None:
    row = {"id": "a" * 24, "name": "x", "internal_name": "fairpool-2"}
    body = json.dumps({"results": [row], "meta": {"count": 2}}).encode()
    reply = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    with _wire(reply) as (address, _), pytest.raises(OutcomeUnknownError, match="1 of 2 rows"):
        Prolific(TOKEN, address=address, timeout=5).named("fairpool-1")


def test_nobody_there_is_known_to_have_done_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(RefusedError, match="nobody answers"):
        Prolific(TOKEN, address=f"http://127.0.0.1:{port}").pay_bonuses("a" * 24)


def test_a_token_goes_to_prolific_or_to_this_machine_only() -> None:
    with pytest.raises(InputError, match="neither Prolific"):
        Prolific(TOKEN, address="https://api.prolific.com.example.org")
    assert not Prolific(TOKEN).is_rehearsal
    assert Prolific(TOKEN).address == client.LIVE
