"""Bodies that ended in a fault of the site."""

import pytest
from django.test import Client

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


@pytest.mark.parametrize("charset", ["rot13", "zlib", "idna", "undefined"])
def test_text_in_an_encoding_that_is_none_is_refused(world: World, charset: str) -> None:
    kind = f"application/json; charset={charset}"
    reply = world.client().generic("POST", "/api/v1/studies/", '{"name":"x"}', content_type=kind)
    assert reply.status_code == 415
    form = b'--x\r\nContent-Disposition: form-data; name="username"\r\n\r\n1\r\n--x--\r\n'
    kind = f"multipart/form-data; boundary=x; charset={charset}"
    assert Client().generic("POST", "/sign-in/", form, content_type=kind).status_code == 415
