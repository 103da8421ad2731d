"""Amazon's fee stands in two houses that import nothing of each other: over HTTP, they agree."""

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from annotation.crowd.pricing import price, wire
from tests.mturk_local.conftest import QUESTION, TYPE, available, client_of, crowd

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

__all__ = ["client_of", "crowd"]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
_MASTERS = {"QualificationTypeId": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "Comparator": "Exists"}


@pytest.mark.parametrize("masters", [False, True])
@pytest.mark.parametrize("assignments", [1, 9, 10])
@pytest.mark.parametrize("reward", ["0.01", "0.05", "0.07", "0.25", "1.13"])
def test_a_hit_costs_at_the_service_what_the_platform_forecasts(
    client_of: Callable[[str], "MTurkClient"], reward: str, assignments: int, masters: bool
) -> None:
    mturk = client_of("lab")
    before = Decimal(available(mturk))
    terms = {**TYPE, "Reward": reward, "MaxAssignments": assignments, "LifetimeInSeconds": 3_600}
    if masters:
        terms["QualificationRequirements"] = [_MASTERS]
    mturk.create_hit(**terms, Question=QUESTION)
    spent = before - Decimal(available(mturk))
    assert wire(spent) == wire(price(Decimal(reward), assignments=assignments, masters=masters))
