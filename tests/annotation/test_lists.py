"""A list on the command line has the rows of the API's."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError
from django.urls import reverse
from rest_framework.test import APIClient

from tests.commands import failure, run, run_json
from tests.study import stored_batch, stored_pool, stored_study

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])


@pytest.fixture
def api(admin_user: User) -> APIClient:
    stored_batch(stored_pool(2, "other"), "other")
    client = APIClient()
    client.force_authenticate(admin_user)
    return client


def test_a_list_is_that_of_the_api(api: APIClient) -> None:
    batch = stored_study(4)
    for noun, path in (("batch", "batches"), ("pool", "pools")):
        listed = run_json(noun, "list")[path]
        assert listed == api.get(reverse(f"api-{path}")).json()["results"]
        assert [row["name"] for row in listed[1:]] == ["other"]
        assert run_json(noun, "list", "--study", "gender")[path] == listed[:1]
    rows = api.get(reverse("api-batch-queries", args=[batch.pk])).json()["results"]
    assert run_json("label", "list", "study")["labels"] == rows
    assert run_json("label", "list", "study", "--label", "tie")["labels"] == [rows[3]]


def test_a_list_is_a_table() -> None:
    stored_study(4)
    assert run("batch", "list").splitlines() == [
        "state  crowd                votes  expected  spent  batch",
        "Draft  Local crowd service  12     12        0.00   study",
    ]
    assert run("pool", "list", "--study", "gender").splitlines()[0] == (
        "queries  batches  cutoff  created     pool"
    )
    assert run("label", "list", "study", "--pattern", "2-1").splitlines() == [
        "qid  label  votes     query",
        "q1   m      m 2, f 1  what is q1",
    ]


def test_a_study_or_option_that_is_unknown_is_named() -> None:
    stored_study(2)
    assert "no study named 'x'" in failure("pool", "list", "--study", "x")
    with pytest.raises(CommandError, match="argument --pattern"):
        run("label", "list", "study", "--pattern", "x")
