"""Number of queries that would show a given difference, for every pair of runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...statistics.inference import SIGNIFICANT
from ...statistics.power import MOST_DRAWN, SIMULATIONS, TARGET, Power, power_of
from ..families import Comparisons, View
from ..formats.layout import Column, Table, Value
from ..formats.tables import DIGITS
from ..results import Results
from .distributions import measure_title


def powers_of(results: Results, view: View, tests: Comparisons, seed: int) -> list[Power]:
    """Every pair of runs under a view; none where no difference to detect is named.

    The level is that of one comparison where as many are corrected by Bonferroni as runs have
    pairs.
    """
    measure, magnitude, cutoff = view
    difference = tests.inference.detect_of(measure)
    if difference is None:
        return []
    values = {run: results.per_query(run, measure, cutoff, magnitude) for run in results.runs}
    pairs = tests.of_table([view])[view]
    level = SIGNIFICANT / max(1, len(pairs))
    rows = []
    for pair in pairs:
        first, second = values[pair.first], values[pair.second]
        if first is not None and second is not None:
            power, needed, sign = power_of(first, second, difference, level=level, seed=seed)
            higher = {1: pair.first, -1: pair.second}.get(sign, "")
            rows.append(
                Power(pair.first, pair.second, pair.n, difference, level, power, needed, higher)
            )
    return rows


def power_table(
    title: str, rows: Sequence[tuple[View, Mapping[str, Any]]], notes: Sequence[str]
) -> Table:
    """The powers under their views, each as the fields of a `Power`."""
    table_rows: list[dict[str, Value]] = [
        {"measure": measure_title(measure, magnitude), "higher": "", **power}
        for (measure, magnitude, _), power in rows
    ]
    return Table(
        name="power",
        title=title,
        columns=[
            Column("measure", "Measure"),
            Column("first", "A"),
            Column("second", "B"),
            Column("difference", "Difference"),
            Column("higher", "Higher"),
            Column("level", "Level", digits=DIGITS),
            Column("n", "n", "Queries here"),
            Column("power", "Power", "Queries here"),
            Column("n_needed", f"for {TARGET:.0%}", "Queries"),
        ],
        rows=table_rows,
        detail=True,
        notes=[
            (
                f"Power: share of {SIMULATIONS:,} studies in which the paired t-test would show "
                "the difference; their queries are drawn from those here, with the differences of "
                f"the two models moved to that mean (for more than {MOST_DRAWN:,} queries by the "
                "normal distribution). Higher: the model that would be the higher one; of both "
                "directions these are the numbers of the one that is harder to show. Level: "
                f"{SIGNIFICANT} over the pairs of models under one measure. A dash: the "
                "differences do not vary, or no number of queries is enough."
            ),
            *notes,
        ],
        block="measure",
    )


def power_tables(
    results: Results,
    measures: Sequence[tuple[str, str]],
    cutoff: int,
    tests: Comparisons,
    *,
    seed: int,
    notes: Sequence[str],
) -> list[Table]:
    """The table of every measure with its magnitude at a cut-off; none without a difference."""
    views = [(measure, magnitude, cutoff) for measure, magnitude in measures]
    rows = [
        (view, vars(power)) for view in views for power in powers_of(results, view, tests, seed)
    ]
    title = f"Queries that would show a difference at cut-off {cutoff}."
    return [power_table(title, rows, notes)] if rows else []
