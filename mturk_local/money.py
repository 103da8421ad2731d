"""Money in whole cents. Pure: no database; `Decimal` and text only in the protocol."""

from decimal import ROUND_HALF_UP, Decimal

#: Amazon asks 20 % of the reward, 20 % more from ten assignments on, 5 % more for Masters.
_FEE, _FEE_OF_MANY, _FEE_OF_MASTERS = 20, 20, 5
_MANY_ASSIGNMENTS = 10
_LEAST_FEE_CENTS = 1


def cents(amount: str) -> int:
    """The cents of an amount as it is written on the wire: `0.5` is 50."""
    return int(Decimal(amount) * 100)


def amount(in_cents: int) -> str:
    """Write an amount as on the wire: 50 cents are `0.50`."""
    return str((Decimal(in_cents) / 100).quantize(Decimal("0.01")))


def assignment_cost(reward_cents: int, *, max_assignments: int, masters: bool) -> int:
    """Cents that one answer costs the requester: the reward and the fee on it."""
    percent = _FEE
    if max_assignments >= _MANY_ASSIGNMENTS:
        percent += _FEE_OF_MANY
    if masters:
        percent += _FEE_OF_MASTERS
    return reward_cents + _fee(reward_cents, percent)


def bonus_cost(bonus_cents: int) -> int:
    """Cents that a bonus costs the requester, fee included."""
    return bonus_cents + _fee(bonus_cents, _FEE)


def _fee(of_cents: int, percent: int) -> int:
    fee = (Decimal(of_cents * percent) / 100).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    return max(int(fee), _LEAST_FEE_CENTS)
