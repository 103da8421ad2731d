"""Intervals and tests of every measure at every cut-off, so that a page need not compute them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...statistics.significance import bootstrap_intervals, compare_all
from ..formats.layout import Column, Table
from ..results import Results

#: Measure, magnitude ("" for none) and cut-off.
View = tuple[str, str, int]


def views_of(keys: Sequence[View], cutoffs: Sequence[int]) -> list[View]:
    """What can be looked at by itself: everything that was measured at one of the cut-offs."""
    return [key for key in dict.fromkeys(keys) if key[2] in cutoffs]


def statistics_of(results: Results, view: View, seed: int) -> dict[str, Any]:
    """The 95 % interval of every run and every pair of runs compared, ready for JSON."""
    measure, magnitude, cutoff = view
    values = {
        run: array
        for run in results.runs
        if (array := results.per_query(run, measure, cutoff, magnitude)) is not None
    }
    intervals = bootstrap_intervals(list(values.values()), seed=seed)
    return {
        "measure": measure,
        "magnitude": magnitude,
        "cutoff": cutoff,
        "intervals": {
            run: asdict(interval) for run, interval in zip(values, intervals, strict=True)
        },
        "pairs": [asdict(pair) for pair in compare_all(values, seed=seed)],
    }


def intervals_table(title: str, intervals: Mapping[str, Mapping[str, Any]]) -> Table:
    """Every run with its interval, as `statistics_of` has them."""
    return Table(
        name="intervals",
        title=f"{title}, every model.",
        columns=[
            Column("run", "Model"),
            Column("value", "Mean", digits=4),
            Column("low", "low", "95 % interval", digits=4),
            Column("high", "high", "95 % interval", digits=4),
            Column("n", "Queries"),
        ],
        rows=[{"run": run, **one} for run, one in intervals.items()],
        notes=["Percentile bootstrap over queries."],
    )


def pairs_table(title: str, pairs: Sequence[Mapping[str, Any]]) -> Table:
    """Every pair of runs, as `statistics_of` has them."""
    tests = [("t", "Paired t-test"), ("permutation", "Permutation test")]
    return Table(
        name="pairs",
        title=f"{title}: differences between the models.",
        columns=[
            Column("first", "A"),
            Column("second", "B"),
            Column("n", "n"),
            Column("difference", "A - B", digits=4),
            Column("low", "low", "95 % interval", digits=4),
            Column("high", "high", "95 % interval", digits=4),
            Column("effect", "d"),
            *(
                Column(f"{test}_{p}", corrected, group, digits=4)
                for test, group in tests
                for p, corrected in (("p", "p"), ("p_bonferroni", "Bonferroni"), ("p_holm", "Holm"))
            ),
        ],
        rows=pairs,
        notes=[
            (
                "Two-sided, paired over queries; the interval is Student's; d is the mean "
                "difference over its standard deviation; corrections are over all pairs of models."
            )
        ],
    )
