"""Intervals and tests of every measure at every cut-off, so that a page need not compute them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ...statistics.significance import (
    MIN_QUERIES,
    MIN_UNLIKE,
    WITHHELD_NOTE,
    Comparison,
    mean_interval,
)
from ...vocabulary import INTERVAL
from ..families import Comparisons, View
from ..formats.layout import Column, Table
from ..formats.tables import DIGITS
from ..results import MEANS_NOTE, Results
from .distributions import INTERVALS_NOTE
from .equivalence import equivalence_columns, equivalence_note
from .power import powers_of


def views_of(keys: Sequence[View], cutoffs: Sequence[int]) -> list[View]:
    """The parts to be looked at by themselves: all that was measured at one of the cut-offs."""
    return [key for key in dict.fromkeys(keys) if key[2] in cutoffs]


def statistics_of(results: Results, view: View, tests: Comparisons, seed: int) -> dict[str, Any]:
    """Intervals of the runs, their pairs compared, and the power to do so, ready for JSON."""
    measure, magnitude, cutoff = view
    values = {
        run: array
        for run in results.runs
        if (array := results.per_query(run, measure, cutoff, magnitude)) is not None
    }
    return {
        "measure": measure,
        "magnitude": magnitude,
        "cutoff": cutoff,
        "intervals": {run: asdict(mean_interval(array)) for run, array in values.items()},
        "pairs": [asdict(pair) for pair in tests.of_table([view])[view]],
        "power": [asdict(power) for power in powers_of(results, view, tests, seed)],
    }


def intervals_table(title: str, intervals: Mapping[str, Mapping[str, Any]]) -> Table:
    """Every run with its interval, as `statistics_of` has them."""
    return Table(
        name="intervals",
        title=f"{title}, every model.",
        columns=[
            Column("run", "Model"),
            Column("value", "Mean", digits=DIGITS),
            Column("low", "low", INTERVAL, digits=DIGITS),
            Column("high", "high", INTERVAL, digits=DIGITS),
            Column("n", "Queries"),
        ],
        rows=[{"run": run, **interval} for run, interval in intervals.items()],
        notes=[INTERVALS_NOTE, MEANS_NOTE],
    )


def weighted_table(title: str, intervals: Mapping[str, Mapping[str, Any]], pool: str) -> Table:
    """Return the means over the pool that the queries were drawn from by known chances."""
    return replace(
        intervals_table(title, intervals),
        name="weighted",
        title=f"{title}, over the pool that the queries were drawn from.",
        notes=[
            (
                "Each query is weighted by the inverse of its chance to be drawn from the pool "
                f"{pool} (Hájek's estimator). Intervals: Student's t; none below {MIN_QUERIES} "
                f"effective queries, or where fewer than {MIN_UNLIKE} differ from the commonest "
                "value. Few degrees of freedom, and a wide interval, where one query of large "
                "weight makes most of the variance."
            ),
            f"Means describe the queries of {pool}, which were chosen for extreme values.",
        ],
    )


def pairs_table(title: str, pairs: Sequence[Comparison], tests: Comparisons) -> Table:
    """Every pair of runs under one view, as the tests of the report have them."""
    kinds = [("t", "Paired t-test"), ("permutation", "Permutation test")]
    return Table(
        name="pairs",
        title=f"{title}: differences between the models.",
        columns=[
            Column("first", "A"),
            Column("second", "B"),
            Column("n", "n"),
            Column("difference", "A - B", digits=DIGITS),
            Column("low", "low", INTERVAL, digits=DIGITS),
            Column("high", "high", INTERVAL, digits=DIGITS),
            Column("effect", "d"),
            *(
                Column(f"{test}_{p}", corrected, group, kind="p")
                for test, group in kinds
                for p, corrected in (("p", "p"), ("p_bonferroni", "Bonferroni"), ("p_holm", "Holm"))
            ),
            *equivalence_columns(tests.inference),
        ],
        rows=[asdict(pair) for pair in pairs],
        notes=[
            (
                "Two-sided, paired over queries; the interval is Student's; d is the mean "
                f"difference over its standard deviation; corrections are over {tests.family()}; "
                f"intervals and t-tests: {WITHHELD_NOTE}."
            ),
            *equivalence_note(tests.inference),
        ],
    )
