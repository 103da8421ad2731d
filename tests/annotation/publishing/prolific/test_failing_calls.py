"""Whichever call to Prolific fails, and however: nothing that is stored is lost by it."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from itertools import count
from typing import Any

import pytest
from pytest_django import Settings

from annotation.batches.operations.prolific.add_places import ADD_PLACES
from annotation.batches.operations.prolific.approve_submissions import APPROVE_SUBMISSIONS
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.draft import DRAFT_STUDY
from annotation.batches.operations.prolific.publish_study import PUBLISH_STUDY
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.batches.operations.prolific.set_up_bonuses import SET_UP_BONUSES
from annotation.models import Batch, ProlificWorkspace
from annotation.overview.queries.invariants import broken_invariants
from annotation.prolific.double.market import Market
from annotation.prolific.tokens import unseal
from metrics.errors import InputError
from tests.annotation.prolific.conftest import TOKEN
from tests.annotation.prolific.spoilt import Reply, SpoilingProxy
from tests.annotation.publishing.prolific.conftest import COST, pay, study_of
from tests.failing import stored_cells
from tests.performing import do

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "crowd"]),
    pytest.mark.long,
]

REPLIES: dict[str, Reply] = {
    "a failure": (500, b"<html></html>"),
    "a proxy's page": (200, b"<html></html>"),
    "an empty object": (200, b"{}"),
    "no rows": (200, b'{"results": []}'),
    "refused": (403, b'{"error": {"detail": "No."}}'),
}


class FailingProxy(SpoilingProxy):
    """Answers the call of this number, and its repetitions, in place of Prolific."""

    def __init__(self, upstream: str) -> None:
        super().__init__(upstream, seed=0, share=0)
        self.fail(0, (0, b""))

    def fail(self, number: int, reply: Reply) -> None:
        """Fail at this call from now on; at none for 0."""
        self.number, self.answer, self.calls = number, reply, list[tuple[str, str]]()

    def _forward(self, handler: Any, body: bytes) -> Reply:
        self.calls.append((handler.command, handler.path.partition("?")[0]))
        if 0 < self.number <= len(self.calls) and self.calls[-1] == self.calls[self.number - 1]:
            handler.hook_secret = ""
            return self.answer
        return super()._forward(handler, body)


@pytest.fixture
def proxy(batch: Batch, market: Market, settings: Settings) -> Iterator[FailingProxy]:
    proxy = FailingProxy(settings.PROLIFIC_ADDRESS)
    market.hooks.stop()
    settings.SITE_ADDRESS = "http://127.0.0.1"
    settings.PROLIFIC_ADDRESS = proxy.start()
    do(CONNECT_PROLIFIC, batch, token=TOKEN)
    yield proxy
    proxy.stop()


def fail_each_call(proxy: FailingProxy, market: Market, act: Callable[[], Any]) -> None:
    """Do the act with each of its calls failing in each way, and at last with none."""
    for reply in REPLIES.values():
        for number in count(1):
            before = stored_cells()
            proxy.fail(number, reply)
            with suppress(InputError):
                act()
            assert unseal(ProlificWorkspace.objects.get().hook_secret) == market.hooks.secret
            if len(proxy.calls) < number:  # all went well
                break
            assert before.keys() - stored_cells().keys() == set(), proxy.calls
    proxy.fail(0, (0, b""))


def test_nothing_that_is_stored_is_lost_by_a_call_that_fails(
    proxy: FailingProxy, batch: Batch, market: Market
) -> None:
    fail_each_call(proxy, market, lambda: do(CONNECT_PROLIFIC, batch, token=TOKEN))
    fail_each_call(proxy, market, lambda: do(DRAFT_STUDY, batch, minutes=2))
    fail_each_call(proxy, market, lambda: pay(PUBLISH_STUDY, batch, COST))
    for number in range(2):
        visit = market.arrive(str(study_of(batch).study_id), f"{number:024x}")
        assert visit is not None
        market.come_back(visit.submission.submission_id, study_of(batch).codes["completed"])
    fail_each_call(proxy, market, lambda: do(READ_STUDY, batch))
    fail_each_call(proxy, market, lambda: pay(ADD_PLACES, batch, Decimal("0.33"), places=1))
    bonuses = {"reason": "careful", "amount": "0.50"}
    do(SET_UP_BONUSES, batch, **bonuses)
    fail_each_call(proxy, market, lambda: do(SET_UP_BONUSES, batch, **bonuses))
    fail_each_call(proxy, market, lambda: do(APPROVE_SUBMISSIONS, batch))
    assert broken_invariants() == {}
