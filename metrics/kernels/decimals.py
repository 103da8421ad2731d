"""Decimal numbers as they stand in a run, compiled by Numba: as `int` and `float` read them.

What they do not understand, or cannot round with certainty, they hand back. All take addresses.
"""

from typing import Any

import numpy as np

from .compile import kernel
from .vector import one_byte

# Numba compiles anew when this file changes, not when what it calls does: a test compares.
COMPILED_WITH = {"vector": "4c2b2fdf3b979693"}

MOST_DIGITS = 18

_PLUS, _MINUS, _DOT, _ZERO, _NINE, _UPPER_E, _LOWER_E = 43, 45, 46, 48, 57, 69, 101
_MOST_DIGITS_OF_EXPONENT = 4
# Powers of ten up to this one are exact as doubles, and so are whole numbers up to 2**53.
_EXACT_POWER = 22
_EXACT_WHOLE = 1 << 53
# Powers of ten as sums of two doubles, down to where halves of a product could vanish.
_LEAST_POWER = -250
_POWERS = np.array([float(10**power) for power in range(1 - _LEAST_POWER)])
_REST_OF_POWERS = np.array([float(10**k - int(float(10**k))) for k in range(1 - _LEAST_POWER)])
_SPLITTER = float((1 << 27) + 1)


@kernel
def quotient(whole: int, power: int) -> tuple[float, bool]:
    """The double nearest to whole / 10**power, and whether that is certain.

    `whole` has up to 18 digits, `power` is at most 250. The quotient is computed with twice the
    digits of a double (Dekker 1971); it is certain when rounding gives the same double at both
    ends of an interval that is wider than the error of that computation.
    """
    divisor = _POWERS[power]
    high = float(whole)
    if whole <= _EXACT_WHOLE and power <= _EXACT_POWER:
        return high / divisor, True
    low = float(whole - np.int64(high))
    first = high / divisor
    # The error of the product first * divisor, exactly.
    product = first * divisor
    split = _SPLITTER * first
    first_high = split - (split - first)
    first_low = first - first_high
    split = _SPLITTER * divisor
    divisor_high = split - (split - divisor)
    divisor_low = divisor - divisor_high
    error = first_low * divisor_low - (
        ((product - first_high * divisor_high) - first_low * divisor_high)
        - first_high * divisor_low
    )
    rest = ((high - product) - error) + (low - first * _REST_OF_POWERS[power])
    second = rest / divisor
    doubt = abs(first) * 1e-28
    return first + second, first + (second - doubt) == first + (second + doubt)


@kernel
def digits(place: Any, value: Any) -> Any:
    """`value` with the digits at `place` appended, and where they end; wrong beyond 18 of them."""
    digit = np.int64(one_byte(place)) - _ZERO
    while digit >= 0 and digit <= 9:
        value = value * 10 + digit
        place += 1
        digit = np.int64(one_byte(place)) - _ZERO
    return value, place


@kernel
def _zeros_end(place: Any) -> Any:
    while one_byte(place) == _ZERO:
        place += 1
    return place


@kernel
def _exponent(place: Any) -> Any:
    """The exponent at `place` (0 where there is none) and where it ends; 0: not understood."""
    if one_byte(place) != _LOWER_E and one_byte(place) != _UPPER_E:
        return 0, place
    place += 1
    negative = one_byte(place) == _MINUS
    if negative or one_byte(place) == _PLUS:
        place += 1
    value, end = digits(place, 0)
    if end == place or end - place > _MOST_DIGITS_OF_EXPONENT:
        return 0, 0
    return -value if negative else value, end


@kernel
def decimal(place: Any) -> Any:
    """The number at `place`, as `float` reads it, and where it ends; 0: not understood."""
    negative = one_byte(place) == _MINUS
    if negative or one_byte(place) == _PLUS:
        place += 1
    # Zeros before the first digit that counts do not count.
    counting = _zeros_end(place)
    value, end = digits(counting, 0)
    any_digit, n_counting = end > place, end - counting
    exponent = 0
    if one_byte(end) == _DOT:
        place = end + 1
        counting = place if n_counting else _zeros_end(place)
        value, end = digits(counting, value)
        any_digit, n_counting = any_digit or end > place, n_counting + end - counting
        exponent = place - end
    power, end = _exponent(end)
    exponent += power
    if end == 0 or not any_digit or n_counting > MOST_DIGITS:
        return 0.0, 0
    if exponent >= _LEAST_POWER and exponent <= 0:
        result, certain = quotient(value, -exponent)
    else:
        result = float(value) * _POWERS[min(max(exponent, 0), _EXACT_POWER)]
        certain = value == 0 or (
            exponent > 0 and exponent <= _EXACT_POWER and value <= _EXACT_WHOLE
        )
    return -result if negative else result, end if certain else 0
