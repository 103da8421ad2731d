"""Amounts spent on batches: through the crowd, and on Prolific by the workspace that recruits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Sum

from annotation.models import Assignment, Batch, Bonus, ProlificBonusSet, ProlificStudy
from annotation.models.assignments import PANEL_PREFIX, AssignmentQuerySet
from annotation.prolific.calculator import in_units
from annotation.prolific.connection import addresses_in_force
from annotation.prolific.statuses import PAID
from annotation.vocabulary import Environment

_USD = "USD"


@dataclass(frozen=True)
class MarketSpent:
    """Money that a batch's study took from the workspace, in its currency, fees included.

    `bonuses` may have been paid: they count from before they are sent, unless a person says that
    they were not paid. `places` is the cost of all places.
    """

    currency: str
    n_approved: int
    approved: Decimal
    bonuses: Decimal
    places: Decimal

    @property
    def spent(self) -> Decimal:
        return self.approved + self.bonuses


@dataclass(frozen=True)
class Spent:
    """The cost of a batch: `here` in US dollars, approved answers and paid bonuses with fees.

    Answers of participants whom Prolific pays are not in `here`, so that nothing counts twice.
    """

    here: Decimal = Decimal(0)
    market: MarketSpent | None = None

    @property
    def usd(self) -> Decimal:
        """US dollars in all. A workspace that pays in another currency is not added."""
        if self.market is None or self.market.currency != _USD:
            return self.here
        return self.here + self.market.spent


def with_studies(batches: QuerySet[Batch]) -> QuerySet[Batch]:
    """Fetch the batches with their studies on Prolific, for `spent_by_batch`."""
    return batches.select_related("prolific_study__workspace")


def spent_by_batch(batches: Collection[Batch]) -> dict[int, Spent]:
    """Return the cost by primary key, in two statements; one more with a published study."""
    answers = paid_here(batches).approved().cost_by_batch()
    bonuses = Bonus.objects.paid().filter(assignment__hit__batch__in=batches).cost_by_batch()
    markets = _market_spent(batches)
    return {
        batch.pk: Spent(
            answers.get(batch.pk, Decimal(0)) + bonuses.get(batch.pk, Decimal(0)),
            markets.get(batch.pk),
        )
        for batch in batches
    }


def batch_spent(*, batch: Batch) -> Spent:
    """The cost of one batch."""
    return spent_by_batch([batch])[batch.pk]


def paid_here(batches: Collection[Batch]) -> AssignmentQuerySet:
    """Return the answers paid through the crowd, without those of Prolific's participants."""
    answers = Assignment.objects.filter(hit__batch__in=batches).exclude(
        hit__batch__environment=Environment.PROLIFIC
    )
    elsewhere = [study.batch_id for study in _published(batches)]
    if not elsewhere:
        return answers
    return answers.exclude(hit__batch__in=elsewhere, worker__worker_id__startswith=PANEL_PREFIX)


def _published(batches: Collection[Batch]) -> list[ProlificStudy]:
    """Return the studies that people could join, without those of rehearsals that are over."""
    studies = (getattr(batch, "prolific_study", None) for batch in batches)
    return [
        study
        for study in studies
        if study is not None
        and study.status not in {"", "UNPUBLISHED"}
        and study.workspace.address in addresses_in_force()
    ]


def _market_spent(batches: Collection[Batch]) -> dict[int, MarketSpent]:
    studies = _published(batches)
    if not studies:
        return {}
    sets = ProlificBonusSet.objects.filter(study=OuterRef("pk")).order_by().values("study")
    rows = ProlificStudy.objects.filter(pk__in=[study.pk for study in studies]).annotate(
        n_paid=Count("submissions", filter=Q(submissions__status__in=PAID)),
        held=Subquery(sets.annotate(cents=Sum("committed")).values("cents")),
    )
    return {
        row.batch_id: MarketSpent(
            currency=row.workspace.currency.upper(),
            n_approved=row.n_paid,
            approved=in_units(round(Decimal(row.total_cost) * row.n_paid / row.places)),
            bonuses=in_units(row.held or 0),
            places=in_units(row.total_cost),
        )
        for row in rows.select_related("workspace")
    }


def where_paid(here: Decimal, on_prolific: Mapping[str, Decimal]) -> str:
    """Return the amounts paid by place: "0.50 USD here, 2.97 USD on Prolific"; "" if only here.

    `on_prolific` has an amount for each currency of a workspace.
    """
    if not on_prolific:
        return ""
    amounts = [f"{amount:.2f} {currency}" for currency, amount in sorted(on_prolific.items())]
    apart = "" if set(on_prolific) == {_USD} else " (other currencies are not added)"
    return f"{here:.2f} USD here, {' and '.join(amounts)} on Prolific{apart}"
