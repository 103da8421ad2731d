"""Named dots of effectiveness over bias, and the front among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...extras import need
from .figures import DECIMALS, Interval, finish, house_style, panels, plain
from .looks import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

_SIZE = (4.8, 3.6)
_FAINT = "#cccccc"
# Places that a name beside a dot may take, and their distance in points.
_LABEL_PLACES, _LABEL_STEP = 12, 4


@dataclass(frozen=True)
class Dot:
    """A named point x, y with its intervals, which may lie on a front."""

    name: str
    x: float
    y: float
    x_interval: Interval = None
    y_interval: Interval = None
    is_front: bool = False


def front_figure(dots: Sequence[Dot], *, x_label: str, y_label: str) -> "Figure":
    """Named dots with their intervals, those of the front joined by a line.

    More y and less x is better, so that the names of the front have free room to their upper left,
    and those of the others to their lower right.
    """
    with house_style():
        figure, axes = panels([""])
        figure.set_size_inches(_SIZE)
        panel = axes[""]
        for dot in dots:
            if dot.x_interval:
                low, high = np.round(dot.x_interval, DECIMALS)
                panel.hlines(dot.y, low, high, colors=_FAINT)
            if dot.y_interval:
                low, high = np.round(dot.y_interval, DECIMALS)
                panel.vlines(dot.x, low, high, colors=_FAINT)
        front = sorted((dot for dot in dots if dot.is_front), key=lambda dot: (dot.x, dot.name))
        others = [dot for dot in dots if not dot.is_front]
        panel.plot([dot.x for dot in others], [dot.y for dot in others], "o", color="#888888")
        panel.plot([dot.x for dot in front], [dot.y for dot in front], "o-", color=COLOURS[0])
        panel.margins(x=0.2, y=0.1)
        panel.set_xlabel(x_label)
        finish(figure, axes, y_label)
        agg = need("matplotlib.backends.backend_agg")
        renderer = agg.RendererAgg(*figure.canvas.get_width_height(), figure.dpi)
        figure.draw_without_rendering()
        taken: list[Bbox] = [
            need("matplotlib.transforms").Bbox.from_extents(at - 4, up - 4, at + 4, up + 4)
            for at, up in panel.transData.transform([(dot.x, dot.y) for dot in dots])
        ]
        for dot in sorted(dots, key=lambda dot: (-dot.y, dot.x)):
            taken.append(_name_beside(panel, dot, taken, renderer))
    return figure


def _name_beside(
    panel: "Axes", dot: Dot, taken: "Sequence[Bbox]", renderer: "RendererAgg"
) -> "Bbox":
    """Writes the name of a dot at the first place that is free; returns the place."""
    side, across = (-1, "right") if dot.is_front else (1, "left")
    label = panel.annotate(
        plain(dot.name),
        (dot.x, dot.y),
        xytext=(0, 0),
        textcoords="offset points",
        ha=across,
        va="center",
        fontsize=7,
        arrowprops={"arrowstyle": "-", "color": "#888888", "linewidth": 0.5, "shrinkA": 0},
    )
    for steps in range(_LABEL_PLACES):
        label.set_position((side * 5, -side * (5 + _LABEL_STEP * steps)))
        label.update_positions(renderer)
        place: Bbox = need("matplotlib.text").Text.get_window_extent(label)
        if not place.count_overlaps(taken):
            break
    return place
