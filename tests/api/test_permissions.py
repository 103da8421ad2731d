"""Every address of the API, with every method, for everybody and for nobody."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.test import APIClient

from annotation.models import Study
from annotation.vocabulary import ROLE_PERMISSIONS, Action
from annotation.workers.operations.erase_person import ERASE_PERSON
from tests.annotation.test_operations import CALLS as OPERATION_CALLS
from tests.api.world import PEOPLE, World, ok, other_world, refused
from tests.permissions import permission_of

VIEW, MANAGE, ADJUDICATE = Action.VIEW, Action.MANAGE, Action.ADJUDICATE
PUBLISH, PAY = Action.PUBLISH, Action.PAY
#: What takes a name only: lists show what is open to whoever asks.
NAME = "name"
PUBLIC = "public"
#: A permit, which of these people the owner and staff have.
MAKE = "make"

#: By address and method, what it takes. A new address fails the first test until it stands here.
_OTHERS: dict[str, dict[str, str]] = {
    "me/": {"GET": NAME},
    "studies/": {"GET": NAME, "POST": MAKE},
    "studies/bundles/": {"POST": MAKE},
    "studies/votes/": {"POST": MAKE},
    "studies/{study}/": {"GET": VIEW, "PATCH": MANAGE},
    "studies/{study}/bundle/": {"GET": VIEW},
    "studies/{study}/bundle/file/": {"GET": VIEW},
    "studies/{study}/release/": {"GET": VIEW},
    "studies/{study}/release/file/": {"GET": VIEW},
    "studies/{study}/members/": {"GET": VIEW},
    "studies/{study}/members/{member}/": {"PATCH": MANAGE, "DELETE": MANAGE},
    "studies/{study}/invites/": {"GET": MANAGE},
    "studies/{study}/invites/{invite}/": {"DELETE": MANAGE},
    "studies/{study}/files/": {"GET": VIEW, "POST": MANAGE},
    "studies/{study}/files/{file}/": {"GET": VIEW, "DELETE": MANAGE},
    "studies/{study}/models/": {"GET": VIEW, "POST": MANAGE},
    "studies/{study}/reports/": {"GET": VIEW},
    "studies/{study}/reports/{report}/": {"GET": VIEW},
    "studies/{study}/reports/{report}/statistics/": {"GET": VIEW},
    "studies/{study}/reports/{report}/{file}/": {"GET": VIEW},
    "studies/{study}/events/": {"GET": VIEW},
    "tasks/": {"GET": NAME},
    "tasks/{task}/": {"GET": VIEW},
    "tasks/{task}/cancel/": {"POST": MANAGE},
    "pools/": {"GET": NAME},
    "pools/{pool}/": {"GET": VIEW},
    "pools/{pool}/queries/": {"GET": VIEW},
    "batches/": {"GET": NAME, "POST": NAME},
    "batches/{batch}/": {"GET": VIEW},
    "batches/{batch}/progress/": {"GET": VIEW},
    "batches/{batch}/costs/": {"GET": VIEW, "PATCH": PUBLISH},
    "batches/{batch}/hits/": {"GET": VIEW},
    "batches/{batch}/assignments/": {"GET": VIEW},
    "batches/{batch}/queries/": {"GET": VIEW},
    "batches/{batch}/queries/{query}/": {"GET": VIEW},
    "batches/{batch}/queries/{query}/explain/": {"GET": VIEW},
    "batches/{batch}/scheme/": {"GET": VIEW},
    "batches/{batch}/scheme/{file}/": {"GET": VIEW},
    "batches/{batch}/agreement/": {"GET": VIEW},
    "batches/{batch}/workers/": {"GET": VIEW},
    "batches/{batch}/workers/{worker}/": {"GET": VIEW},
    "batches/{batch}/labels/": {"GET": VIEW},
    "batches/{batch}/figures/": {"GET": VIEW},
    "batches/{batch}/stand-in/": {"GET": VIEW},
    "batches/{batch}/adjudication/queue/": {"GET": ADJUDICATE},
    "batches/{batch}/adjudication/decisions/": {"GET": VIEW},
    "batches/{batch}/export/": {"GET": VIEW},
    "batches/{batch}/votes/": {"GET": VIEW},
    "batches/{batch}/qrels/": {"POST": MANAGE},
    "batches/{batch}/votes/add/": {"POST": MANAGE},
    "batches/{batch}/events/": {"GET": VIEW},
    "batches/{batch}/messages/": {"GET": MANAGE},
    "schema/": {"GET": PUBLIC},
    "docs/": {"GET": PUBLIC},
}


def _takes() -> dict[str, dict[str, str]]:
    """With the operations, whose permissions stand in `tests.permissions`."""
    takes = {path: dict(methods) for path, methods in _OTHERS.items()}
    for place, operation in (*OPERATION_CALLS.items(), ("workers/{worker}/erase/", ERASE_PERSON)):
        noun = "studies/{study}/" if operation.subject is Study else "batches/{batch}/"
        path = place.removeprefix("/api/v1/") if place.startswith("/") else noun + place
        path = path.replace("{answer}", "{assignment}")
        if "POST" not in (methods := takes.setdefault(path, {})):
            methods["POST"] = permission_of(operation)
    return takes


TAKES = _takes()
#: What is not there before it was made, also for those who may see it.
NOT_MADE = {
    # The batch asks for the paper's categories.
    "batches/{batch}/scheme/",
    "batches/{batch}/scheme/{file}/",
    "studies/{study}/bundle/",
    "studies/{study}/bundle/file/",
    "studies/{study}/release/",
    "studies/{study}/release/file/",
    "studies/{study}/reports/{report}/statistics/",
    "studies/{study}/reports/{report}/{file}/",
}
#: Lists, and what their rows are numbers of.
NUMBERED = {"studies/": "study", "batches/": "batch", "pools/": "pool", "tasks/": "task"}
#: What is sent to an address, by its last word, where it is not a reason alone.
BODIES = {
    "{member}": {"role": "viewer"},
    "approve": {"feedback": "Thanks."},
    "bonus": {"amount": "0.10", "reason": "Because."},
    "forget": {},
}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
CALLS = [(path, method) for path, methods in TAKES.items() for method in methods]


def addresses(patterns: list[Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Every address of the URL conf as `TAKES` writes it, with its view."""
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern) and pattern.name != "api-unknown":
            for kind in ("<int:", "<slug:"):
                path = path.replace(kind, "{")
            yield path.replace(">", "}").removeprefix("v1/"), pattern.callback


