"""The groups of documents as bands from step to step, with the interval of each change."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputTypeError
from ..public import public
from ..reports.plots.figures import DECIMALS, finish, house_style, panels, plain
from ..reports.plots.looks import COLOURS
from .steps import ANSWERED, CITED, REFERENCED, RETRIEVED

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What is drawn, where a system has it.
_DRAWN = (RETRIEVED, REFERENCED, CITED, ANSWERED)
_HALF = 0.14  # of the width of a step

_Numbers = Mapping[tuple[str, str, str], Mapping[str, Any]]


@public
def plot_chain(table: "pd.DataFrame") -> "Figure":
    """Plot the groups from step to step, a panel per system, and return the Matplotlib figure.

    The bands of a step are the mean shares and add up to 100 %. Between two steps stands each
    group's change in percentage points with its interval, where there is one.
    """
    if not hasattr(table, "columns") or not {"figure", "step", "group"} <= set(table.columns):
        wrong = "this is not a table of a chain."
        raise InputTypeError(wrong, remedy="Give what chain(...) returns.")
    rows = table.to_dict("records")
    return chain_figure([{str(name): value for name, value in row.items()} for row in rows])


def chain_figure(rows: Iterable[Mapping[str, Any]]) -> "Figure":
    """The figure of `plot_chain` from the rows of a chain."""
    by_run: dict[str, dict[tuple[str, str, str], Mapping[str, Any]]] = {}
    for row in rows:
        by_run.setdefault(row["run"], {})[row["figure"], row["step"], row["group"]] = row
    with house_style():
        figure, axes = panels(list(by_run))
        for run, numbers in by_run.items():
            _draw(axes[run], numbers)
        finish(figure, axes, "mean share (%)")
    return figure


def _draw(panel: "Axes", numbers: _Numbers) -> None:
    known = {(step, group) for (figure, step, group) in numbers if figure == "share"}
    groups = sorted({group for _, group in known})
    steps = [step for step in _DRAWN if all(_is_known(numbers, step, group) for group in groups)]
    means = np.array([[numbers["share", s, g]["value"] for g in groups] for s in steps])
    tops = np.round(100 * np.cumsum(means, axis=1), DECIMALS)
    bottoms = np.hstack([np.zeros((len(steps), 1)), tops[:, :-1]])
    across = np.ravel([[place - _HALF, place + _HALF] for place in range(len(steps))])
    for place, group in enumerate(groups):
        low, high = np.repeat(bottoms[:, place], 2), np.repeat(tops[:, place], 2)
        colour = COLOURS[place % len(COLOURS)]
        panel.fill_between(across, low, high, color=colour, alpha=0.55, linewidth=0, label=group)
        panel.plot(across, high, color="white", linewidth=0.8)
        for at, (before, after) in enumerate(pairwise(steps)):
            change = numbers.get(("change", f"{before} > {after}", group))
            middle = (bottoms[at : at + 2, place] + tops[at : at + 2, place]).mean() / 2
            if change and not _is_none(change["low"]):
                _write(panel, at + 0.5, float(middle), change)
    panel.set_xticks(range(len(steps)), [plain(step) for step in steps])
    panel.set_ylim(0, 100)
    panel.margins(x=0)
    panel.grid(visible=False)


def _is_known(numbers: _Numbers, step: str, group: str) -> bool:
    share = numbers.get(("share", step, group))
    return share is not None and not _is_none(share["value"])


def _is_none(value: Any) -> bool:
    """None in rows, NaN in a frame."""
    return value is None or value != value  # noqa: PLR0124 - NaN alone is unequal to itself


def _write(panel: "Axes", x: float, y: float, change: Mapping[str, Any]) -> None:
    value, low, high = (f"{100 * change[name]:+.1f}" for name in ("value", "low", "high"))
    panel.annotate(
        f"{value}\n[{low}, {high}]",
        (x, round(y, DECIMALS)),
        ha="center",
        va="center",
        fontsize=6.5,
        annotation_clip=False,
    )
