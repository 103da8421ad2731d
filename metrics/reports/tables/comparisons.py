"""Systems against each other, measures against each other, cut-offs against each other."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.correlations import correlation
from ...statistics.significance import WITHHELD_NOTE
from ...vocabulary import INTERVAL
from ..families import Comparisons
from ..formats.layout import MARKS_NOTE, Column, Table, Value
from ..results import Results
from .distributions import measure_title
from .equivalence import equivalence_columns, equivalence_note


def significance_matrix(
    table: Table, runs: Sequence[str], p_names: tuple[str, str], notes: Sequence[str]
) -> Table:
    """`significance` with a row and a column per run: row minus column.

    `p_names` are the columns that marks follow: of the difference, and of equivalence. Each pair
    stands once, above the diagonal; columns have the numbers of their runs.
    """
    measures = list(dict.fromkeys(str(row["measure"]) for row in table.rows))
    pairs = {(row["measure"], row["first"], row["second"]): row for row in table.rows}
    rows = [
        _row(pairs, measure, run, runs, p_names)
        for measure in measures
        for run in runs
        if any(run in (first, second) for _, first, second in pairs)
    ]
    columns = [Column("measure", "Measure"), Column("number", ""), Column("run", "Model")]
    for number in range(len(runs) - 1):
        columns.append(Column(f"difference_{number}", str(number + 2)))
        columns.append(Column(f"p_{number}", "", change=True, kind="p"))
        columns.append(Column(f"equivalence_{number}", "", change=True, kind="equivalence"))
    return Table(
        name=table.name,
        title=f"{table.title.removesuffix('.')}, row minus column.",
        columns=columns,
        rows=rows,
        notes=["A column is the model that has its number.", *notes],
        block="measure",
        runs=runs,
    )


def _row(
    pairs: Mapping[tuple[Value, Value, Value], Mapping[str, Value]],
    measure: str,
    run: str,
    runs: Sequence[str],
    p_names: tuple[str, str],
) -> dict[str, Value]:
    row: dict[str, Value] = {"measure": measure, "number": runs.index(run) + 1, "run": run}
    for number, other in enumerate(runs[1:]):
        pair = pairs.get((measure, run, other), {})
        row[f"difference_{number}"] = pair.get("difference", "") if pair else ""
        row[f"p_{number}"], row[f"equivalence_{number}"] = map(pair.get, p_names)
    return row


_Named = tuple[str, str]


def significance_table(
    results: Results,
    measures: Sequence[_Named],
    cutoff: int,
    tests: Comparisons,
    notes: Sequence[str],
    *,
    baseline: str = "",
) -> Table:
    """Every pair of runs: difference, effect size, t-test and permutation test with corrections.

    With `baseline` every other run against it.
    """
    compared = tests.of_table([(m, g, cutoff) for m, g in measures], baseline)
    rows: list[dict[str, Value]] = [
        {"measure": measure_title(measure, magnitude), **vars(pair)}
        for (measure, magnitude, _), pairs in compared.items()
        for pair in pairs
    ]
    t_test, permutation = "Paired t-test", "Permutation test"
    table = Table(
        name="significance_baseline" if baseline else "significance",
        title=f"Differences {f'from {baseline}' if baseline else 'between the models'} at cut-off "
        f"{cutoff}.",
        columns=[
            Column("measure", "Measure"),
            Column("first", "A"),
            Column("second", "B"),
            Column("n", "n"),
            Column("difference", "A - B"),
            Column("low", "low", INTERVAL),
            Column("high", "high", INTERVAL),
            Column("effect", "d"),
            Column("t", "t", t_test),
            Column("t_p", "p", t_test, kind="p"),
            Column("t_p_bonferroni", "Bonferroni", t_test, kind="p"),
            Column("t_p_holm", "Holm", t_test, kind="p"),
            Column("permutation_p", "p", permutation, kind="p"),
            Column("permutation_p_bonferroni", "Bonferroni", permutation, kind="p"),
            Column("permutation_p_holm", "Holm", permutation, kind="p"),
            *equivalence_columns(tests.inference),
        ],
        rows=rows,
        detail=True,
        notes=[
            (
                "Two-sided, paired over queries; the interval is Student's; d is the mean "
                "difference over its standard deviation; corrections are over "
                f"{tests.family(baseline)}; intervals and t-tests: {WITHHELD_NOTE}."
            ),
            *equivalence_note(tests.inference),
            *notes,
        ],
        block="measure",
    )
    if baseline:
        return table
    marks = [f"{MARKS_NOTE}; {tests.note()}.", *equivalence_note(tests.inference, in_print=True)]
    p_names = tests.inference.p_name, tests.inference.equivalence_p_name
    matrix = significance_matrix(table, results.runs, p_names, [*marks, *notes])
    return replace(table, in_print=matrix)


def correlation_table(
    results: Results,
    measures: Sequence[_Named],
    cutoff: int,
    tests: Comparisons,
    notes: Sequence[str],
) -> Table:
    """Pairs of measures: correlation over queries (mean over the runs) and over the runs."""
    kinds = (("pearson", "r"), ("spearman", "ρ"), ("kendall", "τ"))
    rows: list[dict[str, Any]] = []
    for first, second in combinations(measures, 2):
        over_queries = _over_queries(results, first, second, cutoff)
        means = [
            [results.value(run, measure, cutoff, magnitude) for run in results.runs]
            for measure, magnitude in (first, second)
        ]
        over_runs = correlation(*(np.array(column, dtype=np.float64) for column in means))
        rows.append(
            {
                "first": measure_title(*first),
                "second": measure_title(*second),
                **{f"{name}_queries": value for name, value in over_queries.items()},
                **{
                    f"{name}_runs{suffix}": getattr(over_runs, f"{name}{suffix}")
                    for name, _ in kinds
                    for suffix in ("", "_p")
                },
            }
        )
    for name, _ in kinds:
        p_values = tests.inference.correct([row[f"{name}_runs_p"] for row in rows])
        for row, p in zip(rows, p_values, strict=True):
            row[f"{name}_runs_p"] = p
    return Table(
        name="correlations",
        title=f"How the measures agree at cut-off {cutoff}.",
        columns=[
            Column("first", "Measure"),
            Column("second", "and"),
            *(Column(f"{name}_queries", sign, "Over queries") for name, sign in kinds),
            *(
                column
                for name, sign in kinds
                for column in (
                    Column(f"{name}_runs", sign, "Over models"),
                    Column(f"{name}_runs_p", "", "Over models", change=True, kind="p"),
                )
            ),
        ],
        rows=rows,
        detail=True,
        notes=[
            (
                "Pearson's r, Spearman's ρ, Kendall's τ (tau-b). Over queries: the mean of the "
                f"coefficients of the models. {MARKS_NOTE}, of no correlation over models: exact "
                f"for up to nine models, by permutations for more; {tests.correction} over the "
                "pairs of measures in this table."
            ),
            *notes,
        ],
        block="first",
    )


def _over_queries(
    results: Results, first: _Named, second: _Named, cutoff: int
) -> dict[str, float | None]:
    correlations = []
    for run in results.runs:
        pair = [results.per_query(run, m, cutoff, magnitude) for m, magnitude in (first, second)]
        if pair[0] is not None and pair[1] is not None:
            correlations.append(correlation(pair[0], pair[1], tested=False))
    return {
        "pearson": _mean([c.pearson for c in correlations]),
        "spearman": _mean([c.spearman for c in correlations]),
        "kendall": _mean([c.kendall for c in correlations]),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def cutoff_table(results: Results, notes: Sequence[str]) -> Table:
    """Return how far two cut-offs order the models alike: Kendall's tau of the models' values."""
    rows: list[dict[str, Value]] = []
    for measure in ("RaB", "ARaB"):
        for magnitude in results.magnitudes:
            for first, second in combinations(results.cutoffs, 2):
                a, b = (_values(results, measure, magnitude, cutoff) for cutoff in (first, second))
                rows.append(
                    {
                        "measure": measure_title(measure, magnitude),
                        "cutoff_a": first,
                        "cutoff_b": second,
                        "kendall": correlation(a, b, tested=False).kendall,
                        "largest_move": float(np.nanmax(np.abs(a - b))) if a.size else None,
                    }
                )
    return Table(
        name="cutoff_sensitivity",
        title="How much the cut-off matters.",
        columns=[
            Column("measure", "Measure"),
            Column("cutoff_a", "Cut-off"),
            Column("cutoff_b", "and"),
            Column("kendall", "τ"),
            Column("largest_move", "Largest move"),
        ],
        rows=rows,
        detail=True,
        notes=[
            (
                "τ: Kendall's tau-b between the values of the models at the two cut-offs, 1 where "
                "both order them alike. Largest move: of any model's value."
            ),
            *notes,
        ],
        block="measure",
    )


def _values(results: Results, measure: str, magnitude: str, cutoff: int) -> NDArray[np.float64]:
    values = [results.value(run, measure, cutoff, magnitude) for run in results.models]
    return np.array(values, dtype=np.float64)
