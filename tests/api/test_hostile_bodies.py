"""Bodies that ended in a fault of the site."""

import pytest

from tests.api.world import World, refused


@pytest.mark.parametrize("depth", [33, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"name":', "}")])
def test_a_body_that_is_nested_too_deeply_is_refused(
    world: World, depth: int, opening: str, closing: str
) -> None:
    body = opening * depth + "1" + closing * depth
    for path in ("studies/", "batches/", world.address("batches/{batch}/label/")):
        address = path if path.startswith("/") else f"/api/v1/{path}"
        reply = world.client().generic("POST", address, body, content_type="application/json")
        refused(reply, 400)


def test_a_body_of_a_few_levels_is_read(world: World) -> None:
    terms = {"name": "new", "study": world.study.pk, "dry_run": True}
    queries = [{"qid": "1", "text": "one"}]
    reply = world.client().post("/api/v1/batches/", terms | {"queries": queries})
    assert reply.status_code == 200, reply.content
