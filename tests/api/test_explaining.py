"""The documents behind a query, as a program gets them."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.studies.operations.pool_documents import keep_pool_documents
from tests.api.world import World, ok
from tests.measured import COLLECTION, measured_study, storages_in

pytestmark = pytest.mark.django_db


def test_a_query_is_explained_by_its_documents(settings: Settings, tmp_path: Path) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")
    study = measured_study(tmp_path)
    batch = study.batches.get()
    assert batch.pool is not None
    keep_pool_documents(study=study, pool=batch.pool)
    client = APIClient()
    client.force_authenticate(User.objects.create_user("lab", is_staff=True))
    query = batch.queries.get(qid="q1")
    told = ok(client.get(f"/api/v1/batches/{batch.pk}/queries/{query.pk}/explain/"))
    texts = dict(line.split("\t") for line in COLLECTION.splitlines())
    runs = {one["run"]: one["documents"] for one in told["runs"]}
    assert [one["docno"] for one in runs["BM25"]] == ["d1", "d2", "d3"]
    for one in runs["BM25"]:
        assert "".join(piece["text"] for piece in one["pieces"]) == texts[one["docno"]]
    marked = {piece["text"] for piece in runs["BM25"][0]["pieces"] if piece["group"] == "m"}
    assert {"he", "his"} <= marked


def test_what_is_not_known_says_what_to_do(world: World) -> None:
    told = ok(world.client().get(world.address("batches/{batch}/queries/{query}/explain/")))
    assert told["runs"] == []
    assert "collection" in told["why_not"]
