"""Money of a batch and of the site. Whoever commits and releases holds the batch's row."""

from decimal import Decimal

from django.conf import settings
from django.db import transaction

from annotation.core.site_budget import site_budget
from annotation.crowd.pricing import parse_amount
from annotation.models import AuditEvent, Batch, SiteAccount
from annotation.vocabulary import AuditAction
from metrics.errors import InputError

__all__ = [
    "BudgetError",
    "budget_check",
    "budget_left",
    "budget_set",
    "money_commit",
    "money_release",
    "parse_amount",
]


class BudgetError(InputError):
    """The budget of the batch, or of the site, does not allow it."""


def money_commit(*, batch: Batch, amount: Decimal) -> None:
    """Hold `amount` US dollars of the batch's budget; `BudgetError` if it is not there."""
    if settings.SITE_BUDGET is not None:
        _lock_site(batch)
    budget_check(batch=batch, amount=amount)
    batch.committed += amount
    Batch.objects.filter(pk=batch.pk).update(committed=batch.committed)


def budget_left(*, batch: Batch) -> Decimal | None:
    """Amount left of the budgets of batch and site, in US dollars; None without a budget."""
    of_site = site_budget(environment=batch.environment).left
    of_batch = None if batch.budget is None else batch.budget - batch.committed
    known = [left for left in (of_site, of_batch) if left is not None]
    return min(known) if known else None


def budget_check(*, batch: Batch, amount: Decimal) -> None:
    """`BudgetError` where the budget of the batch or of the site has no room for `amount` more."""
    if amount <= 0:
        return
    if batch.budget is not None and batch.committed + amount > batch.budget:
        raise BudgetError(
            f"the batch {batch.name!r} has a budget of {batch.budget} USD, of which "
            f"{batch.committed} are committed; {amount} more are needed.",
            remedy="Raise the budget of the batch; what was published stays.",
        )
    site = site_budget(environment=batch.environment)
    if site.left is not None and amount > site.left:
        raise BudgetError(
            f"this site has a budget of {site.budget} USD, of which {site.committed} are "
            f"committed; {amount} more are needed.",
            remedy="Whoever runs the site raises FAIRPOOL_BUDGET; what was published stays.",
        )


def _lock_site(batch: Batch) -> None:
    """Let one after another commit of the site's budget.

    The row of the account is always locked after that of the batch, so that nobody waits in a ring.
    """
    SiteAccount.objects.get_or_create(environment=batch.environment)
    SiteAccount.objects.select_for_update().get(environment=batch.environment)


def money_release(*, batch: Batch, amount: Decimal) -> None:
    """Give back what was held for something that will not happen."""
    batch.committed = max(batch.committed - amount, Decimal(0))
    Batch.objects.filter(pk=batch.pk).update(committed=batch.committed)


def budget_set(*, batch: Batch, budget: Decimal, actor: str) -> None:
    """Change what the batch may cost in all; never below what is committed already."""
    with transaction.atomic():
        locked = Batch.objects.select_for_update().get(pk=batch.pk)
        if budget <= 0 or budget < locked.committed:
            raise BudgetError(
                f"{locked.committed} USD are committed, so that the budget cannot be {budget} USD.",
                remedy=f"Give {locked.committed} USD or more.",
            )
        Batch.objects.filter(pk=batch.pk).update(budget=budget)
        AuditEvent.objects.create(
            batch=batch,
            actor=actor,
            action=AuditAction.BUDGET_CHANGED,
            detail={"before": str(locked.budget or "none"), "now": str(budget)},
        )
