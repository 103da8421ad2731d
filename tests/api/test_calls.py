"""What the calls of the API do: over tokens, as programs make them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from knox.models import AuthToken
from rest_framework.test import APIClient
from rest_framework.throttling import UserRateThrottle

from annotation.models import AuditEvent, Batch, Label, Study, StudyFile, Task
from annotation.vocabulary import Environment, TaskState
from tests.api.test_permissions import CALLS, NOT_MADE
from tests.api.world import World, make_world, ok, refused
from tests.commands import failure, run_json

#: Not answered with the rows of a database.
NO_DATA = {"schema/", "docs/"}


def test_a_token_of_the_command_opens_what_its_owner_may_see(world: World) -> None:
    made = run_json("account", "create-token", "study viewer")
    client = APIClient(HTTP_AUTHORIZATION=f"Bearer {made['token']}")
    me = ok(client.get("/api/v1/me/"))
    assert me["roles"] == [{"study": world.study.pk, "name": "study", "role": "viewer"}]
    stored = AuthToken.objects.get()
    assert made["token"] not in json.dumps([stored.digest, stored.token_key])
    assert "nobody has the user name" in failure("account", "create-token", "nobody")


@pytest.mark.parametrize("token", ["", "x", "fairpool_" + "0" * 64, "na\u00efve", "two words"])
def test_a_wrong_token_is_refused(world: World, token: str) -> None:
    client = APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")
    refused(client.get("/api/v1/me/"), 401)


def test_a_session_needs_the_token_against_forged_requests(world: World) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(world.people["owner"])
    ok(client.get("/api/v1/me/"))
    told = refused(client.post("/api/v1/studies/", {"name": "forged"}), 403)
    assert "CSRF" in told["detail"]
    assert not Study.objects.filter(name="forged").exists()


def test_errors_of_every_kind_are_problems(world: World) -> None:
    client = world.client()
    batches = "/api/v1/batches/"
    told = refused(client.post(batches, {"name": "", "pool": 10**30, "queries_per_hit": 0}), 400)
    pointers = {error["pointer"] for error in told["errors"]}
    assert pointers == {"#/name", "#/pool", "#/queries_per_hit"}
    queries = [{"qid": "1", "text": "one"}, {"qid": "2"}]
    told = refused(client.post(batches, {"name": "x", "queries": queries}), 400)
    assert [error["pointer"] for error in told["errors"]] == ["#/queries/1/text"]
    refused(client.post(batches, "{", content_type="application/json"), 400)
    refused(client.post(batches, "a=b", content_type="application/x-www-form-urlencoded"), 415)
    refused(client.get("/api/v1/batches"), 404)
    refused(client.get("/api/v2/"), 404)
    told = refused(client.get(batches, {"limit": "many"}), 400)
    assert told["errors"][0]["parameter"] == "limit"
    refused(client.get(batches, {"page": "7"}), 404)
    told = refused(client.post(batches, {"name": "study", "pool": world.batch.pool_id}), 422)
    assert told["type"] == "urn:problem-type:fairpool:impossible"
    assert told["remedy"]


def test_too_many_calls_are_told_when_to_come_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UserRateThrottle, "rate", "2/day", raising=False)
    client = world.client()
    answers = [client.get("/api/v1/me/") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[2].headers["Retry-After"]) > 0
    refused(answers[2], 429)


def test_a_batch_is_planned_stored_and_published_once(world: World) -> None:
    client = world.client()
    terms = {"name": "second", "pool": world.batch.pool_id, "queries_per_hit": 4}
    plan = ok(client.post("/api/v1/batches/", terms | {"dry_run": True}))
    assert (plan["n_hits"], plan["cost"]) == (2, "1.80")
    assert not Batch.objects.filter(name="second").exists()
    made = ok(client.post("/api/v1/batches/", terms), 201)
    batch = Batch.objects.get(name="second")
    assert made["progress"]["number"] == batch.pk
    assert made["terms"]["study"] == world.study.pk
    assert made["cost_to_come"] == "1.80"
    address = f"/api/v1/batches/{batch.pk}/publish/"
    assert ok(client.post(address, {"dry_run": True}))["cost"] == "1.80"
    first, again = (ok(client.post(address, {}), 202) for _ in range(2))
    assert first["number"] == again["number"]
    assert Task.objects.filter(batch=batch).count() == 1


def test_a_batch_asks_adaptively_and_for_new_queries_only(world: World) -> None:
    client = world.client()
    terms = {"name": "second", "pool": world.batch.pool_id, "adaptive": {"most_votes": 7}}
    told = refused(client.post("/api/v1/batches/", terms), 400)
    assert [error["pointer"] for error in told["errors"]] == ["#/assignments_per_hit"]
    terms["assignments_per_hit"] = 2
    told = refused(client.post("/api/v1/batches/", terms | {"new_only": True}), 422)
    assert "an earlier batch asks the same about every query" in told["detail"]
    ok(client.post("/api/v1/batches/", terms), 201)
    rule = Batch.objects.get(name="second").adaptive_policy
    assert (rule.full_share, rule.most_votes) == (0.1, 7)


def test_gold_questions_are_mixed_in_and_checked_by_name(world: World) -> None:
    client = world.client()
    terms = {"name": "second", "pool": world.batch.pool_id}
    wrong = [{"qid": "q1", "text": "one", "golden": "n"}]
    told = refused(client.post("/api/v1/batches/", terms | {"gold": wrong}), 400)
    assert [error["pointer"] for error in told["errors"]] == ["#/gold/0/golden"]
    gold = [{"qid": "q1", "text": "one", "gold": "n"}, {"qid": "g", "text": "a king", "gold": "m"}]
    ok(client.post("/api/v1/batches/", terms | {"gold": gold}), 201)
    known = Batch.objects.get(name="second").queries.exclude(gold="")
    assert dict(known.values_list("qid", "gold")) == {"q1": "n", "g": "m"}


def test_real_money_needs_the_amount(world: World) -> None:
    client = world.client()
    ok(client.post("/api/v1/batches/", {"name": "dear", "pool": world.batch.pool_id}), 201)
    batch = Batch.objects.get(name="dear")
    Batch.objects.filter(pk=batch.pk).update(environment=Environment.PRODUCTION)
    address = f"/api/v1/batches/{batch.pk}/publish/"
    for agreed in ({}, {"agreed": "0.01"}):
        told = refused(client.post(address, agreed), 422)
        assert "real money" in told["detail"]
    ok(client.post(address, {"agreed": "0.90"}), 202)


def test_a_task_is_watched_and_cancelled(world: World) -> None:
    client = world.client()
    (only,) = ok(client.get("/api/v1/tasks/", {"state": "queued"}))["results"]
    assert only["number"] == world.task.pk
    cancelled = ok(client.post(world.address("tasks/{task}/cancel/")))
    assert cancelled["state"] == TaskState.CANCELLED


def test_a_decision_is_made_and_taken_back(world: World) -> None:
    client = world.client("adjudicator")
    queue = ok(client.get(world.address("batches/{batch}/adjudication/queue/")))["results"]
    assert queue[0]["why"] == "tie"
    assert queue[0]["votes"] is None
    qid = queue[0]["qid"]
    decision = {"qid": qid, "category": "n", "reason": "A brand."}
    decided = world.address("batches/{batch}/adjudication/decisions/")
    assert ok(client.post(decided, decision))["value"] == "n"
    assert [one["qid"] for one in ok(client.get(decided))["results"]] == [qid, "q3"]
    withdraw = world.address("batches/{batch}/adjudication/withdraw/")
    ok(client.post(withdraw, {"qid": qid, "reason": "A slip."}), 204)
    assert not Label.objects.filter(query__qid=qid, method="adjudicated").exists()


@pytest.mark.long
def test_workers_have_pseudonyms_everywhere(world: World) -> None:
    client = world.client()
    aside = world.address("batches/{batch}/workers/{worker}/discard-votes/")
    assert ok(client.post(aside, {"reason": "Too fast."})) == {"labels_changed": 2}
    assert AuditEvent.objects.filter(detail__worker="A0").exists()
    told = refused(client.post(aside, {"reason": "Too fast."}), 422)
    assert "A0" not in json.dumps(told)
    for path, method in CALLS:
        if method == "GET" and "{batch}" in path and path not in NOT_MADE:
            response = client.get(world.address(path))
            content = b"".join(response) if response.streaming else response.content
            for worker in ("A0", "A1", "A2"):
                assert f'"{worker}"' not in content.decode(), path


def test_a_file_is_uploaded_checked_and_removed(world: World) -> None:
    client = world.client()
    address = world.address("studies/{study}/files/")

    def upload(content: bytes, kind: str, filename: str) -> Any:
        asked = f"{address}?kind={kind}&filename={filename}"
        return client.post(asked, content, content_type="application/octet-stream")

    told = refused(upload(b"1 Q0 d1 1\n", "run", "lsa.run"), 422)
    assert (told["file"], told["line"]) == ("lsa.run", 1)
    made = ok(upload(b"1 Q0 d1 1 2.5 lsa\n", "run", "lsa.run"), 201)
    assert (made["name"], made["kind"]) == ("lsa", "run")
    refused(upload(b"", "run", "empty.run"), 400)
    (wrong,) = refused(upload(b"1 Q0 d1 1 2.5 x\n", "run", "x.run&dryrun=1"), 400)["errors"]
    assert wrong["parameter"] == "dryrun"
    ok(client.delete(f"{address}{made['number']}/"), 204)
    assert not StudyFile.objects.filter(name="lsa").exists()


def test_somebody_is_invited_and_a_study_keeps_its_owner(world: World) -> None:
    client = world.client()
    made = ok(client.post(world.address("studies/{study}/invites/"), {"role": "viewer"}), 201)
    assert len(made["token"]) > 30
    assert "token" not in json.dumps(ok(client.get(world.address("studies/{study}/invites/"))))
    members = ok(client.get(world.address("studies/{study}/members/")))["results"]
    owner = next(one["number"] for one in members if one["role"] == "owner")
    address = f"{world.address('studies/{study}/members/')}{owner}/"
    refused(client.delete(address), 422)


def statements(client: APIClient, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        response = client.get(address)
        assert response.status_code == 200, response.content
        if response.streaming:
            b"".join(response)
    return len(captured)


@pytest.mark.long
def test_an_answer_costs_the_same_statements_at_any_size(db: None) -> None:
    small, large = make_world(8), make_world(80, "large", Environment.SANDBOX)
    one, many = small.client(), large.client()
    # The clock stands still: once a minute the use of a token is noted, with statements of its own.
    with time_machine.travel(datetime.now(UTC), tick=False):
        for path, method in CALLS:
            if method == "GET" and path not in NOT_MADE | NO_DATA:
                few, more = (
                    statements(client, world.address(path))
                    for client, world in ((one, small), (many, large))
                )
                assert more == few, path


@pytest.mark.parametrize(
    ("address", "kind"),
    [("/", "text/html"), ("/api/v1/studies/", "application/problem+json")],
)
def test_a_foreign_host_is_refused_in_the_form_that_was_asked_for(address: str, kind: str) -> None:
    reply = Client().get(address, HTTP_HOST="elsewhere.example")
    assert (reply.status_code, reply["Content-Type"].partition(";")[0]) == (400, kind)
