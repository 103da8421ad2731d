"""A batch that recruits on Prolific's double, whose line breaks where a test wants it to."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.publish import publish_batch
from annotation.core.operations import Actor, AnyOperation, Result
from annotation.core.perform import perform_here
from annotation.models import Batch, ProlificStudy
from annotation.prolific.double.market import Market
from annotation.prolific.double.server import serving
from tests.annotation.prolific.conftest import TOKEN
from tests.annotation.publishing.conftest import MakeBatch
from tests.performing import do

#: Nine answers of 0.25 USD, with a fee of a third: 8 cents of each.
COST = Decimal("2.97")


class FaultyMarket(Market):
    """Breaks the line at chosen acts, before their effect or after it."""

    def __init__(self, **terms: Any) -> None:
        super().__init__(**terms)
        self.faults: dict[str, str] = {}

    def create_study(self, *given: Any) -> Any:
        return self._spoilt("create", super().create_study, *given)

    def move_study(self, *given: Any) -> Any:
        return self._spoilt("move", super().move_study, *given)

    def change_study(self, *given: Any) -> Any:
        return self._spoilt("change", super().change_study, *given)

    def create_group(self, *given: Any) -> Any:
        return self._spoilt("group", super().create_group, *given)

    def add_to_group(self, *given: Any) -> Any:
        return self._spoilt("fill", super().add_to_group, *given)

    def set_up_bonuses(self, *given: Any) -> Any:
        return self._spoilt("set up", super().set_up_bonuses, *given)

    def pay_bonuses(self, *given: Any) -> Any:
        return self._spoilt("pay", super().pay_bonuses, *given)

    def _spoilt(self, act: str, do_it: Any, *given: Any) -> Any:
        fault = self.faults.pop(act, "")
        if fault == "before":
            raise ConnectionResetError
        done = do_it(*given)
        if fault == "after":
            raise ConnectionResetError
        return done


@pytest.fixture
def market() -> FaultyMarket:
    return FaultyMarket()


@pytest.fixture(autouse=True)
def address(market: Market, settings: Settings) -> Iterator[str]:
    settings.SITE_ADDRESS = "http://fairpool.invalid"  # nobody is told of events
    with serving(market, token=TOKEN) as address:
        settings.PROLIFIC_ADDRESS = address
        yield address


@pytest.fixture
def batch(make_batch: MakeBatch) -> Batch:
    """Three HITs of two queries, three answers each, 0.25 USD; published, and connected."""
    batch = make_batch(reward=Decimal("0.25"))
    publish_batch(batch_id=batch.pk, actor="test")
    batch.refresh_from_db()
    do(CONNECT_PROLIFIC, batch, token=TOKEN)
    return batch


def pay(operation: AnyOperation, batch: Batch, agreed: Decimal, **parameters: Any) -> Result:
    """Do it with the agreement to this amount."""
    batch.refresh_from_db()
    return perform_here(operation, batch, parameters, Actor("test"), agreed)


def study_of(batch: Batch) -> ProlificStudy:
    return ProlificStudy.objects.get(batch=batch)


def books(batch: Batch) -> tuple[Decimal, int]:
    """What is committed beside the HITs, in USD and as the study's row has it in cents."""
    batch.refresh_from_db()
    hits = sum(hit.unit_cost * hit.max_assignments for hit in batch.hits.all())
    return batch.committed - hits, study_of(batch).fees_committed


@pytest.fixture
def recruiting(batch: Batch) -> Batch:
    do(DRAFT_STUDY, batch, minutes=2)
    pay(PUBLISH_STUDY, batch, COST)
    return batch
