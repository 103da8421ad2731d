"""wide: a table with one query per line and one column per person."""

from collections.abc import Sequence

from ..column_names import usual_among
from ..content import VoteFile
from ..heads import problem_of_heads
from ..import_format import MOST_COLUMNS, ImportFormat, rows_of
from ..people import (
    FEWEST_PEOPLE,
    ColumnsOfPeople,
    columns_of_people,
    problem_of,
)
from ..table import Row, Table

_MOST_NAMED = 20


def _recognises(file: VoteFile) -> bool:
    if not _fits(file):
        return False
    if file.choice.people:
        return True
    if "worker" in usual_among(file.table.columns):
        return False
    columns = columns_of_people(file.table, file.choice)
    is_named = len(columns.people) >= FEWEST_PEOPLE
    return is_named or ("label" not in usual_among(file.table.columns)
                        and len(columns.named) >= FEWEST_PEOPLE)  # fmt: skip


def _fits(file: VoteFile) -> bool:
    return not file.is_json and len(file.table.columns) <= MOST_COLUMNS


def _read(file: VoteFile) -> Table:
    table = file.table
    columns = columns_of_people(table, file.choice)
    kept = [name for name in table.columns if name not in columns.people]
    worker, label = (_free(name, kept) for name in ("worker", "label"))
    unnamed = None if file.choice.people else problem_of_heads(table)
    rows = rows_of(
        file,
        (
            Row(row.line, {**_cells(row, kept), worker: name, label: row.cells.get(name, "")})
            for row in table.rows
            for name in columns.people or ("",)  # the cells are shown to whoever decides
        ),
    )
    usual = {**usual_among(kept), "query_id": columns.qid, "worker": worker, "label": label}
    return Table(
        file.path,
        (*kept, worker, label),
        rows,
        usual,
        () if unnamed else _notes(columns),
        people=columns.people,
        others=columns.unclear + columns.aside,
        problem=unnamed or problem_of(table, columns, is_chosen=bool(file.choice.people)),
        mark=table.mark,
    )


def _notes(columns: ColumnsOfPeople) -> tuple[str, ...]:
    if not columns.people:
        return ()
    read = f"Read as one column per person: {_listed(columns.people)}."
    if not columns.aside:
        return (read,)
    return (
        read,
        f"Columns that are nobody's answers: {_listed(columns.aside)}.",
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _free(name: str, taken: Sequence[str]) -> str:
    """A name for a column of ours that the table does not have."""
    return name if name not in taken else f"{name} (as read)"


def _cells(row: Row, names: Sequence[str]) -> dict[str, str]:
    return {name: row.cells.get(name, "") for name in names}


WIDE = ImportFormat(
    name="wide",
    title="One column per person (CSV)",
    summary="a table with one query per line, and the answers of each person in a column",
    position=28,
    recognises=_recognises,
    read=_read,
    fits=_fits,
)
