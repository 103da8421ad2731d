"""Vector pictures, compared as drawings."""

import re
from pathlib import Path

import pytest

_NUMBER = re.compile(r"(?<![\w#.-])-?\d+(?:\.\d+)?")
_ID = re.compile(r'(?<= id=")[^"]+')
#: Numbers are written with six decimals; the last one may turn.
_LAST_DECIMAL = 1.5e-6


def assert_same_drawing(drawn: Path, expected: Path) -> None:
    """The same shapes in the same order, their numbers alike to the last written decimal.

    Other processors add up in another order. What is left of it after drawing is the last decimal,
    and the names of shapes, which are made from their numbers.
    """
    shapes, numbers = _taken_apart(drawn)
    expected_shapes, expected_numbers = _taken_apart(expected)
    assert shapes == expected_shapes
    assert numbers == pytest.approx(expected_numbers, rel=0, abs=_LAST_DECIMAL)


def _taken_apart(path: Path) -> tuple[list[str], list[float]]:
    text = path.read_text(encoding="utf-8")
    names = {name: f"shape-{place}" for place, name in enumerate(dict.fromkeys(_ID.findall(text)))}
    known = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
    text = known.sub(lambda found: names[found[0]], text)
    return _NUMBER.sub("0", text).splitlines(), [float(one) for one in _NUMBER.findall(text)]
