"""Requesting more answers to published HITs, whose money is committed before."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from django.utils import timezone

from annotation.batches.operations.further_hits import add_hits, voters_exclude
from annotation.batches.operations.ledger import publishing_end
from annotation.batches.queries.hit_answers import HITAnswers
from annotation.core.money import holds_money
from annotation.crowd.errors import CrossesTenError, CrowdRefusedError
from annotation.crowd.gateway import CrowdHIT, Gateway
from annotation.models import HIT, Batch

#: A HIT cannot be changed during the first seconds of its life.
_YOUNG = timedelta(minutes=1)
_PAUSE_SECONDS = 5


@dataclass
class TopUpReport:
    """`added` assignments were requested, `reopened` HITs had expired.

    `further_hits` were planned for HITs that cannot grow to ten assignments.
    """

    added: int = 0
    reopened: int = 0
    further_hits: int = 0


class Growth:
    """Brings the HITs of a batch to the number of answers that each is to bring.

    The money of all of them is committed in one transaction, before the first call.
    """

    def __init__(
        self,
        batch: Batch,
        lacking: list[HITAnswers],
        gateway: Gateway,
        report: TopUpReport,
        pause: Callable[[float], object],
    ) -> None:
        self._batch, self._gateway, self._report, self._pause = batch, gateway, report, pause
        #: Earlier maximum of the HITs that the crowd does not know of yet, by primary key.
        self._untold = _intend(batch, lacking)

    def grow(self, answers: HITAnswers) -> CrowdHIT:
        """Set the crowd's number of answers, or plan a HIT for the rest; return the crowd's HIT."""
        hit = answers.hit
        known = self._gateway.get_hit(str(hit.hit_id))
        before = self._untold.pop(hit.pk, None)
        missing = hit.max_assignments - known.max_assignments
        if missing <= 0:
            return known
        token = hashlib.sha256(f"{hit.request_token}\n{hit.max_assignments}".encode()).hexdigest()
        try:
            _add(hit, missing, token, self._gateway, self._pause)
            self._report.added += missing
        except CrossesTenError:
            _move_to_further_hit(hit, missing, self._gateway)
            self._report.further_hits += 1
        except CrowdRefusedError:
            if before is not None:
                self._untold[hit.pk] = before
            raise
        return known

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_more: object) -> None:
        """Release, after an early end, what is reserved for answers that were never requested."""
        if error is not None:
            _give_back(self._batch, self._untold)


@holds_money
def _intend(batch: Batch, lacking: list[HITAnswers]) -> dict[int, int]:
    """Store each HIT's new maximum; return the old one, by primary key, of those that grow."""
    before = {}
    for answers in lacking:
        hit = answers.hit
        hit.refresh_from_db(fields=["max_assignments", "target_answers"])
        hit.target_answers = max(hit.target_answers, answers.needed(batch.assignments_per_hit))
        needed = answers.n_all + hit.target_answers - answers.n_good
        if needed > hit.max_assignments:
            before[hit.pk] = hit.max_assignments
            hit.max_assignments = needed
        hit.save(update_fields=["max_assignments", "target_answers"])
    return before


@holds_money
def _give_back(batch: Batch, untold: dict[int, int]) -> None:
    for hit, number in untold.items():
        batch.hits.filter(pk=hit).update(max_assignments=number)
    publishing_end(batch)


def _move_to_further_hit(hit: HIT, missing: int, gateway: Gateway) -> None:
    """Plan another HIT for the rest, as a HIT of fewer than ten assignments cannot reach ten.

    The fee stays the lower one. Workers who voted in the batch are excluded from it, as they could
    answer the same queries again in another HIT.
    """
    voters_exclude(batch=hit.batch, gateway=gateway)
    _move(hit.batch, hit, missing, hit.batch.hit_type_id)


@holds_money
def _move(batch: Batch, hit: HIT, missing: int, hit_type_id: str) -> None:
    batch.hit_type_id = hit_type_id
    hit.refresh_from_db(fields=["max_assignments", "target_answers"])
    hit.max_assignments -= missing
    hit.target_answers -= missing
    hit.save(update_fields=["max_assignments", "target_answers"])
    queries = [place.query for place in hit.places.select_related("query").order_by("place")]
    further = add_hits(batch=batch, pages=[(missing, queries)])
    # Its money moves along, to be spent when it is published.
    batch.hits.filter(pk__in=[new_hit.pk for new_hit in further]).update(reserved_at=timezone.now())


def _add(
    hit: HIT, number: int, token: str, gateway: Gateway, pause: Callable[[float], object]
) -> None:
    try:
        gateway.add_assignments(str(hit.hit_id), number, token=token)
    except CrossesTenError:
        raise
    except CrowdRefusedError:
        if hit.published_at is None or timezone.now() - hit.published_at > _YOUNG:
            raise
        pause(_PAUSE_SECONDS)
        gateway.add_assignments(str(hit.hit_id), number, token=token)
