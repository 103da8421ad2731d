"""One HIT's way from the ledger to the crowd, and what to do when its outcome is in doubt."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone

from annotation.batches.operations import ledger
from annotation.batches.operations.batches import request_token
from annotation.batches.operations.preflight import hit_question
from annotation.batches.queries.codebooks import page_texts
from annotation.crowd.errors import (
    AlreadyDoneError,
    CrowdRefusedError,
    CrowdStopError,
    NotThereError,
    OutcomeUnknownError,
)
from annotation.crowd.gateway import CrowdHIT, Gateway
from annotation.models import HIT, Batch

#: The crowd remembers a token for 24 hours; an hour less leaves room for clocks and long calls.
TOKEN_MEMORY = timedelta(hours=23)
#: After so many unknown outcomes in a row the crowd is taken to be away.
_UNKNOWN_IN_A_ROW = 3


@dataclass
class PublishReport:
    """What one run did. `refused` and `unresolved` map a HIT's place in the batch to the reason."""

    published: int = 0
    refused: dict[int, str] = field(default_factory=dict)
    unresolved: dict[int, str] = field(default_factory=dict)


class Publisher:
    """Publishes the HITs of one batch, one after another."""

    def __init__(self, *, batch: Batch, gateway: Gateway, hit_type_id: str) -> None:
        self.report = PublishReport()
        self._batch = batch
        self._texts = page_texts(batch)
        self._gateway = gateway
        self._hit_type_id = hit_type_id
        self._last_hit_id = ""
        self._unknown_in_a_row = 0

    def publish(self, hit: HIT) -> None:
        """Make sure that `hit` exists once, or that the ledger says why nobody knows."""
        question = hit_question(hit, self._texts)
        token = request_token(
            uid=self._batch.uid, index=hit.index, attempt=hit.attempt, question=question
        )
        if not ledger.hit_intend(hit=hit, token=token):
            return
        if hit.sent_at is not None and hit.sent_at < timezone.now() - TOKEN_MEMORY:
            if self._adopt_by_annotation(hit):
                return
            ledger.hit_forget_token(hit=hit)
        self._create(hit, question)

    def expire_last(self) -> None:
        """The batch was stopped while a HIT was on its way: nobody else knows of that one."""
        if self._last_hit_id:
            self._gateway.expire(self._last_hit_id)

    def _create(self, hit: HIT, question: str) -> None:
        try:
            hit_id = self._gateway.create_hit(
                hit_type_id=self._hit_type_id,
                question=question,
                annotation=hit.annotation,
                token=hit.request_token,
                max_assignments=hit.max_assignments,
                lifetime_seconds=self._batch.lifetime_seconds,
            )
        except AlreadyDoneError as seen:
            self._adopt(hit, seen.hit_id)
        except CrowdRefusedError as error:
            ledger.hit_record_refused(hit=hit, reason=error.message)
            self.report.refused[hit.index] = error.message
        except CrowdStopError as error:
            ledger.hit_record_unknown(hit=hit, reason=error.message)
            raise
        except OutcomeUnknownError as error:
            self._leave_unknown(hit, error)
        else:
            expires_at = timezone.now() + timedelta(seconds=self._batch.lifetime_seconds)
            self._record(hit, hit_id, expires_at)
            if self.report.published == 1:
                self._check_terms(hit, hit_id)

    def _record(self, hit: HIT, hit_id: str, expires_at: datetime | None) -> None:
        ledger.hit_record_published(hit=hit, hit_id=hit_id, expires_at=expires_at)
        self._last_hit_id = hit_id
        self._unknown_in_a_row = 0
        self.report.published += 1

    def _leave_unknown(self, hit: HIT, error: OutcomeUnknownError) -> None:
        ledger.hit_record_unknown(hit=hit, reason=error.message)
        self.report.unresolved[hit.index] = error.message
        self._unknown_in_a_row += 1
        if self._unknown_in_a_row == _UNKNOWN_IN_A_ROW:
            raise error

    def _adopt(self, hit: HIT, hit_id: str) -> None:
        """The token was used before: find the HIT that it made."""
        named = self._get(hit_id) if hit_id else None
        if named is not None and named.annotation == hit.annotation:
            self._record(hit, named.hit_id, named.expires_at)
        elif not self._adopt_by_annotation(hit):
            reason = "the crowd says that the HIT exists, but none carries its annotation"
            self._conflict(hit, reason)

    def _adopt_by_annotation(self, hit: HIT) -> bool:
        """Look through the account for the HIT; True unless it certainly does not exist."""
        found = [known for known in self._gateway.list_hits() if known.annotation == hit.annotation]
        if len(found) == 1:
            self._record(hit, found[0].hit_id, found[0].expires_at)
        elif found:
            ids = ", ".join(sorted(known.hit_id for known in found))
            self._conflict(hit, f"several HITs carry its annotation: {ids}")
        return bool(found)

    def _conflict(self, hit: HIT, reason: str) -> None:
        ledger.hit_record_unknown(hit=hit, reason=reason)
        self.report.unresolved[hit.index] = reason

    def _get(self, hit_id: str) -> CrowdHIT | None:
        try:
            return self._gateway.get_hit(hit_id)
        except NotThereError:
            return None

    def _check_terms(self, hit: HIT, hit_id: str) -> None:
        """Read the first HIT back: a type can silently carry other terms than were asked for."""
        found = self._gateway.get_hit(hit_id)
        expected = (hit.annotation, hit.max_assignments, self._batch.reward)
        if (found.annotation, found.max_assignments, found.reward) != expected:
            self._gateway.expire(hit_id)
            raise CrowdStopError(
                f"the HIT {hit_id} does not have the terms that were asked for; it was expired.",
                remedy="Compare the batch with the HIT's type in the crowd.",
            )
