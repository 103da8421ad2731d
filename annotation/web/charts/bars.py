"""Bar charts: histograms, and bars one after another."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .shapes import MARK_PATHS, Chart, Group, Mark, Scale, Shape, Text, box, line

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 440, 240, 46, 12, 26, 44


@dataclass(frozen=True)
class Bar:
    """One bar: height, tooltip, link, and label below.

    `moment` is that of the label in ISO 8601, where it is one.
    """

    count: int
    text: str
    address: str = ""
    label: str = ""
    moment: str = ""


def histogram(
    title: str,
    edges: Sequence[float],
    bars: Sequence[Bar],
    dots: Sequence[tuple[float, str, str]],
    *,
    x_label: str,
    y_label: str,
) -> Chart:
    """Bars from edge to edge; `dots` are single values, with words and address, on the axis."""
    across = Scale(edges[0], edges[-1], _LEFT, _WIDTH - _RIGHT)
    places = [(across(low), across(high)) for low, high in pairwise(edges)]
    zero = across(0) if across.low <= 0 <= across.high else None
    ticks = [Text(x, _HEIGHT - _BOTTOM + 16, text, "middle") for x, text in across.ticks()]
    axes = _axes(_scale(bars), ticks, (x_label, y_label), zero)
    outer = [
        Mark(across(value), _HEIGHT - _BOTTOM - 3, MARK_PATHS[0], text, address, "mark outer")
        for value, text, address in dots
    ]
    return Chart(title, _WIDTH, _HEIGHT, [axes, _bars(bars, places), Group(marks=outer)])


def bar_chart(title: str, bars: Sequence[Bar], *, x_label: str, y_label: str) -> Chart:
    """Bars one after another, with labels below those that have one."""
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(bars), 1)
    places = [(_LEFT + step * n, _LEFT + step * (n + 1)) for n in range(len(bars))]
    bottom = _HEIGHT - _BOTTOM
    labels = [
        Text(round((low + high) / 2, 1), bottom + 16, bar.label, "middle", moment=bar.moment)
        for (low, high), bar in zip(places, bars, strict=True)
        if bar.label
    ]
    axes = _axes(_scale(bars), labels, (x_label, y_label), None)
    return Chart(title, _WIDTH, _HEIGHT, [axes, _bars(bars, places)])


def _scale(bars: Sequence[Bar]) -> Scale:
    highest = max((bar.count for bar in bars), default=0) or 1
    return Scale(0, highest * 1.08, _HEIGHT - _BOTTOM - 8, _TOP)


def _axes(up: Scale, ticks: Sequence[Text], labels: tuple[str, str], zero: float | None) -> Group:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    shapes = [Shape("grid", line((_LEFT, y), (right, y))) for y, _ in up.ticks(whole=True)]
    if zero is not None:
        shapes.append(Shape("zero", line((zero, _TOP), (zero, bottom))))
    texts = [Text(_LEFT - 6, y + 4, text, "end") for y, text in up.ticks(whole=True)]
    texts += ticks
    texts.append(Text(4, 12, labels[1], kind="axis"))
    texts.append(Text(right, _HEIGHT - 6, labels[0], "end", "axis"))
    return Group(shapes=shapes, texts=texts)


def _bars(bars: Sequence[Bar], places: Sequence[tuple[float, float]]) -> Group:
    up = _scale(bars)
    marks = []
    for bar, (low, high) in zip(bars, places, strict=False):
        if bar.count:
            width, height = max(high - low - 1, 1), up(0) - up(bar.count)
            path = box(low + 0.5, up(bar.count), width, height)
            marks.append(Mark(0, 0, path, bar.text, bar.address, "mark bar"))
    return Group("bars s0", marks=marks)
