"""Systems below each other on one axis: means with intervals, and spreads of values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from metrics.reports.plots.looks import shortened

from .shapes import (
    LETTER,
    Chart,
    Group,
    Mark,
    Scale,
    Shape,
    Text,
    box,
    line,
    look,
    scale_of,
)

#: Wide as the text above the chart, with room for whole names of systems.
_WIDTH, _TOP, _BOTTOM, _ROW, _MOST = 660, 22, 38, 24, 48


@dataclass(frozen=True)
class IntervalRow:
    """A mean with its interval; `verdict` is written behind it, `stands_out` fills the mark."""

    name: str
    value: float
    low: float | None
    high: float | None
    text: str
    address: str
    verdict: str = ""
    stands_out: bool = True


@dataclass(frozen=True)
class SpreadRow:
    """Spread of values: `shares` in equal bins over the axis, and `quantiles`."""

    name: str
    shares: Sequence[float]
    quantiles: Sequence[float]
    text: str
    address: str


def interval_rows(
    title: str,
    rows: Sequence[IntervalRow],
    systems: Sequence[str],
    *,
    x_label: str,
    baseline: float | None = None,
) -> Chart:
    """A forest plot in the order of the rows, with the lines of zero and of the baseline."""
    short = shortened([row.name for row in rows], _MOST)
    verdicts = max((len(row.verdict) for row in rows), default=0)
    right = _WIDTH - 12 - LETTER * verdicts
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    left, height = _room(short.values()), _height(len(rows))
    across = scale_of(ends, left, right)
    groups = [_axis(across, height, right, x_label)]
    if baseline is not None:
        at = across(baseline)
        groups.append(Group(shapes=[Shape("baseline", line((at, _TOP), (at, height - _BOTTOM)))]))
    for number, row in enumerate(rows):
        y = _TOP + _ROW * (number + 0.5)
        kind, mark = look(systems.index(row.name))
        whisker = (
            [Shape("whisker strong", line((across(row.low), y), (across(row.high), y)))]
            if row.low is not None and row.high is not None
            else []
        )
        style = "mark" if row.stands_out else "mark open"
        texts = [_name(left, y, row.name, short), Text(right + 8, y + 4, row.verdict, kind="name")]
        marks = [Mark(across(row.value), y, mark, row.text, row.address, style)]
        groups.append(Group(kind, whisker, marks, texts))
    return Chart(title, _WIDTH, height, groups)


def spread_rows(
    title: str, rows: Sequence[SpreadRow], low: float, high: float, *, x_label: str
) -> Chart:
    """A strip for each row, darker where more values lie.

    It has whiskers from the 5th to the 95th percentile, a box between the quartiles, and the
    median.
    """
    short = shortened([row.name for row in rows], _MOST)
    left, right, height = _room(short.values()), _WIDTH - 12, _height(len(rows))
    across = Scale(low, high, left, right)
    groups = [_axis(across, height, right, x_label)]
    for number, row in enumerate(rows):
        y = _TOP + _ROW * (number + 0.5)
        step = (right - left) / max(len(row.shares), 1)
        top = max(row.shares, default=0.0) or 1.0
        # The square root shows the few outer values beside the many in the middle.
        shades = [
            Shape(f"cell heat-{max(1, round(10 * (share / top) ** 0.5))}",
                  box(round(left + step * place, 1), y - 8, round(step, 1), 16))
            for place, share in enumerate(row.shares)
            if share
        ]  # fmt: skip
        p5, q1, median, q3, p95 = (across(value) for value in row.quantiles)
        shades += [
            Shape("span", line((p5, y), (p95, y))),
            Shape("quartiles", box(q1, y - 4, round(q3 - q1, 1), 8)),
        ]
        marks = [Mark(median, y, box(-1.5, -8, 3, 16), row.text, row.address, "mark median")]
        groups.append(Group("", shades, marks, [_name(left, y, row.name, short)]))
    return Chart(title, _WIDTH, height, groups)


def _room(names: Iterable[str]) -> float:
    return 14 + LETTER * max((len(name) for name in names), default=0)


def _height(n_rows: int) -> int:
    return _TOP + _BOTTOM + _ROW * n_rows


def _name(left: float, y: float, name: str, short: Mapping[str, str]) -> Text:
    return Text(left - 8, y + 4, short[name], "end", "name", name)


def _axis(across: Scale, height: int, right: float, x_label: str) -> Group:
    bottom = height - _BOTTOM
    shapes = [Shape("grid", line((x, _TOP), (x, bottom))) for x, _ in across.ticks()]
    if across.low <= 0 <= across.high:
        shapes.append(Shape("zero", line((across(0), _TOP - 4), (across(0), bottom))))
    texts = [Text(x, bottom + 15, text, "middle") for x, text in across.ticks()]
    texts.append(Text(right, height - 6, x_label, "end", "axis"))
    return Group(shapes=shapes, texts=texts)
