"""Votes as a table with one vote per line: query id, worker, label, and perhaps the text."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from ...errors import InputError
from ...remedies import Remedy
from .answers import Answer, error_at, with_pair_ids, with_whole_ids
from .choices import cell_text
from .heads import problem_of_heads
from .label_columns import may_be_labels
from .table import Table

#: Roles that a vote needs, and those that it may have.
NEEDED = ("query_id", "worker", "label")
_OF_PAIRS = ("docno", "passage")
_SHOWN = 40
#: Columns that are named as what a missing one may be.
_OFFERED = 8
OPTIONAL = ("query", "gold", "seconds", "answered_at", "docno", "passage")


def read_plain(table: Table, columns: Mapping[str, str]) -> tuple[list[Answer], list[str]]:
    """The answers of a plain table, and notes. `columns` maps roles to columns.

    Without an entry, `query_id`, `worker`, `label` and the optional `query` (text), `gold`,
    `seconds`, `answered_at` and, of pairs, `docno` and `passage` are in the format's usual columns,
    else under their own names. Rows of models give answers as well, whose `score` is the model's.
    """
    if unknown := sorted(set(columns) - {*NEEDED, *OPTIONAL}):
        raise InputError(
            f"no column is a {unknown[0]!r}.",
            remedy=f"A column may be {', '.join((*NEEDED, *OPTIONAL))}.",
        )
    usual = {name: table.usual.get(name, name) for name in (*NEEDED, *OPTIONAL)}
    place = usual | dict(columns)
    if not {place[name] for name in _OF_PAIRS} <= set(table.columns):
        # A passage without an id is any text.
        place = {role: name for role, name in place.items() if role not in _OF_PAIRS}
    table.need(*columns.values())
    _check_needed(table, place)
    answers = []
    for row in table.rows:
        cells = {name: row.cells.get(column, "") for name, column in place.items()}
        qid, worker = cells["query_id"].strip(), cells["worker"].strip()
        for name, value in (("query id", qid), ("worker", worker)):
            if not value:
                raise error_at(table.path, row.line, row.record, f"the {name} is empty.")
            if not value.isprintable():
                unfit = f"the {name} {value[:_SHOWN]!r} has a control character."
                raise error_at(table.path, row.line, row.record, unfit)
        check_query_id(qid, table, row.line)
        answers.append(
            Answer(
                path=table.path,
                line=row.line,
                qid=qid,
                worker=worker,
                answer=cell_text(cells["label"]),
                text=cells["query"],
                gold=cell_text(cells["gold"]).strip(),
                seconds=seconds_of(table.with_point(cells["seconds"]), table.path, row.line),
                answered_at=time_of(cells["answered_at"], table.path, row.line),
                record=row.record,
                score=row.score,
                docno=cells.get("docno", "").strip(),
                passage=cells.get("passage", ""),
            )
        )
    whole, notes = with_whole_ids(answers)
    return with_pair_ids(whole), notes


def _check_needed(table: Table, place: Mapping[str, str]) -> None:
    """Raise `InputError` where nothing says which column is the query id, worker or label."""
    missing = next((role for role in NEEDED if place[role] not in table.columns), None)
    if missing is None:
        return
    if problem := problem_of_heads(table):
        raise problem
    free = [name for name in table.columns if name not in place.values()]
    if missing == "label":
        # Ids, times and people of the file are not answers, unless nothing else is left.
        free = [name for name in may_be_labels(table) if name in free] or free
    remedies = columns_offered("to say which it is", missing, free)
    if free and missing == "query_id" and place["label"] not in table.columns:
        rows = Remedy("if each line has one person's answers", {"layout": "rows"})
        remedies = [rows, *remedies]
    raise InputError(
        f"it is not clear which column is the {missing!r}.",
        path=table.path,
        line=1,
        remedies=remedies,
        remedy="" if free else "A vote needs a query, a worker and a label.",
    )


def columns_offered(words: str, role: str, names: Sequence[str]) -> list[Remedy]:
    """Remedies that give the role to each of the first columns."""
    return [Remedy(words, {"columns": {role: name}}) for name in names[:_OFFERED]]


def check_query_id(qid: str, table: Table, line: int) -> None:
    """Raise `InputError` for an id with a blank, which no run and no file of queries can hold."""
    if len(qid.split()) > 1:
        beginning = qid if len(qid) <= _SHOWN else f"{qid[:_SHOWN]}..."
        words = [name for name in table.columns if _has_ids(table, name)]
        raise InputError(
            f"the query id {beginning!r} has a blank.",
            path=table.path,
            line=line,
            remedies=columns_offered("if it has the query ids", "query_id", words),
            remedy="" if words else "An id is one word: name another column, or add one.",
        )


def _has_ids(table: Table, name: str) -> bool:
    """Return whether every row has one word there, and not all the same."""
    cells = {row.cells.get(name, "").strip() for row in table.rows}
    return len(cells) > 1 and all(len(cell.split()) == 1 for cell in cells)


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
        raise InputError(f"{cell!r} is not a time in seconds.", path=path, line=line)
    return value


def time_of(cell: str, path: str, line: int) -> datetime | None:
    """A moment as ISO 8601 or seconds since 1970, in UTC where no zone is said; None if empty."""
    cell = cell.strip()
    if not cell:
        return None
    try:
        if cell.replace(".", "", 1).isascii() and cell.replace(".", "", 1).isdigit():
            return datetime.fromtimestamp(float(cell), UTC)
        moment = datetime.fromisoformat(cell)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"{cell[:_SHOWN]!r} is not a moment.",
            path=path,
            line=line,
            remedy="Write it as 2026-11-24T08:30:00Z, or as seconds since 1970.",
        ) from None
