"""rows: a table with one person per line and one column per query, as surveys export it."""

from dataclasses import replace

from ..column_names import is_aside, is_id, is_item, usual_among
from ..content import VoteFile
from ..import_format import MOST_COLUMNS, ImportFormat, rows_of
from ..people import has_people_in_rows, id_of_people
from ..table import Row, Table

#: Queries that a note names.
_SHOWN = 20
_QUERY, _TEXT, _LABEL = "query (as read)", "text (as read)", "label (as read)"


def _recognises(file: VoteFile) -> bool:
    return _fits(file) and not file.choice.people and has_people_in_rows(file.table)


def _fits(file: VoteFile) -> bool:
    return not file.is_json and 1 < len(file.table.columns) <= MOST_COLUMNS


def _read(file: VoteFile) -> Table:
    table = file.table
    person = id_of_people(table)
    queries = _queries(table, person, file)
    places = [(name, *_id_and_text(name, at)) for at, name in enumerate(queries, 1)]
    kept = [name for name in table.columns if name not in queries]
    rows = rows_of(
        file,
        (
            Row(
                row.line,
                {name: row.cells.get(name, "") for name in kept}
                | {_QUERY: qid, _TEXT: text, _LABEL: row.cells.get(name, "")},
            )
            for row in table.rows
            for name, qid, text in places
        ),
    )
    return replace(
        table,
        columns=(*kept, _QUERY, _TEXT, _LABEL),
        rows=rows,
        usual={"query_id": _QUERY, "worker": person, "label": _LABEL, "query": _TEXT},
        notes=(*table.notes, _note(person, queries)),
    )


def _id_and_text(name: str, at: int) -> tuple[str, str]:
    """Id and text of a query by the name of its column, which may be the text: no id has blanks."""
    words = name.split()
    if len(words) == 1 or is_item(name):
        return "_".join(words), ""
    return f"q{at}", name


def _queries(table: Table, person: str, file: VoteFile) -> list[str]:
    """The columns of queries: those with numbers of items, else all that may be answers."""
    free = [
        name
        for name in table.columns
        if name != person and name not in file.choice.ignore and name not in table.parts
    ]
    taken = usual_among(free)
    others = [name for name in free if not is_aside(name) and not is_id(name)
              and name not in taken.values()]  # fmt: skip
    return [name for name in free if is_item(name)] or others or free


def _note(person: str, queries: list[str]) -> str:
    first = ", ".join(queries[:_SHOWN]) + (", ..." if len(queries) > _SHOWN else "")
    return f"Read as one person per line, called as in {person}, and one column per query: {first}."


ROWS = ImportFormat(
    name="rows",
    title="One row per person (CSV)",
    summary="a table with one person per line, and their answers in columns",
    position=26,
    recognises=_recognises,
    read=_read,
    fits=_fits,
)
