"""Marks of significance: each run against the baseline, for tables of one value per run."""

from collections.abc import Mapping, Sequence

from ...statistics.significance import compare_all
from ..formats.layout import MARKS_NOTE, Column
from ..results import Results


def baseline_p_values(
    results: Results, measure: str, cutoff: int, seed: int, magnitude: str = ""
) -> Mapping[str, float | None]:
    """The p of each run's difference from the baseline, Holm's correction over those; by run."""
    values = {
        run: array
        for run in results.runs
        if (array := results.per_query(run, measure, cutoff, magnitude)) is not None
    }
    if results.baseline not in values:
        return {}
    compared = compare_all(values, baseline=results.baseline, seed=seed)
    return {pair.first: pair.permutation_p_holm for pair in compared}


def with_marks(results: Results, columns: Sequence[Column]) -> list[Column]:
    """The columns, each followed by that of its mark where there is a baseline."""
    if not results.baseline:
        return list(columns)
    return [
        one
        for column in columns
        for one in (column, Column(f"{column.name}_p", "", change=True, kind="p"))
    ]


def marks_note(results: Results) -> str:
    """What the marks of such a table say; "" without a baseline."""
    if not results.baseline:
        return ""
    return (
        f"{MARKS_NOTE}, of the difference from {results.baseline}; permutation test over queries, "
        f"Holm's correction over the comparisons with {results.baseline}."
    )
