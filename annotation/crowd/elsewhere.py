"""The crowd of batches that Prolific asks without this site: nobody is called.

A HIT there is a group of tasks, which the batch's own ledger counts; it is Prolific's once the
questions are uploaded. What people do there is done on the page of the study.
"""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Never

from annotation.crowd.errors import CrowdRefusedError, NotThereError
from annotation.crowd.gateway import CrowdAssignment, CrowdHIT, Gateway
from annotation.crowd.terms import Terms
from annotation.models import HIT

#: In the place of an address.
ENDPOINT = "prolific"
_ENDLESS = Decimal(10**9)


class NoCrowd(Gateway):
    """Gives HITs their ids, and refuses what only a crowd service can do."""

    def __init__(self) -> None:
        """There is no client."""

    @property
    def endpoint(self) -> str:
        return ENDPOINT

    def balance(self) -> Decimal:
        """No limit: the workspace's money is looked at before its study is published."""
        return _ENDLESS

    def create_hit_type(self, terms: Terms) -> str:
        del terms
        return ENDPOINT

    def create_hit(
        self, *, hit_type_id: str, question: str, annotation: str, token: str,
        max_assignments: int, lifetime_seconds: int,
    ) -> str:  # fmt: skip
        del hit_type_id, question, annotation, max_assignments, lifetime_seconds
        return f"{ENDPOINT}-{token[:40]}"

    def get_hit(self, hit_id: str) -> CrowdHIT:
        token = hit_id.removeprefix(f"{ENDPOINT}-")
        known = HIT.objects.select_related("batch")
        hit = known.filter(request_token__startswith=token).first()
        if hit is None:
            raise NotThereError("no HIT has this id.")
        return CrowdHIT(
            hit_id=hit_id, annotation=hit.annotation, status="Assignable", question="",
            max_assignments=hit.max_assignments, pending=0, available=0, reward=hit.batch.reward,
            expires_at=hit.expires_at, requirements=(),
        )  # fmt: skip

    def list_hits(self) -> Iterator[CrowdHIT]:
        return iter(())

    def assignments(self, hit_id: str) -> list[CrowdAssignment]:
        del hit_id
        return []

    def expire(self, hit_id: str) -> None:
        """Nothing to do: the study is paused at Prolific."""

    def extend(self, hit_id: str, until: datetime) -> None:
        """Nothing to do: a study there has no end."""

    def delete(self, hit_id: str) -> None:
        """Nothing to do."""

    def _call(self, operation: str, *, want: str = "", **parameters: object) -> Never:
        del operation, want, parameters
        raise CrowdRefusedError(
            "Prolific asks the questions of this batch. Do this on the page of its study.",
            remedy="Go to Recruit on Prolific.",
        )
