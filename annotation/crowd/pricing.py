"""Cost of work in US dollars: the reward, and Amazon's fee on top of it.

Amounts are `Decimal` with two places. The fee is 20 % of the reward, 20 % more when a HIT asks for
ten assignments or more, 5 % more for workers with the Masters qualification; it is rounded half up
to cents for each assignment, and at least one cent.
"""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
_BASE = Decimal("0.20")
_MANY_ASSIGNMENTS = Decimal("0.20")
_MASTERS = Decimal("0.05")
#: From this number of assignments on, each of them costs the second 20 %.
MANY = 10


def fee(reward: Decimal, *, assignments: int = 1, masters: bool = False) -> Decimal:
    """Amazon's fee for one assignment of a HIT that asks for `assignments`, or for one bonus."""
    rate = _BASE
    if assignments >= MANY:
        rate += _MANY_ASSIGNMENTS
    if masters:
        rate += _MASTERS
    return max(CENT, (reward * rate).quantize(CENT, ROUND_HALF_UP))


def unit_price(reward: Decimal, *, assignments: int, masters: bool = False) -> Decimal:
    """Reward and fee of one assignment of a HIT that asks for `assignments`."""
    return reward + fee(reward, assignments=assignments, masters=masters)


def price(reward: Decimal, *, assignments: int, masters: bool = False) -> Decimal:
    """Reward and fee of all assignments of one HIT."""
    return assignments * unit_price(reward, assignments=assignments, masters=masters)


def wire(amount: Decimal) -> str:
    """Write `amount` for the API: a string with two decimals, always the same for one value."""
    return str(amount.quantize(CENT))
