"""What a call must not tell of studies that the caller is not a member of."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Assignment, Batch, Study, Task
from tests.api.world import World, ok, other_world, refused
from tests.study import stored_pool

LISTS = {
    "batches/": ("study", "pool"),
    "pools/": ("belongs__study",),
    "tasks/": ("study", "batch"),
    "batches/{batch}/assignments/": ("hit", "worker"),
}


@pytest.fixture
def fresh(world: World) -> World:
    """A study whose queries are labelled, in the same words, in another study only."""
    study = Study.objects.create(name="fresh")
    pool = stored_pool(4, "fresh", study)
    owner = world.people["stranger"]
    study.members.create(user=owner, role="owner")
    return World(study=study, batch=Batch(pool=pool), task=Task(), people={"owner": owner})


def planned(fresh: World, **terms: Any) -> Any:
    body = {"name": "next", "pool": fresh.batch.pool_id, "dry_run": True, **terms}
    return fresh.client().post("/api/v1/batches/", body)


def test_which_queries_are_labelled_elsewhere(fresh: World) -> None:
    assert ok(planned(fresh, exclude_labelled=True))["n_queries"] == 4


def test_how_long_people_take_elsewhere(world: World, fresh: World) -> None:
    now = timezone.now()
    Assignment.objects.update(accepted_at=now - timedelta(minutes=2), submitted_at=now)
    assert ok(planned(fresh))["pay"]["n_answers"] == 0
    terms = {"name": "next", "pool": world.batch.pool_id, "dry_run": True}
    assert ok(world.client().post("/api/v1/batches/", terms))["pay"]["n_answers"] > 0


def test_who_worked_elsewhere(world: World, fresh: World) -> None:
    told = [
        refused(planned(fresh, conditions={"not_from": [name]}), 400)["errors"]
        for name in (world.batch.name, "no such batch")
    ]
    assert [errors[0]["pointer"] for errors in told] == ["#/conditions/not_from"] * 2
    terms = {"name": "next", "pool": world.batch.pool_id, "dry_run": True}
    mine = terms | {"conditions": {"not_from": [world.batch.name]}}
    ok(world.client().post("/api/v1/batches/", mine))


@pytest.mark.parametrize("path", LISTS)
def test_which_numbers_exist_elsewhere(world: World, path: str) -> None:
    """A filter by a hidden row says what it says of a row that is nowhere."""
    other = other_world()
    hidden = {
        **other.numbers(),
        "belongs__study": other.study.pk,
        "hit": other.batch.hits.all()[0].pk,
    }
    client = world.client()
    for name in LISTS[path]:
        for number in (hidden[name], 10**9):
            assert ok(client.get(world.address(path), {name: number}))["results"] == []
        refused(client.get(world.address(path), {name: 10**30}), 400)
        refused(client.get(world.address(path), {name: "x"}), 400)


def test_a_filter_by_ones_own_rows_finds_them(world: World) -> None:
    other_world().study.members.create(user=world.people["owner"], role="owner")
    client = world.client()
    found = ok(client.get("/api/v1/batches/", {"study": world.study.pk}))["results"]
    assert [row["name"] for row in found] == ["study"]
    assert ok(client.get("/api/v1/batches/"))["count"] == 2
