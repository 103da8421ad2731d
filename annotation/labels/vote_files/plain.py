"""Votes as a table with one vote per line: query id, worker, label, and perhaps the text."""

from collections.abc import Mapping

from annotation.labels.vote_files.answers import Answer, with_whole_ids
from annotation.labels.vote_files.table import Table
from metrics.errors import InputError

#: What a vote needs, and what it may have.
NEEDED = ("query_id", "worker", "label")
_SHOWN = 40
OPTIONAL = ("query", "gold", "seconds")


def read_plain(table: Table, columns: Mapping[str, str]) -> tuple[list[Answer], list[str]]:
    """The answers of a plain table, and notes. `columns` says which column holds what.

    Without an entry, `query_id`, `worker`, `label` and the optional `query` (text), `gold` and
    `seconds` are found under their own names.
    """
    if unknown := sorted(set(columns) - {*NEEDED, *OPTIONAL}):
        raise InputError(
            f"--columns knows no {unknown[0]!r}.",
            remedy=f"It knows {', '.join((*NEEDED, *OPTIONAL))}.",
        )
    place = {name: columns.get(name, name) for name in (*NEEDED, *OPTIONAL)}
    table.need(*(place[name] for name in NEEDED), *columns.values())
    answers = []
    for row in table.rows:
        cells = {name: row.cells.get(column, "") for name, column in place.items()}
        qid, worker = cells["query_id"].strip(), cells["worker"].strip()
        for name, value in (("query id", qid), ("worker", worker)):
            if not value:
                raise InputError(f"the {name} is empty.", path=table.path, line=row.line)
        check_query_id(qid, table.path, row.line)
        answers.append(
            Answer(
                path=table.path,
                line=row.line,
                qid=qid,
                worker=worker,
                answer=cells["label"],
                text=cells["query"],
                gold=cells["gold"].strip(),
                seconds=seconds_of(cells["seconds"], table.path, row.line),
            )
        )
    return with_whole_ids(answers)


def check_query_id(qid: str, path: str, line: int) -> None:
    """Raise `InputError` for an id with a blank, which no run and no file of queries can hold."""
    if len(qid.split()) > 1:
        shown = qid if len(qid) <= _SHOWN else f"{qid[:_SHOWN]}..."
        raise InputError(
            f"the query id {shown!r} has a blank.",
            path=path,
            line=line,
            remedy="Say with --columns query_id=NAME which column has the ids.",
        )


def seconds_of(cell: str, path: str, line: int) -> float | None:
    """A time in seconds; None for an empty cell."""
    if not cell.strip():
        return None
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    # The comparison is false for NaN as well.
    if not 0 <= value < float("inf"):
        raise InputError(f"{cell!r} is no time in seconds.", path=path, line=line)
    return value
