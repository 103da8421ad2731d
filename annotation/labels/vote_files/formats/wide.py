"""wide: a table with one query per line and one column per person."""

from collections.abc import Sequence

from annotation.labels.vote_files.content import VoteFile
from annotation.labels.vote_files.import_format import (
    MOST_COLUMNS,
    USUAL_NAMES,
    ImportFormat,
    rows_of,
    usual_among,
)
from annotation.labels.vote_files.table import Row, Table
from metrics.errors import InputError

#: People use the same few words: no column of theirs has more different cells.
_MOST_WORDS = 10
_FEWEST_PEOPLE = 2
_TAKEN = {name for role, names in USUAL_NAMES.items() if role != "label" for name in names}


def _recognises(file: VoteFile) -> bool:
    if file.is_json or len(file.table.columns) > MOST_COLUMNS:
        return False
    roles = usual_among(file.table.columns)
    return not {"worker", "label"} & set(roles) and len(_people(file.table)) >= _FEWEST_PEOPLE


def _people(table: Table) -> list[str]:
    """The columns whose cells are few words that another of them has, too."""
    words = {
        name: {row.cells.get(name, "").strip() for row in table.rows} - {""}
        for name in table.columns
        if name and name.casefold() not in _TAKEN
    }
    few = {name: held for name, held in words.items() if 0 < len(held) <= _MOST_WORDS}
    return [name for name in few if _shares(name, few)]


def _shares(name: str, words: dict[str, set[str]]) -> bool:
    return any(words[name] & held for other, held in words.items() if other != name)


def _read(file: VoteFile) -> Table:
    people = _people(file.table)
    kept = [name for name in file.table.columns if name not in people]
    usual = usual_among(kept)
    if "query_id" not in usual and kept:
        usual["query_id"] = kept[0]
    _check_ids(file.table, usual.get("query_id", ""))
    rows = rows_of(
        file,
        (
            Row(row.line, {**_cells(row, kept), "worker": name, "label": row.cells.get(name, "")})
            for row in file.table.rows
            for name in people
        ),
    )
    note = f"Read as one column per person: {', '.join(people[:20])}."
    usual |= {"worker": "worker", "label": "label"}
    return Table(file.path, (*kept, "worker", "label"), rows, usual, (note,))


def _cells(row: Row, names: Sequence[str]) -> dict[str, str]:
    return {name: row.cells.get(name, "") for name in names}


def _check_ids(table: Table, column: str) -> None:
    """A query has one line: a second one would be second answers of everybody."""
    seen: dict[str, int] = {}
    for row in table.rows:
        qid = row.cells.get(column, "").strip()
        if qid and qid in seen:
            raise InputError(
                f"the query {qid[:40]!r} has line {seen[qid]} already.",
                path=table.path,
                line=row.line,
                remedy="Keep one line for each query.",
            )
        seen[qid] = row.line


WIDE = ImportFormat(
    name="wide",
    title="One column per person (CSV)",
    summary="a table with one query per line, and the answers of each person in a column",
    position=8,
    recognises=_recognises,
    read=_read,
)
