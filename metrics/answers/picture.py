"""The groups of documents as bands from step to step, with the interval of each change."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..reports.plots.figures import DECIMALS, finish, house_style, panels, plain
from ..reports.plots.looks import COLOURS
from .chain import Chain
from .rows import rows_of
from .steps import ANSWERED, CITED, REFERENCED, RETRIEVED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What is drawn, where a chain has it.
_DRAWN = (RETRIEVED, REFERENCED, CITED, ANSWERED)
_HALF = 0.14  # of the width of a step


def chain_figure(chains: Sequence[Chain]) -> "Figure":
    """A panel for each system: a band for each group, as wide at a step as its mean share there.

    All over the queries that have every step that is drawn, so that the bands of a step add up to
    100 %. Between two steps stands each group's change in percentage points with its interval,
    where there is one.
    """
    with house_style():
        figure, axes = panels([chain.system for chain in chains])
        for chain in chains:
            _draw(axes[chain.system], chain)
        finish(figure, axes, "mean share (%)")
    return figure


def _draw(panel: "Axes", chain: Chain) -> None:
    steps = [step for step in _DRAWN if step in chain.shares and _has_any(chain, step)]
    whole = ~np.any([np.isnan(chain.shares[step][:, 0]) for step in steps], axis=0)
    means = np.array([chain.shares[step][whole].mean(axis=0) for step in steps])
    tops = np.round(100 * np.cumsum(means, axis=1), DECIMALS)
    bottoms = np.hstack([np.zeros((len(steps), 1)), tops[:, :-1]])
    across = np.ravel([[place - _HALF, place + _HALF] for place in range(len(steps))])
    for place, group in enumerate(chain.groups):
        low, high = np.repeat(bottoms[:, place], 2), np.repeat(tops[:, place], 2)
        colour = COLOURS[place % len(COLOURS)]
        panel.fill_between(across, low, high, color=colour, alpha=0.55, linewidth=0, label=group)
        panel.plot(across, high, color="white", linewidth=0.8)
    changes = {
        (row["step"], row["group"]): row for row in rows_of(chain) if row["figure"] == "change"
    }
    for at, (before, after) in enumerate(pairwise(steps)):
        for place, group in enumerate(chain.groups):
            row = changes.get((f"{before} > {after}", group))
            middle = (bottoms[at : at + 2, place] + tops[at : at + 2, place]).mean() / 2
            if row and row["low"] is not None:
                _write(panel, at + 0.5, float(middle), row)
    panel.set_xticks(range(len(steps)), [plain(step) for step in steps])
    panel.set_ylim(0, 100)
    panel.margins(x=0)
    panel.grid(visible=False)


def _has_any(chain: Chain, step: str) -> bool:
    return not bool(np.isnan(chain.shares[step]).all())


def _write(panel: "Axes", x: float, y: float, row: "dict[str, object]") -> None:
    value, low, high = (f"{100 * row[name]:+.1f}" for name in ("value", "low", "high"))  # type: ignore[operator] # numbers of a row
    panel.annotate(
        f"{value}\n[{low}, {high}]",
        (x, round(y, DECIMALS)),
        ha="center",
        va="center",
        fontsize=6.5,
        annotation_clip=False,
    )
