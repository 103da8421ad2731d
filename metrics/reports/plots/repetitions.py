"""Pictures of repetitions and of judges: a dot per seed behind the mean, systems over judges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError, InputTypeError
from ...public import public
from ...statistics.repetitions import repeated_mean
from .figures import DECIMALS, Interval, finish, house_style, panels, plain
from .looks import COLOURS, look_of, shortened

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_LONGEST = 14
# How far dots of seeds stand beside the mean, so that its bar hides none.
_SPREAD = 0.3
_KEYS = ["measure", "magnitude", "cutoff"]


@dataclass(frozen=True)
class Seeds:
    """A system in one panel: the mean of each repetition, that of all, and its interval if any."""

    panel: str
    system: str
    dots: Sequence[float]
    mean: float
    interval: Interval = None
    fixed: Interval = None


@dataclass(frozen=True)
class Slope:
    """A system in one panel: its value under each judge, None for none."""

    panel: str
    system: str
    judges: Sequence[str]
    means: Sequence[float | None]


def seeds_figure(systems: Sequence[Seeds], *, y_label: str) -> "Figure":
    """One panel beside another: a pale dot per seed, the mean, and its interval as a bar.

    The thick bar is for these very seeds, the thin one for seeds as drawn.
    """
    with house_style():
        figure, axes = panels([system.panel for system in systems])
        for title, panel in axes.items():
            own = [system for system in systems if system.panel == title]
            for place, system in enumerate(own):
                dots = np.round(system.dots, DECIMALS)
                beside = place + np.linspace(-_SPREAD, _SPREAD, len(dots) + 2)[1:-1]
                panel.plot(beside, dots, "o", color=COLOURS[0], alpha=0.35)
                for ends, width in ((system.interval, 0.8), (system.fixed, 2.4)):
                    if ends:
                        low, high = np.round(ends, DECIMALS)
                        panel.vlines(place, low, high, colors="#333333", linewidth=width)
                panel.plot([place], [round(system.mean, DECIMALS)], "_", color="#000000", ms=14)
            short = shortened([system.system for system in own], _LONGEST)
            names = [plain(short[system.system]) for system in own]
            panel.set_xticks(range(len(own)), names, rotation=30 if len(own) > 3 else 0)  # noqa: PLR2004
            panel.margins(x=0.15)
        finish(figure, axes, y_label)
    return figure


def slopes_figure(slopes: Sequence[Slope], *, y_label: str) -> "Figure":
    """One panel beside another: a line per system over the judges; lines that cross disagree."""
    with house_style():
        figure, axes = panels([slope.panel for slope in slopes])
        systems = list(dict.fromkeys(slope.system for slope in slopes))
        for slope in slopes:
            y = [np.nan if value is None else value for value in slope.means]
            look = look_of(systems.index(slope.system))
            at = range(len(slope.judges))
            axes[slope.panel].plot(at, np.round(y, DECIMALS), label=slope.system, **look)
        for title, panel in axes.items():
            judges = next(slope.judges for slope in slopes if slope.panel == title)
            short = shortened(judges, _LONGEST)
            panel.set_xticks(range(len(judges)), [plain(short[judge]) for judge in judges])
            panel.margins(x=0.15)
        finish(figure, axes, y_label)
    return figure


@public
def plot_repeats(per_query: "pd.DataFrame") -> "Figure":
    """Plot repetitions behind the mean of their system, a panel per measure; a Matplotlib figure.

    `per_query` is that of `evaluate(..., repeats=..., per_query=True)`. Thin bars are
    intervals with queries and repetitions drawn, thick ones those of these very repetitions.
    """
    _check(per_query, ["system", "run", "qid", *_KEYS, "value"], "repeats=..., per_query=True")
    systems = []
    for key, part in per_query.groupby([*_KEYS, "system"], sort=False):
        table = part.pivot_table(index="qid", columns="run", values="value", dropna=False)
        figure = repeated_mean(table.to_numpy())
        if figure.value is None:
            continue
        systems.append(
            Seeds(
                _panel(*key[:3]),
                str(key[3]),
                table.dropna().mean(axis=0).tolist(),
                figure.value,
                _ends(figure.low, figure.high),
                _ends(figure.fixed_low, figure.fixed_high),
            )
        )
    return seeds_figure(systems, y_label="mean over the queries")


@public
def plot_judges(results: "pd.DataFrame") -> "Figure":
    """Plot each run over the judges, a panel per measure, and return the Matplotlib figure.

    `results` is that of `evaluate(..., judge_qrels={name: qrels, ...})`. Where lines cross, judges
    disagree about which run is better.
    """
    _check(results, ["run", *_KEYS, "value", "source", "judge", "baseline"], "judge_qrels={...}")
    own = results[(results["source"] == "judge") & (results["baseline"] == "")]
    slopes = [
        Slope(_panel(*key[:3]), str(key[3]), part["judge"].tolist(), part["value"].tolist())
        for key, part in own.groupby([*_KEYS, "run"], sort=False)
    ]
    return slopes_figure(slopes, y_label="mean over the queries")


def _panel(measure: object, magnitude: object, cutoff: object) -> str:
    how = f" ({magnitude})" if magnitude else ""
    return f"{measure}{how} at {cutoff}" if cutoff == cutoff else f"{measure}{how}"  # noqa: PLR0124 - NaN is not a cut-off


def _ends(low: float | None, high: float | None) -> Interval:
    return None if low is None or high is None else (low, high)


def _check(frame: object, columns: Iterable[str], arguments: str) -> None:
    remedy = f"Give what evaluate(..., {arguments}) returns."
    if not hasattr(frame, "columns"):
        raise InputTypeError(f"{type(frame).__name__} is not a data frame.", remedy=remedy)
    if lacking := [column for column in columns if column not in frame.columns]:
        raise InputError(f"the frame has no column {', '.join(lacking)}.", remedy=remedy)
