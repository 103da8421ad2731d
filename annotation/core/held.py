"""Money that the rows of the ledger hold: HITs, bonuses, and recruiting on Prolific."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.db.models import DecimalField, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from annotation.models import HIT, Batch, Bonus, ProlificBonusSet, ProlificStudy
from annotation.vocabulary import HITState

_CENT = Decimal("0.01")
_USD = DecimalField(max_digits=20, decimal_places=2)
#: States of HITs that the crowd has or may have, or that are about to be sent.
_HOLDING = Q(state__in=(HITState.SENT, HITState.PUBLISHED)) | Q(reserved_at__isnull=False)


def held_by_rows(batches: QuerySet[Batch]) -> Mapping[int, Decimal]:
    """US dollars, fees included, by primary key of each of the batches; `committed` is this sum."""
    hits = _sum(HIT.objects.filter(_HOLDING), "batch", F("unit_cost") * F("max_assignments"))
    bonuses = _sum(Bonus.objects.all(), "assignment__hit__batch", F("amount") + F("fee"))
    # In cents.
    fees = _sum(ProlificStudy.objects.all(), "batch", F("fees_committed"))
    sets = _sum(ProlificBonusSet.objects.all(), "study__batch", F("committed"))
    rows = batches.order_by().annotate(usd=hits + bonuses, cents=fees + sets)
    return {
        # SQLite sums in floating point; whole cents are restored exactly.
        pk: (Decimal(usd) + Decimal(cents) / 100).quantize(_CENT)
        for pk, usd, cents in rows.values_list("pk", "usd", "cents")
    }


def _sum(rows: QuerySet[Any], key: str, amount: Any) -> Coalesce:
    total = rows.filter(**{key: OuterRef("pk")}).order_by().values(key)
    total = total.annotate(total=Sum(amount, output_field=_USD)).values("total")
    return Coalesce(Subquery(total, output_field=_USD), Decimal(0), output_field=_USD)
