"""A requester's money. Each function is one conditional update; call it inside a transaction."""

from django.db.models import F

from mturk_local.errors import insufficient_funds
from mturk_local.models import Requester


def hold(requester_id: int, cents: int) -> None:
    """Hold `cents` for assignments to come; refused when the balance does not cover them."""
    covered = Requester.objects.filter(
        pk=requester_id, balance_cents__gte=F("held_cents") + cents
    ).update(held_cents=F("held_cents") + cents)
    if not covered:
        raise insufficient_funds()


def release(requester_id: int, cents: int) -> None:
    """Release `cents` that were held."""
    Requester.objects.filter(pk=requester_id).update(held_cents=F("held_cents") - cents)


def spend_held(requester_id: int, cents: int) -> None:
    """Pay `cents` that were held."""
    Requester.objects.filter(pk=requester_id).update(
        balance_cents=F("balance_cents") - cents, held_cents=F("held_cents") - cents
    )


def spend(requester_id: int, cents: int) -> None:
    """Pay `cents` that were not held; refused when the balance does not cover them."""
    covered = Requester.objects.filter(
        pk=requester_id, balance_cents__gte=F("held_cents") + cents
    ).update(balance_cents=F("balance_cents") - cents)
    if not covered:
        raise insufficient_funds()


def deposit(requester: Requester, cents: int) -> None:
    """Pay into the requester's account."""
    Requester.objects.filter(pk=requester.pk).update(balance_cents=F("balance_cents") + cents)
