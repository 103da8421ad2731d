"""What all pictures share: labels keep apart, names stay different, looks are those of print."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.markers import MarkerStyle
from matplotlib.ticker import MaxNLocator

from annotation.web.charts.dots import Dot, dot_chart
from annotation.web.charts.lines import line_chart
from annotation.web.charts.rows import IntervalRow, interval_rows
from annotation.web.charts.shapes import (
    MARK_PATHS,
    MARK_SIZE,
    Scale,
    line,
    look,
    number,
    spread,
)
from metrics.reports.plots.figures import Points
from metrics.reports.plots.looks import COLOURS, MARKERS, shortened
from tests.project import ROOT


@given(st.lists(st.floats(0, 300), max_size=20))
def test_labels_keep_their_order_and_their_distance_within_both_ends(places: list[float]) -> None:
    moved = spread(places, 0, 300, least=15)
    order = sorted(range(len(places)), key=lambda one: places[one])
    shown = [moved[one] for one in order]
    assert all(b - a >= 14.8 for a, b in pairwise(shown))
    assert all(-0.1 <= place <= 300.1 for place in shown)


def test_labels_with_room_stay_where_they_are() -> None:
    assert spread([200, 10, 100], 0, 300) == [200, 10, 100]


def test_long_names_are_shortened_but_stay_different() -> None:
    names = [
        "naver-splade-cocondenser-ensembledistil",
        "naver-splade-cocondenser-selfdistil",
        "BM25",
    ]
    short = shortened(names, 12)
    assert len(set(short.values())) == len(names)
    assert short["BM25"] == "BM25"
    assert all(len(one) < 30 for one in short.values())


def test_twelve_systems_have_colours_and_marks_of_their_own_and_print_has_the_same() -> None:
    looks = [look(place) for place in range(12)]
    assert len({kind for kind, _ in looks}) == len({mark for _, mark in looks}) == 12
    assert len(set(MARK_PATHS)) == 12
    style = (ROOT / "static" / "fairpool.css").read_text()
    pairs = re.findall(r"\.s(\d+) \{ --colour: light-dark\((#\w{6}), (#\w{6})\)", style)
    assert [light for _, light, _ in sorted(pairs, key=lambda one: int(one[0]))] == list(COLOURS)
    assert len({dark for *_, dark in pairs}) == 12
    for _, light, dark in pairs:
        assert _contrast(light, "#ffffff") >= 3
        assert _contrast(dark, "#1c2125") >= 3


def test_the_marks_are_those_of_print() -> None:
    paths = []
    for name in MARKERS:
        style = MarkerStyle(name)
        shape = style.get_path().transformed(style.get_transform())
        corners = np.asarray(shape.to_polygons(closed_only=False)[0]) * (1.0, -1.0)
        sized = np.round(corners * (MARK_SIZE / np.abs(corners).max()), 1)
        paths.append(line(*map(tuple, sized)) + "Z")
    assert list(MARK_PATHS) == paths


@given(st.floats(-1e6, 1e6), st.floats(0.01, 50), st.booleans())
def test_axes_have_the_numbers_that_matplotlib_chooses(
    middle: float, share: float, whole: bool
) -> None:
    # Far from 0 matplotlib counts from another round number.
    assume(abs(middle) > 1e-6)
    scale = Scale(middle - abs(middle) * share, middle + abs(middle) * share, 0, 100)
    locator = MaxNLocator(5, integer=whole)
    chosen = map(float, locator.tick_values(scale.low, scale.high))
    inside = [value for value in chosen if scale.low <= value <= scale.high]
    assert scale.ticks(whole=whole) == [(scale(value), number(value)) for value in inside]


def _contrast(first: str, second: str) -> float:
    low, high = sorted(_luminance(one) for one in (first, second))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return sum(w * one for w, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("n_systems", [1, 2, 6, 12, 30])
def test_a_line_chart_names_each_system_once_at_its_end(n_systems: int) -> None:
    systems = [f"system {n}" for n in range(n_systems)]
    lines = [
        Points("RaB", name, [5, 10], [0.1 * n, None], [(0.0, 0.2), None])
        for n, name in enumerate(systems)
    ]
    chart = line_chart(
        "RaB", lines, systems, lambda run, x: (f"{run} {x:g}", "?"), x_label="x", y_label="y"
    )
    names = [text for group in chart.groups for text in group.texts if text.kind == "name"]
    assert [text.text for text in names] == systems
    heights = sorted(text.y for text in names)
    assert all(b - a >= 13.8 for a, b in pairwise(heights))
    assert heights[0] > 0
    assert heights[-1] < chart.height
    assert [mark.text for group in chart.groups for mark in group.marks] == [
        f"{name} 5" for name in systems
    ]


def test_a_forest_plot_without_interval_or_verdict_draws_the_mean_alone() -> None:
    row = IntervalRow("A", 0.5, None, None, "A: 0.5", "?run=A")
    chart = interval_rows("RaB", [row], ["A"], x_label="mean")
    (group,) = (group for group in chart.groups if group.marks)
    assert group.shapes == []
    assert group.marks[0].address == "?run=A"


@pytest.mark.parametrize(("marks", "drawn"), [(1, 0), (2, 2)])
def test_a_mark_stands_beside_a_name_only_where_it_tells_systems_apart(
    marks: int, drawn: int
) -> None:
    """Beside one name, or with the mark that all have, it would be read as one more dot."""
    dots = [Dot(f"w{n}", n, n, "", "", mark=MARK_PATHS[n % marks]) for n in range(2)]
    chart = dot_chart("Workers", dots, x_label="seconds", y_label="agreement")
    shapes = [shape for group in chart.groups for shape in group.shapes]
    assert sum(shape.kind == "mark" for shape in shapes) == drawn
