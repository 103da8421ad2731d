"""The study of a batch at Prolific: what the operations on it share.

The row has what we requested and what it may cost; Prolific's own answer is the truth, so that each
operation reads the study before changing anything, and again after a lost answer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Q
from django.utils import timezone

from annotation.core.money import holds_money
from annotation.models import (
    AuditEvent,
    Batch,
    ProlificStudy,
    ProlificTasks,
    ProlificWorkspace,
)
from annotation.prolific.calculator import in_units
from annotation.prolific.client import LIVE, Prolific
from annotation.prolific.connection import addresses_in_force
from annotation.prolific.tokens import workspace_prolific
from annotation.prolific.wire import MarketStudy
from annotation.vocabulary import AuditAction
from metrics.errors import InputError

#: Statuses in Prolific's words.
DRAFT, PUBLISHING, ACTIVE, PAUSED, COMPLETED = (
    "UNPUBLISHED",
    "PUBLISHING",
    "ACTIVE",
    "PAUSED",
    "COMPLETED",
)
AWAITING = "AWAITING REVIEW"
#: Finding or making something ends sooner than this: an older attempt has lost its process.
_MADE_WITHIN = timedelta(minutes=5)
#: Fields that others may change during a call to Prolific.
_CHANGING = ("status", "places", "total_cost", "fees_committed", "changing_since")
_MOST_READINGS = 5


def known_study(batch: Batch) -> ProlificStudy | None:
    """Return the batch's study; None if it was rehearsed at a market that is gone."""
    row = ProlificStudy.objects.select_related("workspace", "batch").filter(batch=batch).first()
    return None if row is None or is_past_rehearsal(row) else row


def is_past_rehearsal(row: ProlificStudy) -> bool:
    """Return whether the study was rehearsed at an address that is no longer in force."""
    return row.workspace.address not in addresses_in_force()


def study_row(batch: Batch) -> ProlificStudy:
    """Return the batch's study; `InputError` if none was ever requested."""
    row = known_study(batch)
    if row is None:
        raise InputError(
            f"the batch {batch.name!r} has no study on Prolific.", remedy="Make its draft first."
        )
    return row


def market_name(workspace: ProlificWorkspace) -> str:
    """Name the market of the workspace's studies."""
    is_rehearsal = workspace.address != LIVE
    return "A rehearsal: no people, no money" if is_rehearsal else "Prolific"


def study_at_prolific(
    batch: Batch, *, is_mine: bool = False
) -> tuple[ProlificStudy, Prolific, MarketStudy]:
    """Return the batch's row and Prolific's study, after updating the row.

    While another process changes the study, the row stays; `is_mine` tells which one does.
    """
    for _ in range(_MOST_READINGS):
        row = study_row(batch)
        prolific = workspace_prolific(row.workspace)
        if row.study_id is None:
            raise InputError(
                "it is not known whether Prolific has the draft.",
                remedy="Make the draft again: Fairpool looks for it first, and never makes two.",
            )
        market_study = prolific.study(row.study_id)
        if update_study_row(row, market_study, is_mine=is_mine):
            break
    return row, prolific, market_study


def update_study_row(
    row: ProlificStudy, market_study: MarketStudy, *, is_mine: bool = False
) -> bool:
    """Update the row from Prolific's study, also after changes made there by hand.

    The money reserved follows the number of places. Returns False, without an update, if the row
    has changed since Prolific was asked: the answer may be older than the row.
    """
    if market_study.internal_name and market_study.internal_name != row.internal_name:
        raise InputError("Prolific's study is not the one of this batch.")
    is_told = _follow(row.batch, row, market_study, is_mine)
    row.refresh_from_db()
    return is_told