def call(client: APIClient, world: World, path: str, method: str) -> Any:
    """One call without a body that could be carried out; whatever it does is undone."""
    numbers: dict[str, Any] = world.numbers()
    if path.endswith("{report}/{file}/"):
        numbers["file"] = "folder"
    with transaction.atomic():
        response = getattr(client, method.lower())(f"/api/v1/{path.format(**numbers)}")
        transaction.set_rollback(True)
    return response


def test_every_address_and_method_is_known() -> None:
    found = {
        path: {method for method in METHODS if hasattr(view.cls, method.lower())}
        for path, view in addresses(get_resolver("annotation.api_urls").url_patterns)
    }
    assert found == {path: set(methods) for path, methods in TAKES.items()}


@pytest.mark.parametrize("who", PEOPLE)
def test_what_everybody_may_do(world: World, who: str) -> None:
    client = world.client(who)
    wrong = []
    for path, method in CALLS:
        status = call(client, world, path, method).status_code
        expected = expectation(who, TAKES[path][method], path)
        if expected(status) is False:
            wrong.append(f"{who} {method} {path}: {status}")
    assert wrong == []


def expectation(who: str, takes: str, path: str) -> Any:
    """What the status must be like."""
    if takes in (NAME, PUBLIC) or who == "staff" or takes in ROLE_PERMISSIONS.get(who, ()):
        refusals = {401, 403, 405} | (set() if path in NOT_MADE else {404})
        return lambda status: status < 500 and status not in refusals
    if takes == MAKE:
        makes_it = who in ("owner", "staff")
        return lambda status: (status == 403) != makes_it
    expected = 404 if who == "stranger" else 403
    return lambda status: status == expected


def test_nobody_may_do_anything_without_a_name(world: World) -> None:
    client = world.client("nobody")
    for path, method in CALLS:
        response = call(client, world, path, method)
        if TAKES[path][method] == PUBLIC:
            assert response.status_code == 200
        else:
            told = refused(response, 401)
            assert "account create-token" in told["remedy"]
            assert response.headers["WWW-Authenticate"] == "Bearer"


def test_the_owner_of_another_study_sees_nothing_of_this_one(world: World) -> None:
    other = other_world()
    client = other.client("owner")
    for path, method in CALLS:
        if "{" in path:
            refused(call(client, world, path, method), 404)
    for path in NUMBERED:
        (only,) = ok(client.get(f"/api/v1/{path}"))["results"]
        assert only["number"] == other.numbers()[NUMBERED[path]]


def test_numbers_of_another_study_lead_nowhere_within_ones_own(world: World) -> None:
    other = other_world()
    client = world.client("owner")
    mine, theirs = world.numbers(), other.numbers()
    for path, method in CALLS:
        names = [part.strip("{}") for part in path.split("/") if part.startswith("{")]
        if len(names) == 2:
            numbers = {**mine, names[1]: theirs[names[1]]}
            address = f"/api/v1/{path.format(**numbers)}"
            body = BODIES.get(path.split("/")[-2], {"reason": "Because."})
            refused(
                getattr(client, method.lower())(address, body if method == "POST" else None), 404
            )


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
def test_other_methods_are_refused_by_name(world: World, method: str) -> None:
    client = world.client("owner")
    for path, known in TAKES.items():
        if method not in known:
            refused(call(client, world, path, method), 405)


def test_a_batch_needs_leave_in_its_study(world: World) -> None:
    terms = {"name": "new", "pool": world.batch.pool_id, "dry_run": True}
    ok(world.client("owner").post("/api/v1/batches/", terms))
    for who in ("adjudicator", "viewer", "annotator", "stranger"):
        told = refused(world.client(who).post("/api/v1/batches/", terms), 400)
        assert told["errors"][0]["pointer"] == "#/pool"
    queries = {"name": "new", "queries": [{"qid": "1", "text": "one"}], "dry_run": True}
    told = refused(world.client("owner").post("/api/v1/batches/", queries), 400)
    assert told["errors"][0]["pointer"] == "#/study"
    ok(world.client("staff").post("/api/v1/batches/", queries))
    ok(world.client("owner").post("/api/v1/batches/", queries | {"study": world.study.pk}))
