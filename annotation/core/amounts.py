"""Notation of amounts in pages, the API and commands."""

import re
from decimal import Decimal

from metrics.errors import InputError

_CENT = Decimal("0.01")
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_AMOUNT = re.compile(r"[0-9]{1,8}(?:\.[0-9]{1,2})?")


def is_plain(text: str) -> bool:
    """Return whether `text` is a decimal of ASCII digits, without sign, exponent or underscore."""
    return _PLAIN.fullmatch(text) is not None


def parse_amount(text: str) -> Decimal:
    """Parse an amount: plain digits, at most two decimals, nothing else (`0.25`, `12`, `3.5`).

    `AmountField` reads the same in forms, the API and options of operations.
    """
    if not _AMOUNT.fullmatch(text):
        raise InputError(
            f"{text[:40]!r} is not an amount in US dollars.", remedy="Write it like 0.25 or 12."
        )
    return Decimal(text).quantize(_CENT)
