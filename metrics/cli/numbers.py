"""Types of options that are numbers: each has a range, and refuses what lies outside as usage."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from typing import Any, TypeVar

Value = TypeVar("Value")
#: Largest number for both a column of a database and a seed of NumPy.
MOST = 2**31 - 1


def whole_number(least: int = 0, most: int = MOST) -> Callable[[str], int]:
    """The type of an option for a whole number from `least` to `most`; else a usage error."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not a whole number") from None
        if not least <= number <= most:
            raise ArgumentTypeError(f"{text} is not from {least:,} to {most:,}")
        return number

    return parse


def number(least: float, most: float, *, ends: bool = True) -> Callable[[str], float]:
    """The type of an option for a number from `least` to `most`; without `ends` between them."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not a number") from None
        # NaN is outside every range.
        if not (least <= value <= most if ends else least < value < most):
            where = f"from {least:g} to {most:g}" if ends else f"between {least:g} and {most:g}"
            raise ArgumentTypeError(f"{text} is not {where}")
        return value

    return parse


def listed(parse: Callable[[str], Value]) -> Callable[[str], list[Value]]:
    """The type of an option for such values with commas between them."""
    return lambda text: [parse(part) for part in text.split(",")]


seed = whole_number()
share = number(0, 1)


def add_count_option(
    parser: ArgumentParser,
    name: str,
    default: int,
    help: str = "Default: %(default)s.",  # noqa: A002 - argparse's
    **how: Any,
) -> None:
    """An option for how many of something there are: a whole number from 1."""
    parser.add_argument(name, type=whole_number(1), default=default, help=help, **how)
