"""Systems over cut-offs: lines with intervals, named at their ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from metrics.reports.plots.figures import Points
from metrics.reports.plots.looks import shortened

from .shapes import (
    LETTER,
    Chart,
    Group,
    Mark,
    Scale,
    Shape,
    Text,
    line,
    look,
    scale_of,
    spread,
)

_WIDTH, _LEFT, _TOP, _BOTTOM, _LEAST_HEIGHT = 440, 46, 26, 40, 300
_PER_NAME = 15
#: The share of the distance of two cut-offs over which the systems stand beside each other.
_DODGE = 0.6

#: Tooltips and links of points, by system and x.
Says = Callable[[str, float], tuple[str, str]]


@dataclass(frozen=True)
class _Panel:
    """A panel's layout: `middle` is the place of each cut-off, `slot` its width."""

    up: Scale
    middle: Mapping[float, float]
    slot: float
    right: float
    height: int


def line_chart(
    title: str,
    lines: Sequence[Points],
    systems: Sequence[str],
    says: Says,
    *,
    x_label: str,
    y_label: str,
) -> Chart:
    """One panel; `systems` are all of the report, whose order gives colours and marks."""
    names = shortened([points.series for points in lines])
    panel = _panel(lines, max(map(len, names.values()), default=0))
    last = [next((y for y in reversed(points.y) if y is not None), 0.0) for points in lines]
    places = spread([panel.up(y) for y in last], _TOP + 4, panel.height - _BOTTOM)
    groups = [_axes(panel, x_label, y_label)]
    for number, (points, label_y) in enumerate(zip(lines, places, strict=True)):
        shift = _DODGE * panel.slot * ((number + 0.5) / len(lines) - 0.5)
        kind, mark = look(systems.index(points.series))
        shapes, at = _drawn(points, panel, shift)
        if at:
            shapes.append(Shape("leader", line(at[-1][1], (panel.right + 6, label_y))))
            shapes.append(Shape("mark", mark, panel.right + 11, label_y))
        marks = [Mark(*place, mark, *says(points.series, x)) for x, place in at]
        label = Text(
            panel.right + 19, label_y + 4, names[points.series], kind="name", full=points.series
        )
        groups.append(Group(kind, shapes, marks, [label] if at else []))
    return Chart(title, _WIDTH, panel.height, groups)


def _panel(lines: Sequence[Points], longest: int) -> _Panel:
    height = max(_LEAST_HEIGHT, _TOP + _BOTTOM + _PER_NAME * len(lines))
    right = round(_WIDTH - 24 - LETTER * longest, 1)
    values = [y for points in lines for y in points.y if y is not None]
    ends = [end for points in lines for pair in points.intervals if pair for end in pair]
    xs = list(dict.fromkeys(x for points in lines for x in points.x))
    slot = (right - _LEFT) / max(len(xs), 1)
    middle = {x: _LEFT + slot * (place + 0.5) for place, x in enumerate(xs)}
    return _Panel(scale_of([*values, *ends], height - _BOTTOM, _TOP), middle, slot, right, height)


def _axes(panel: _Panel, x_label: str, y_label: str) -> Group:
    up, right, bottom = panel.up, panel.right, panel.height - _BOTTOM
    grid = [Shape("grid", line((_LEFT, y), (right, y))) for y, _ in up.ticks()]
    if up.low <= 0 <= up.high:
        grid.append(Shape("zero", line((_LEFT, up(0)), (right, up(0)))))
    texts = [Text(_LEFT - 6, y + 4, text, "end") for y, text in up.ticks()]
    texts += [Text(round(x, 1), bottom + 16, f"{at:g}", "middle") for at, x in panel.middle.items()]
    texts.append(Text(4, 12, y_label, kind="axis"))
    texts.append(Text(right, panel.height - 6, x_label, "end", "axis"))
    return Group(shapes=grid, texts=texts)


def _drawn(
    points: Points, panel: _Panel, shift: float
) -> tuple[list[Shape], list[tuple[float, tuple[float, float]]]]:
    """The line with its intervals, and the place of each x that has a value."""
    across = {x: round(at + shift, 1) for x, at in panel.middle.items()}
    at = [
        (x, (across[x], panel.up(y)))
        for x, y in zip(points.x, points.y, strict=True)
        if y is not None
    ]
    shapes = [
        Shape("whisker", line((across[x], panel.up(ends[0])), (across[x], panel.up(ends[1]))))
        for x, ends in zip(points.x, points.intervals, strict=False)
        if ends
    ]
    if at:
        shapes.append(Shape("path", line(*(place for _, place in at))))
    return shapes, at
