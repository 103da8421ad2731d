from io import BytesIO
from itertools import combinations

import numpy as np
import pytest
from defusedxml.ElementTree import parse
from matplotlib.text import Text

from metrics.reports.plots.figures import (
    FORMATS,
    Format,
    Points,
    Spread,
    box_figure,
    line_figure,
    render,
)
from metrics.reports.plots.front import Dot, front_figure

POINTS = [
    Points(panel, run, [5, 10, 20], [0.1, None, 0.2]) for panel in ("RaB", "ARaB") for run in "AB"
]


@pytest.mark.long
@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_numbers_give_the_same_bytes(kind: Format) -> None:
    first, second = (
        render(line_figure(POINTS, x_label="cut-off", y_label="bias"), kind) for _ in range(2)
    )

    assert first == second


@pytest.mark.parametrize("kind", FORMATS)
def test_a_figure_says_nothing_of_when_and_by_what_it_was_drawn(kind: Format) -> None:
    drawn = render(line_figure(POINTS, x_label="cut-off"), kind)

    assert b"CreationDate" not in drawn
    assert b"dc:date" not in drawn
    assert b"matplotlib" not in drawn.lower().replace(b"matplotlib.axis", b"")


def test_an_svg_is_well_formed_and_asks_for_no_font() -> None:
    drawn = render(line_figure(POINTS, x_label="<cut-off> & more"), "svg")

    root = parse(BytesIO(drawn)).getroot()

    assert root is not None
    assert root.tag.endswith("svg")
    assert not list(root.iter("{http://www.w3.org/2000/svg}text"))


def test_names_are_text_and_never_formulas() -> None:
    strange = [Points("$x^2$", r"\frac$", [1], [1.0])]

    assert render(line_figure(strange, x_label="k"), "png").startswith(b"\x89PNG")


def test_a_series_without_values_keeps_its_place_among_the_boxes() -> None:
    figure = box_figure([Spread("RaB", "A", [1.0, 2.0]), Spread("RaB", "B", [])], x_label="bias")

    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["A", "B"]


@pytest.mark.long
@pytest.mark.parametrize("n_panels", [2, 3, 5])
def test_a_figure_of_many_panels_is_as_wide_as_a_text(n_panels: int) -> None:
    # The text of acmart's sigconf is 506 points wide.
    names = ["SPLADE_P_P_ENSEMBLE_DISTIL", *"ABCDEFG"]
    boxes = [Spread(f"panel {n}", name, [1.0, 2.0]) for n in range(n_panels) for name in names]
    lines = [
        Points(f"panel {n}", name, [5, 10], [0.1, 0.2]) for n in range(n_panels) for name in names
    ]
    for figure in (box_figure(boxes, x_label="x"), line_figure(lines, x_label="x")):
        svg = parse(BytesIO(render(figure, "svg"))).getroot()
        assert svg is not None
        assert float(svg.attrib["width"].removesuffix("pt")) <= 506


def test_panels_share_their_axis_and_intervals_are_drawn() -> None:
    lines = [
        Points("RaB", "A", [5, 10], [0.1, 0.2], [(0.0, 0.3), None]),
        Points("ARaB", "A", [5, 10], [1.1, 1.2], [(0.9, 1.5), (1.0, 1.4)]),
    ]
    first, second = line_figure(lines, x_label="cut-off").axes
    assert first.get_ylim() == second.get_ylim()
    bars = [path.vertices for drawn in first.collections for path in drawn.get_paths()]
    assert [np.asarray(bar)[:, 1].tolist() for bar in bars] == [[0.0, 0.3]]


def test_what_holds_for_all_series_together_is_drawn_thinner_around_the_interval() -> None:
    line = Points("RaB", "A", [5, 10], [0.1, 0.2], [(0.0, 0.3), None], wider=[(-0.1, 0.4), None])
    [panel] = line_figure([line], x_label="cut-off").axes
    [around, within] = panel.collections
    bars = [np.asarray(drawn.get_paths()[0].vertices)[:, 1].tolist() for drawn in (around, within)]
    assert bars == [[-0.1, 0.4], [0.0, 0.3]]
    widths = [np.max(drawn.get_linewidth()) for drawn in (around, within)]
    assert widths[0] < widths[1]


def test_names_of_a_front_lie_on_no_other_name_and_no_dot() -> None:
    rng = np.random.default_rng(3)
    dots = [Dot(f"model {n}", x, y) for n, (x, y) in enumerate(rng.normal(size=(12, 2)).tolist())]
    front = [
        all(other.y <= dot.y or other.x >= dot.x for other in dots if other != dot) for dot in dots
    ]
    marked = [Dot(d.name, d.x, d.y, is_front=best) for d, best in zip(dots, front, strict=True)]
    figure = front_figure(marked, x_label="bias", y_label="nDCG")
    panel = figure.axes[0]
    places = [Text.get_window_extent(text) for text in panel.texts]
    assert {text.get_text() for text in panel.texts} == {dot.name for dot in dots}
    assert not any(one.overlaps(other) for one, other in combinations(places, 2))
    at = panel.transData.transform([(dot.x, dot.y) for dot in dots])
    assert not any(place.contains(*dot) for place in places for dot in at)
