"""What an operation costs the database does not depend on how much there is."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from mturk_local.models import Requester
from mturk_local.operations import Call, operations
from tests.mturk_local.conftest import QUESTION, TYPE

pytestmark = pytest.mark.django_db(databases=["crowd"])


def statements(requester: Requester, operation: str, **params: Any) -> int:
    with CaptureQueriesContext(connections["crowd"]) as captured:
        operations()[operation].carry(Call(requester, params, datetime.now(UTC)))
    return len(captured)


def create(requester: Requester, number: int) -> int:
    asked = {**TYPE, "Question": QUESTION, "LifetimeInSeconds": 3600, "MaxAssignments": 3}
    return statements(requester, "CreateHIT", **asked, UniqueRequestToken=f"t{number}")


def test_creating_and_listing_hits_takes_a_constant_number_of_statements() -> None:
    requester = Requester.objects.create(name="lab")
    create(requester, 0)
    first, listed = create(requester, 1), statements(requester, "ListHITs", MaxResults=100)
    for number in range(2, 30):
        last = create(requester, number)

    assert first == last
    assert statements(requester, "ListHITs", MaxResults=100) == listed
    # Type, token, money, HIT and event, and the marks of three transactions.
    assert last <= 12
