"""Types of options that are whole numbers of a range."""

import re
from argparse import ArgumentTypeError
from collections.abc import Callable

_NUMBER = re.compile(r"[0-9]{1,9}")


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """The type of an option for a whole number from `least` to `most`; else a usage error."""

    def parse(text: str) -> int:
        number = int(text) if _NUMBER.fullmatch(text) else -1
        if not least <= number <= most:
            raise ArgumentTypeError(f"{text} is not from {least:,} to {most:,}")
        return number

    return parse
