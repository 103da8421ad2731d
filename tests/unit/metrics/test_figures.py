from io import BytesIO

import pytest
from defusedxml.ElementTree import parse

from metrics.reports.plots.figures import (
    FORMATS,
    Format,
    Points,
    Spread,
    box_figure,
    line_figure,
    render,
)

POINTS = [
    Points(panel, run, [5, 10, 20], [0.1, None, 0.2]) for panel in ("RaB", "ARaB") for run in "AB"
]


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
