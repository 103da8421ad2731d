"""The differences between all pairs of runs as a matrix, for print."""

from collections.abc import Mapping, Sequence

from ..formats.layout import Column, Table, Value


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
