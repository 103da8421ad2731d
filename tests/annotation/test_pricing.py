"""Money: Amazon's fee as its own mails and requesters' forums give it."""

from decimal import Decimal

import pytest

from annotation.core.amounts import parse_amount
from annotation.crowd.pricing import fee, price, wire
from annotation.models.assignments import hourly_rate
from metrics.errors import InputError


@pytest.mark.parametrize(
    ("reward", "assignments", "masters", "expected"),
    [
        # Amazon's announcement of June 2015 (20 %, 40 % from ten assignments, 5 % for Masters,
        # one cent at least) and the rounding that requesters reported in January 2016.
        ("0.05", 3, False, "0.01"),
        ("0.08", 3, False, "0.02"),
        ("0.10", 9, False, "0.02"),
        ("0.10", 10, False, "0.04"),
        ("0.10", 10, True, "0.05"),
        ("1.00", 3, True, "0.25"),
        ("0.00", 3, False, "0.01"),
        ("0.01", 3, False, "0.01"),
        ("0.25", 3, False, "0.05"),
    ],
)
def test_the_fee_of_an_assignment(
    reward: str, assignments: int, masters: bool, expected: str
) -> None:
    assert fee(Decimal(reward), assignments=assignments, masters=masters) == Decimal(expected)


def test_a_tenth_assignment_doubles_the_fee_of_all() -> None:
    assert price(Decimal("0.10"), assignments=9) == Decimal("1.08")
    assert price(Decimal("0.10"), assignments=10) == Decimal("1.40")


def test_the_default_reward_meets_fifteen_dollars_an_hour_at_six_seconds_a_query() -> None:
    assert hourly_rate(Decimal("0.25"), 60) == Decimal("15.00")


@pytest.mark.parametrize(("text", "amount"), [("0.25", "0.25"), ("12", "12.00"), ("3.5", "3.50")])
def test_an_amount_is_read_as_written(text: str, amount: str) -> None:
    assert wire(parse_amount(text)) == amount


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "+1",
        "1e3",
        "nan",
        "0.125",
        "1,5",
        "$1",
        " 1",
        "٣",
        "１",
        "1_000",
        "1e2",
        ".5",
        ".",
    ],
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_amount(text)
