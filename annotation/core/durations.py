"""Lengths of time as people type them."""

import re

from metrics.errors import InputError

MINUTE, HOUR, DAY = 60, 3_600, 86_400
_SECONDS = {"s": 1, "m": MINUTE, "h": HOUR, "d": DAY}
_DURATION = re.compile(r"([0-9]{1,8})([smhd]?)")


def parse_seconds(text: str, *, unit: str = "") -> int:
    """Parse `7d`, `12h`, `30m` or `90s` into seconds; a bare number counts `unit`, if given."""
    match = _DURATION.fullmatch(text.strip())
    if match is None or not (match[2] or unit):
        raise InputError(f"{text!r} is not a duration.", remedy="Write it like 7d, 12h, 30m.")
    return int(match[1]) * _SECONDS[match[2] or unit]


def format_seconds(seconds: int) -> str:
    """Write seconds in the largest unit that holds them exactly, as `parse_seconds` reads them."""
    unit = max(
        (candidate for candidate in _SECONDS if not seconds % _SECONDS[candidate]),
        key=_SECONDS.__getitem__,
    )
    return f"{seconds // _SECONDS[unit]}{unit}"
