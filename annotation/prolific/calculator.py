"""Cost of a study by our own calculation, which Prolific's has to match. Pure.

Amounts are cents.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from metrics.errors import InputError

#: The least that Prolific lets anybody be paid, in cents an hour.
LEAST_PER_HOUR = 600


@dataclass(frozen=True)
class Offer:
    """Reward and time of one participant, and the number of places."""

    reward: int
    minutes: int
    places: int

    @property
    def per_hour(self) -> int:
        """Cents an hour for whoever needs the estimated time."""
        return round(Decimal(self.reward * 60) / self.minutes)

    def cost(self, fee: Decimal) -> int:
        """Cents of all places, where each one costs `fee` percent on top, rounded to cents."""
        of_one = (self.reward * fee / 100).quantize(Decimal(1), ROUND_HALF_UP)
        return self.places * (self.reward + int(of_one))


def check_offer(offer: Offer) -> None:
    """Refuse pay that Prolific refuses."""
    if offer.per_hour < LEAST_PER_HOUR:
        raise InputError(
            f"{in_units(offer.reward)} for {offer.minutes} minutes are "
            f"{in_units(offer.per_hour)} an hour; Prolific's minimum is "
            f"{in_units(LEAST_PER_HOUR)}.",
            remedy="Give a shorter time or more HITs for one payment, or make a batch with a "
            "higher reward.",
        )


def check_costs(*, ours: int, theirs: int, places: int) -> None:
    """Refuse where the two calculations differ by more than a cent for each place."""
    if abs(ours - theirs) > places:
        raise InputError(
            f"by Prolific's calculator {places} places cost {in_units(theirs)}, by ours "
            f"{in_units(ours)}: nothing is done while they differ.",
            remedy="Set PROLIFIC_FEE_PERCENT to the fee of your workspace, taxes included.",
        )


def in_units(cents: int) -> Decimal:
    """Cents as an amount of the currency."""
    return (Decimal(cents) / 100).quantize(Decimal("0.01"))
