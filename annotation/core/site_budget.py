"""Budget of all batches of an environment together, and the amount committed."""

from decimal import Decimal
from typing import NamedTuple

from django.conf import settings
from django.db.models import Sum

from annotation.models import Batch

_CENT = Decimal("0.01")


class SiteBudget(NamedTuple):
    """`budget` is None where the site has none."""

    budget: Decimal | None
    committed: Decimal

    @property
    def left(self) -> Decimal | None:
        """Amount that may still be committed; None without a budget."""
        return None if self.budget is None else self.budget - self.committed


def site_budget(*, environment: str) -> SiteBudget:
    """The site's budget, and what the batches of `environment` have committed of it."""
    batches = Batch.objects.filter(environment=environment)
    committed = batches.aggregate(usd=Sum("committed"))["usd"] or 0
    # SQLite sums as floating point; whole cents come back exactly.
    return SiteBudget(settings.SITE_BUDGET, Decimal(committed).quantize(_CENT))
