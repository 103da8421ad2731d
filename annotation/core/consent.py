"""Cost of an operation, and the consent to it: subjects and prices, to the cent.

Consent is given once, for the amounts shown. It is stored with the job, which pays exactly that: if
something has changed meanwhile, it pays nothing and asks again.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Self

from metrics.errors import InputError

#: A subject of a payment: the key of a row, or several keys as text.
Key = int | str


class ConsentError(InputError):
    """Nobody agreed to exactly this cost. `cost` is the amount to agree to, in US dollars."""

    def __init__(self, cost: Decimal, message: str, *, remedy: str = "") -> None:
        self.cost = cost
        super().__init__(message, remedy=remedy or f"Agree to exactly {cost} USD.")

    def in_words(self, how: str) -> Self:
        """Return a copy whose remedy is `how`, which says how to agree to `{cost}` here."""
        return type(self)(self.cost, self.message, remedy=how.format(cost=self.cost))


@dataclass(frozen=True)
class Charge:
    """Each of `subjects` costs `quantity` times the unit price with its fee, in US dollars."""

    unit_price: Decimal
    fee: Decimal
    subjects: tuple[Key, ...]
    quantity: int = 1

    @property
    def n_times(self) -> int:
        """Number of times that the unit price is paid."""
        return len(self.subjects) * self.quantity

    @property
    def cost(self) -> Decimal:
        return self.n_times * (self.unit_price + self.fee)


@dataclass(frozen=True)
class Estimate:
    """Estimated effect and cost of an operation. Nothing is done.

    `n_answers` answers of `n_hits` HITs are requested, paid or given a bonus; `n_queries` counts
    queries where only some are concerned. `facts` are pairs of term and value for people, `nothing`
    says why there is nothing to do. `committed` is the part of the cost that is committed already.
    `budget_left` is what the budgets of batch and site have room for, in US dollars; None without.
    `version` is that of the estimated state, to be sent back with the decision.
    """

    n_answers: int = 0
    n_hits: int = 0
    n_queries: int = 0
    charges: tuple[Charge, ...] = ()
    committed: Decimal = Decimal("0.00")
    facts: tuple[tuple[str, str], ...] = ()
    nothing: str = ""
    budget_left: Decimal | None = None
    version: str = ""

    @property
    def is_beyond_budget(self) -> bool:
        """True if a budget lacks room for the cost, so that it would be refused."""
        more = self.cost - self.committed
        return self.budget_left is not None and more > 0 and more > self.budget_left

    @property
    def is_committed(self) -> bool:
        """True if the cost adds nothing to what is committed."""
        return self.committed == self.cost

    def among(self, keys: Collection[Key]) -> Self:
        """Return the part for these subjects."""
        parts = (
            replace(charge, subjects=tuple(key for key in charge.subjects if key in keys))
            for charge in self.charges
        )
        charges = tuple(part for part in parts if part.subjects)
        cost = sum((charge.cost for charge in charges), Decimal("0.00"))
        return replace(self, charges=charges, committed=min(self.committed, cost))

    @property
    def cost(self) -> Decimal:
        """US dollars, fees included."""
        return sum((charge.cost for charge in self.charges), Decimal("0.00"))


@dataclass(frozen=True)
class Consent:
    """The charges agreed to. A job that `is_resumed` after an interruption may have paid a part."""

    charges: tuple[Charge, ...]
    is_resumed: bool = False

    @property
    def subjects(self) -> frozenset[Key]:
        """Everything that may be paid for."""
        return frozenset(key for charge in self.charges for key in charge.subjects)

    def check(self, estimate: Estimate) -> None:
        """Raise `ConsentError` unless `estimate` is what was agreed to, or the rest of it."""
        due, agreed = _prices(estimate.charges), _prices(self.charges)
        if due != agreed and not (self.is_resumed and due.items() <= agreed.items()):
            raise ConsentError(
                estimate.cost,
                f"what was agreed to has changed meanwhile: it costs {estimate.cost} USD now. "
                "Nothing more was paid.",
            )

    def as_json(self) -> dict[str, Any]:
        """Return the object that is stored with a job."""
        charges = [
            {
                "unit_price": str(charge.unit_price),
                "fee": str(charge.fee),
                "quantity": charge.quantity,
                "subjects": list(charge.subjects),
            }
            for charge in self.charges
        ]
        total = sum((charge.cost for charge in self.charges), Decimal("0.00"))
        return {"total": str(total), "charges": charges}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], *, is_resumed: bool) -> Self | None:
        """Read the consent from the row of a job; None if nobody was asked for it."""
        if not stored:
            return None
        charges = tuple(
            Charge(
                Decimal(charge["unit_price"]),
                Decimal(charge["fee"]),
                tuple(charge["subjects"]),
                charge["quantity"],
            )
            for charge in stored["charges"]
        )
        return cls(charges, is_resumed)


def agree(estimate: Estimate, agreed: Decimal | None, *, is_real: bool) -> Consent | None:
    """Return the consent to `estimate` of a person who agreed to pay `agreed` US dollars.

    Real money is spent only with the exact amount; otherwise consent is optional, but a stated
    amount has to be right.
    """
    if agreed is None and not (is_real and estimate.cost):
        return Consent(estimate.charges) if is_real else None
    if agreed is None or not agreed.is_finite() or agreed != estimate.cost:
        money = " of real money" if is_real else ""
        raise ConsentError(
            estimate.cost,
            f"this spends {estimate.cost} USD{money}, and that was not agreed to.",
        )
    return Consent(estimate.charges)


def _prices(charges: tuple[Charge, ...]) -> dict[Key, tuple[Decimal, Decimal, int]]:
    return {
        key: (charge.unit_price, charge.fee, charge.quantity)
        for charge in charges
        for key in charge.subjects
    }
