"""Money of a batch and of the site: the one way to write what the ledger holds.

The rule: rows that hold money are written in a function marked `@holds_money`. It locks the row of
the batch, then that of the site's account, always in this order. At its end the committed amount is
summed from the rows of the ledger, never carried over from before the lock; beyond a budget
everything is undone. Nothing that has begun is deleted. In a deadlock one of the two is repeated as
a whole.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import wraps
from random import uniform
from typing import Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.db import OperationalError, transaction

from annotation.core.held import held_by_rows
from annotation.core.site_budget import site_budget
from annotation.models import AuditEvent, Batch, SiteAccount
from annotation.vocabulary import AuditAction
from metrics.errors import InputError

__all__ = [
    "BudgetError",
    "budget_left",
    "check_budget_left",
    "holds_money",
    "lock_batch",
    "set_budget",
]
#: PostgreSQL's codes of a deadlock, and of a serialization failure.
_OVERTAKEN = ("40P01", "40001")
_MOST_ATTEMPTS = 8
P = ParamSpec("P")
T = TypeVar("T")


class BudgetError(InputError):
    """The budget of the batch, or of the site, does not allow it."""


def holds_money(
    work: Callable[Concatenate[Batch, P], T],
) -> Callable[Concatenate[Batch, P], T]:
    """Mark the function that writes rows of the ledger of a batch, its first argument.

    It gets the batch as it is under the lock, runs in one transaction, calls nobody outside, and
    may run again from its beginning. Raises `BudgetError`, and writes nothing, where the rows hold
    more than before and more than a budget has.
    """

    @wraps(work)
    def locked(batch: Batch, /, *args: P.args, **kwargs: P.kwargs) -> T:
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            try:
                with _money_of(batch) as held:
                    return work(held, *args, **kwargs)
            except OperationalError as error:
                # Within an outer transaction, only that one can be repeated.
                is_last = attempt == _MOST_ATTEMPTS or transaction.get_connection().in_atomic_block
                if is_last or getattr(error.__cause__, "sqlstate", None) not in _OVERTAKEN:
                    raise
                time.sleep(uniform(0, 0.02 * 2**attempt))
        raise AssertionError("unreachable")

    return locked


def lock_batch(pk: int) -> Batch:
    """The batch as it is now; nobody else changes it, or its money, until the transaction ends.

    Rows that refer to it may be added meanwhile, so that storing an answer neither waits nor
    deadlocks.
    """
    return Batch.objects.select_for_update(no_key=True).get(pk=pk)


@contextmanager
def _money_of(batch: Batch) -> Iterator[Batch]:
    with transaction.atomic():
        held = lock_batch(batch.pk)
        if settings.SITE_BUDGET is not None:
            SiteAccount.objects.get_or_create(environment=held.environment)
            SiteAccount.objects.select_for_update(no_key=True).get(environment=held.environment)
        yield held
        committed = held_by_rows(Batch.everything.filter(pk=held.pk))[held.pk]
        if committed != held.committed:
            check_budget_left(batch=held, amount=committed - held.committed)
            held.committed = committed
            Batch.objects.filter(pk=held.pk).update(committed=committed)


def budget_left(*, batch: Batch) -> Decimal | None:
    """Amount left of the budgets of batch and site, in US dollars; None without a budget."""
    of_site = site_budget(environment=batch.environment).left
    of_batch = None if batch.budget is None else batch.budget - batch.committed
    known = [left for left in (of_site, of_batch) if left is not None]
    return min(known) if known else None


def check_budget_left(*, batch: Batch, amount: Decimal) -> None:
    """Raise `BudgetError` where the budget of the batch or of the site lacks room for `amount`."""
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


@holds_money
def set_budget(batch: Batch, *, budget: Decimal, actor: str) -> None:
    """Change the batch's budget, never below what is committed already."""
    if budget <= 0 or budget < batch.committed:
        raise BudgetError(
            f"{batch.committed} USD are committed, so that the budget cannot be {budget} USD.",
            remedy=f"Give {batch.committed} USD or more.",
        )
    Batch.objects.filter(pk=batch.pk).update(budget=budget)
    detail = {"before": str(batch.budget or "none"), "now": str(budget)}
    AuditEvent.objects.create(
        batch=batch, actor=actor, action=AuditAction.BUDGET_CHANGED, detail=detail
    )
    batch.budget = budget
