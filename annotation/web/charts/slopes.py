"""Two values of each system, joined by a line that names it at both ends."""

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.reports.plots.looks import shortened

from .shapes import LETTER, Chart, Group, Mark, Shape, Text, line, look, scale_of, spread

_WIDTH, _TOP, _BOTTOM, _LEAST, _PER_NAME = 440, 34, 16, 260, 15


@dataclass(frozen=True)
class Slope:
    """A system's values left and right, with tooltips and links."""

    name: str
    left: float
    right: float
    texts: tuple[str, str]
    addresses: tuple[str, str]


def slope_chart(
    title: str, slopes: Sequence[Slope], systems: Sequence[str], ends: tuple[str, str]
) -> Chart:
    """The slopes between two axes named `ends`; `systems` give colours and marks."""
    height = max(_LEAST, _TOP + _BOTTOM + _PER_NAME * len(slopes))
    short = shortened([slope.name for slope in slopes], 14)
    # A name and its number with two decimals.
    room = LETTER * (max(map(len, short.values()), default=0) + 7) + 10
    left, right, bottom = room, _WIDTH - room, height - _BOTTOM
    up = scale_of([v for s in slopes for v in (s.left, s.right)], bottom, _TOP, zero=False)
    axes = [Shape("grid", line((x, _TOP - 8), (x, bottom))) for x in (left, right)]
    heads = [Text(left, 14, ends[0], "middle", "axis"), Text(right, 14, ends[1], "middle", "axis")]
    groups = [Group(shapes=axes, texts=heads)]
    at_left = spread([up(slope.left) for slope in slopes], _TOP, bottom)
    at_right = spread([up(slope.right) for slope in slopes], _TOP, bottom)
    for slope, first, second in zip(slopes, at_left, at_right, strict=True):
        kind, mark = look(systems.index(slope.name))
        start, stop = (left, up(slope.left)), (right, up(slope.right))
        name = short[slope.name]
        values = [f"{value:.2f}".replace("-", "\u2212") for value in (slope.left, slope.right)]
        texts = [
            Text(left - 9, first + 4, f"{name} {values[0]}", "end", "name", slope.name),
            Text(right + 9, second + 4, f"{values[1]} {name}", "start", "name", slope.name),
        ]
        marks = [
            Mark(*place, mark, text, address)
            for place, text, address in zip(
                (start, stop), slope.texts, slope.addresses, strict=True
            )
        ]
        groups.append(Group(kind, [Shape("path", line(start, stop))], marks, texts))
    return Chart(title, _WIDTH, height, groups)
