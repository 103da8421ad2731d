"""Every run beside one of them: difference, percentage, and whether it is more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..families import Comparisons
from ..formats.layout import Column, Table, Value
from ..results import MEANS_NOTE, Results, counted, magnitude_title
from .marks import marks_note

_PERCENT = 100
# Share of the greatest value below which a percentage is meaningless.
_NEAR_ZERO = 0.1


@dataclass(frozen=True)
class Beside:
    """The numbers to put beside the run `reference`, with the tests of the report.

    `measures` are pairs of measure and magnitude.
    """

    reference: str
    measures: Sequence[tuple[str, str]]
    cutoffs: Sequence[int]
    tests: Comparisons

    @cached_property
    def p_values(self) -> Mapping[tuple[str, str, int, str], float | None]:
        """By measure, magnitude, cut-off and run."""
        views = [(*measured, cutoff) for measured in self.measures for cutoff in self.cutoffs]
        return self.tests.p_values(views, self.reference)


def against_table(results: Results, comparison: Beside, notes: Sequence[str]) -> Table:
    """Models x measures x cut-offs, each value with its difference from that of the reference.

    The percentage is of the size of the reference's value, so that its sign is that of the
    difference.
    """
    name = comparison.reference
    rows = [
        _row(results, comparison, run, cutoff)
        for cutoff in comparison.cutoffs
        for run in results.runs
    ]
    limit = f"{_NEAR_ZERO:.0%} of the greatest value"
    return Table(
        name="bias_against",
        title=f"Bias of the models, and in parentheses its difference from {name}.",
        columns=[
            Column("cutoff", "Cut-off"),
            Column("run", "Model"),
            *(column for measured in comparison.measures for column in _columns(*measured)),
        ],
        rows=rows,
        notes=[
            (
                f"In parentheses: the difference from {name}, and its percentage of the size of "
                f"{name}'s value unless that is near zero (below {limit}). "
                f"{marks_note(comparison.tests, name)}"
            ),
            MEANS_NOTE,
            *notes,
        ],
        block="cutoff",
    )


def against_baseline_table(results: Results, tests: Comparisons, notes: Sequence[str]) -> Table:
    """Every model beside the baseline of the study."""
    measures = [(m, g) for g in results.magnitudes for m in ("RaB", "ARaB")]
    comparison = Beside(results.baseline, measures, results.cutoffs, tests)
    return replace(against_table(results, comparison, notes), detail=True)


def _columns(measure: str, magnitude: str) -> list[Column]:
    name = f"{measure}_{magnitude}" if magnitude else measure
    group = magnitude_title(magnitude) if magnitude else ""
    return [
        Column(name, measure, group),
        Column(f"{name}_difference", "", group, change=True),
        Column(f"{name}_percent", "", group, change=True, kind="percent"),
        Column(f"{name}_p", "", group, change=True, kind="p"),
    ]


def _row(results: Results, comparison: Beside, run: str, cutoff: int) -> dict[str, Value]:
    row: dict[str, Value] = {"cutoff": cutoff, "run": run}
    for measure, magnitude in comparison.measures:
        value = results.value(run, measure, cutoff, magnitude)
        base = results.value(comparison.reference, measure, cutoff, magnitude)
        cells: tuple[Value, ...] = (value, None, None, None)
        if run != comparison.reference and value is not None and base is not None:
            sizes = [results.value(name, measure, cutoff, magnitude) for name in results.runs]
            near_zero = abs(base) < _NEAR_ZERO * max(abs(size) for size in counted(sizes))
            percent = None if near_zero or not base else _PERCENT * (value - base) / abs(base)
            p = comparison.p_values.get((measure, magnitude, cutoff, run))
            cells = (value, value - base, percent, p)
        names = [column.name for column in _columns(measure, magnitude)]
        row |= dict(zip(names, cells, strict=True))
    return row
