"""Answers of Mechanical Turk that several columns or one cell of JSON hold, as one column each.

A page of crowd elements answers in `Answer.taskAnswers`, as JSON, or in a column for each choice:
`Answer.gender.female` and `Answer.gender.male`, each true or false.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...errors import InputError
from .choices import SEVERAL, choice_text
from .table import Row, Table

TASK_ANSWERS = "Answer.taskAnswers"
_TRUTHS = frozenset({"true", "false", ""})
#: Choices that have each a name of their own are put together under this one.
_CHOICE = "Answer.choice"
#: The end of the name of a box of its own.
_BOX = ".on"
_FEWEST = 2
_DEEPEST = 5


def with_whole_answers(table: Table) -> Table:
    """The table with a column for each answer; the columns it is made of are its `parts`."""
    unpacked = _with_task_answers(table)
    groups = _groups(unpacked)
    rows = unpacked.rows
    for whole, options in groups.items():
        rows = [replace(row, cells={**row.cells, whole: _chosen(row, options)}) for row in rows]
    parts = {column for options in groups.values() for column in options}
    return replace(
        unpacked,
        rows=rows,
        columns=(*unpacked.columns, *groups),
        parts=unpacked.parts | parts,
        notes=tuple(
            f"{len(options)} columns are one answer, {whole}: {', '.join(options)}."
            for whole, options in groups.items()
        ),
    )


def _with_task_answers(table: Table) -> Table:
    if TASK_ANSWERS not in table.columns:
        return table
    rows = [replace(row, cells={**row.cells, **_answers(table, row)}) for row in table.rows]
    names = dict.fromkeys(
        name for row in rows for name in row.cells if name.startswith(f"{TASK_ANSWERS}.")
    )
    blank = dict.fromkeys(names, "")
    return replace(
        table,
        rows=[replace(row, cells=blank | row.cells) for row in rows],
        columns=(*table.columns, *(name for name in names if name not in table.columns)),
        parts=table.parts | {TASK_ANSWERS},
    )


def _answers(table: Table, row: Row) -> dict[str, str]:
    """The answers in the cell of a row by their columns."""
    cell = row.cells.get(TASK_ANSWERS, "").strip()
    if not cell:
        return {}
    try:
        held = json.loads(cell)
    except (ValueError, RecursionError):
        raise InputError(
            f"{TASK_ANSWERS} is not JSON here.", path=table.path, line=row.line
        ) from None
    words: dict[str, str] = {}
    for answers in held if isinstance(held, list) else [held]:
        for name, word in _leaves(answers, TASK_ANSWERS, _DEEPEST):
            if words.setdefault(name, word) != word:
                raise InputError(
                    f"{TASK_ANSWERS} has two answers to {name.rpartition('.')[2]!r}.",
                    path=table.path,
                    line=row.line,
                )
    return words


def _leaves(held: Any, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """Names and words below `held`; `{"label": "x"}` and `{"labels": [...]}` are words."""
    match held:
        case {"label": str(word)} if len(held) == 1:
            yield name, word
        case {"labels": list(words)} if len(held) == 1:
            yield name, choice_text(words) or ""
        case Mapping() if depth:
            for inner, value in held.items():
                yield from _leaves(value, f"{name}.{inner}", depth - 1)
        case bool():
            yield name, "true" if held else "false"
        case str() | int() | float():
            yield name, str(held)
        case list():
            yield name, choice_text(held) or json.dumps(held)


def _groups(table: Table) -> dict[str, tuple[str, ...]]:
    """The columns of choices by the answer that they are, each with at least two."""
    of_each: dict[str, list[str]] = {}
    for name in table.columns:
        base, _, option = name.rpartition(".")
        if base.startswith("Answer.") and option and _is_truth(table, name):
            of_each.setdefault(base, []).append(name)
    groups = {
        base: tuple(names)
        for base, names in of_each.items()
        if len(names) >= _FEWEST and base not in table.columns
    }
    single = [names[0] for names in of_each.values() if len(names) == 1]
    boxes = [name for name in single if name.endswith(_BOX) and not _is_always_true(table, name)]
    if len(single) >= _FEWEST and _CHOICE not in table.columns:
        # Radio buttons without a common name: one of them is chosen at most. Boxes may be several.
        if _exclude(table, single):
            groups[_CHOICE] = tuple(single)
        elif len(boxes) >= _FEWEST:
            groups[_CHOICE] = tuple(boxes)
    return groups


def _is_truth(table: Table, name: str) -> bool:
    words = {row.cells.get(name, "").strip().lower() for row in table.rows}
    return words <= _TRUTHS and words != {""}


def _is_always_true(table: Table, name: str) -> bool:
    """Return whether everybody ticked the box, as one that asks for consent."""
    return all(_is_true(row, name) for row in table.rows)


def _exclude(table: Table, names: Sequence[str]) -> bool:
    """Return whether exactly one of the columns is true in each row that has any."""
    counts = {sum(_is_true(row, name) for name in names) for row in table.rows}
    return counts <= {0, 1} and 1 in counts


def _chosen(row: Row, columns: Sequence[str]) -> str:
    return SEVERAL.join(_option(name, columns) for name in columns if _is_true(row, name))


def _option(name: str, columns: Sequence[str]) -> str:
    """Return the option of a column of choices: `on` says nothing, the name before it does."""
    base, _, option = name.rpartition(".")
    bases = {column.rpartition(".")[0] for column in columns}
    return option if len(bases) == 1 else base.rpartition(".")[2]


def _is_true(row: Row, name: str) -> bool:
    return row.cells.get(name, "").strip().lower() == "true"