@holds_money
def _follow(batch: Batch, row: ProlificStudy, market_study: MarketStudy, is_mine: bool) -> bool:
    now = timezone.now()
    read = {name: getattr(row, name) for name in _CHANGING}
    as_read = ProlificStudy.objects.filter(pk=row.pk, **read)
    if not is_mine:
        as_read = as_read.filter(_is_free("changing_since", now))
    changed = {"study_id": market_study.study_id, "status": market_study.status, "read_at": now}
    if market_study.status != DRAFT:
        total = market_study.total_cost or row.total_cost
        if market_study.places not in {0, row.places}:
            changed |= {"places": market_study.places, "total_cost": total}
        changed["fees_committed"] = fees_of(
            batch, total=total, places=market_study.places or row.places, hits=row.hits
        )
    return bool(as_read.update(**changed))


@holds_money
def hold_fees(_batch: Batch, row: ProlificStudy, fees: int) -> None:
    """Reserve `fees` cents in total for the study."""
    ProlificStudy.objects.filter(pk=row.pk).update(fees_committed=fees)
    row.fees_committed = fees


def fees_of(batch: Batch, *, total: int, places: int, hits: int) -> int:
    """Cents of `total` that the batch's HITs do not hold already for the answers of `places`."""
    unit = batch.hits.order_by("index").values_list("unit_cost", flat=True).first() or Decimal(0)
    return max(0, total - int(unit * 100) * places * hits)


def check_task_builder(batch: Batch) -> None:
    """Refuse a batch whose questions Prolific's Task Builder does not ask."""
    if not batch.uses_task_builder:
        raise InputError(
            f"the batch {batch.name!r} is not one whose questions Prolific asks.",
            remedy="Say so while it is a draft, under Where it runs.",
        )


@contextmanager
def claim(row: ProlificStudy | ProlificTasks, since: str, what: str) -> Iterator[None]:
    """Let one process at a time find, make or change something of the study or its tasks.

    `what` names the work in words, `since` the column with the time of its start. The claim is
    committed before the call to Prolific, and released after it, or once its process must have
    ended.
    """
    now = timezone.now()
    rows: Any = ProlificTasks.objects if isinstance(row, ProlificTasks) else ProlificStudy.objects
    mine = rows.filter(pk=row.pk)
    if not mine.filter(_is_free(since, now)).update(**{since: now}):
        raise InputError(f"somebody else is {what}.", remedy="Look at it again in a minute.")
    try:
        yield
    finally:
        mine.filter(**{since: now}).update(**{since: None})


def _is_free(since: str, now: datetime) -> Q:
    return Q(**{since: None}) | Q(**{f"{since}__lt": now - _MADE_WITHIN})


def check_is_same(row: ProlificStudy, market_study: MarketStudy) -> None:
    """Refuse to pay for a study whose terms are not those that were agreed to."""
    theirs = (market_study.reward, market_study.places, market_study.total_cost or row.total_cost)
    if theirs != (row.reward, row.places, row.total_cost):
        raise InputError(
            f"Prolific has {market_study.places} places of {in_units(market_study.reward)} for "
            f"{in_units(market_study.total_cost)} in all; the draft was {row.places} of "
            f"{in_units(row.reward)} for {in_units(row.total_cost)}.",
            remedy="Somebody changed it at Prolific: change it back. Nothing was published.",
        )


def check_balance(prolific: Prolific, workspace: ProlificWorkspace, amount: int) -> None:
    """Refuse what the workspace cannot pay, or would pay in another currency."""
    available, currency = prolific.balance(workspace.workspace_id)
    check_currency(currency)
    if available < amount:
        raise InputError(
            f"the workspace {workspace.title!r} has {in_units(available)} USD, and this takes "
            f"{in_units(amount)} USD.",
            remedy="Add money to it on Prolific's page Finances; nothing was done.",
        )


def check_currency(currency: str) -> None:
    """Refuse a workspace with another currency than the batch's dollars."""
    if currency.upper() != "USD":
        raise InputError(
            f"the workspace pays in {currency}, and rewards of batches are in USD.",
            remedy="Use a workspace of Prolific whose currency is USD.",
        )


def log_study(batch: Batch, actor: str, action: AuditAction, **detail: str | int) -> None:
    """Log a request to Prolific, in cents; never a token or a participant."""
    AuditEvent.objects.create(batch=batch, actor=actor, action=action, detail=detail)
