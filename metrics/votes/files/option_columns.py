"""Answers that a table holds in one column per option, as one column each.

Programs write `gender:::Female`, with something in the cell where it was chosen; people and
spreadsheets write `female` and `male`, each with 1 or 0.
"""

from collections.abc import Mapping
from dataclasses import replace

from .choices import SEVERAL
from .column_names import usual_among
from .meanings import suggested_category
from .table import Row, Table

_BETWEEN = ":::"
#: The answer of columns that have no name in common.
_CHOICE = "choice"
_NOT_CHOSEN = frozenset({"", "0", "false", "no", "off", "nan", "none", "0.0"})
_CHOSEN = frozenset({"1", "true", "yes", "on", "x", "checked", "1.0"})
_FEWEST = 2


def with_options_joined(table: Table) -> Table:
    """The table with a column for each answer; the columns that it is made of are its `parts`."""
    groups = _groups(table)
    if not groups:
        return table
    rows = [replace(row, cells={**row.cells, **_answers(row, groups)}) for row in table.rows]
    notes = [
        f"{len(of)} columns are one answer, {whole}: {', '.join(of)}."
        for whole, of in groups.items()
    ]
    return replace(
        table,
        columns=(*table.columns, *groups),
        rows=rows,
        parts=table.parts.union(*groups.values()),
        notes=(*table.notes, *notes),
    )


def _groups(table: Table) -> dict[str, dict[str, str]]:
    """The option of each column, by the answer that the columns are together."""
    groups: dict[str, dict[str, str]] = {}
    for name in table.columns:
        whole, between, option = name.partition(_BETWEEN)
        if between and whole and option:
            groups.setdefault(whole, {})[name] = option
    groups = {
        whole: of
        for whole, of in groups.items()
        if len(of) >= _FEWEST and whole not in table.columns
    }
    if not groups and not {_CHOICE, usual_among(table.columns).get("label")} & {*table.columns}:
        named = {name: name for name in table.columns if suggested_category(name)}
        if len(named) >= _FEWEST and all(_is_choice(table, name) for name in named):
            groups[_CHOICE] = named
    return groups


def _is_choice(table: Table, name: str) -> bool:
    words = {row.cells.get(name, "").strip().casefold() for row in table.rows}
    return words <= _NOT_CHOSEN | _CHOSEN and bool(words & (_CHOSEN | {"0", "false", "no"}))


def _answers(row: Row, groups: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {
        whole: SEVERAL.join(
            option
            for name, option in of.items()
            if row.cells.get(name, "").strip().casefold() not in _NOT_CHOSEN
        )
        for whole, of in groups.items()
    }
