"""Named dots by two values each."""

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.reports.plots.looks import shortened

from .shapes import (
    LETTER,
    MARK_PATHS,
    Chart,
    Group,
    Mark,
    Shape,
    Text,
    line,
    scale_of,
    spread,
)

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 440, 320, 50, 26, 40

Ends = tuple[float, float] | None


@dataclass(frozen=True)
class Dot:
    """A value of x and y with their intervals. Only what `is_named` has its name in the picture."""

    name: str
    x: float
    y: float
    text: str
    address: str
    x_ends: Ends = None
    y_ends: Ends = None
    kind: str = "series s0"
    mark: str = MARK_PATHS[0]
    is_named: bool = True


def dot_chart(
    title: str,
    dots: Sequence[Dot],
    *,
    x_label: str,
    y_label: str,
    zero: bool = True,
    front: Sequence[str] = (),
    width: int = _WIDTH,
) -> Chart:
    """Dots with crosses of intervals; those named in `front` are joined by a line."""
    named = [dot for dot in dots if dot.is_named]
    short = shortened([dot.name for dot in named])
    right = round(width - 28 - LETTER * max(map(len, short.values()), default=0), 1)
    bottom = _HEIGHT - _BOTTOM
    across = scale_of(_all(dots, "x"), _LEFT, right, zero=zero)
    up = scale_of(_all(dots, "y"), bottom, _TOP, zero=zero)
    grid = [Shape("grid", line((_LEFT, y), (right, y))) for y, _ in up.ticks()]
    texts = [Text(_LEFT - 6, y + 4, text, "end") for y, text in up.ticks()]
    texts += [Text(x, bottom + 16, text, "middle") for x, text in across.ticks()]
    texts += [Text(4, 12, y_label, kind="axis"), Text(right, _HEIGHT - 6, x_label, "end", "axis")]
    joined = sorted((across(dot.x), up(dot.y)) for dot in dots if dot.name in front)
    groups = [Group(shapes=grid, texts=texts)]
    if len(joined) > 1:
        groups.append(Group(shapes=[Shape("front", line(*joined))]))
    spots = spread([up(dot.y) for dot in named], _TOP, bottom)
    places = dict(zip((dot.name for dot in named), spots, strict=True))
    # Without a mark in front of the name, which would look like one more dot.
    tells_apart = len({dot.mark for dot in named}) > 1
    for dot in dots:
        x, y = across(dot.x), up(dot.y)
        shapes = []
        if dot.x_ends:
            shapes.append(Shape("whisker", line(*((across(end), y) for end in dot.x_ends))))
        if dot.y_ends:
            shapes.append(Shape("whisker", line(*((x, up(end)) for end in dot.y_ends))))
        names = []
        if dot.is_named:
            at = places[dot.name]
            shapes.append(Shape("leader", line((x, y), (right + 6, at))))
            if tells_apart:
                shapes.append(Shape("mark", dot.mark, right + 11, at))
            names.append(
                Text(
                    right + (19 if tells_apart else 9),
                    at + 4,
                    short[dot.name],
                    kind="name",
                    full=dot.name,
                )
            )
        mark = Mark(x, y, dot.mark, dot.text, dot.address)
        groups.append(Group(dot.kind, shapes, [mark], names))
    return Chart(title, width, _HEIGHT, groups)


def _all(dots: Sequence[Dot], axis: str) -> list[float]:
    ends = [end for dot in dots for end in getattr(dot, f"{axis}_ends") or ()]
    return [*(getattr(dot, axis) for dot in dots), *ends]
