"""Lengths of time as people type them."""

import re

from metrics.errors import InputError

_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_DURATION = re.compile(r"([0-9]{1,8})([smhd]?)")


def parse_seconds(text: str, *, unit: str = "") -> int:
    """`7d`, `12h`, `30m` or `90s` in seconds; a bare number counts `unit`, where one is given."""
    match = _DURATION.fullmatch(text.strip())
    if match is None or not (match[2] or unit):
        raise InputError(f"{text!r} is not a length of time.", remedy="Write it like 7d, 12h, 30m.")
    return int(match[1]) * _SECONDS[match[2] or unit]
