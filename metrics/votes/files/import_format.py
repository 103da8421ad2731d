"""The description of a format of imported votes; each format is a module of `formats`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ...errors import InputError
from .choices import SEVERAL
from .column_names import USUAL_NAMES
from .content import Record, VoteFile
from .table import Row, Table

#: Most answers and columns of one file; more would fill the memory.
MOST_ANSWERS, MOST_COLUMNS = 2_000_000, 300


@dataclass(frozen=True, kw_only=True)
class ImportFormat:
    """A format of votes, from which page, API and command take their texts.

    `recognises` looks at what a file holds, never at its name; of several formats that recognise a
    file the one with the lowest `position` is taken unless a person says another. A person may also
    choose a format whose `fits` holds. `read` makes a table of it with one answer a row, and says
    there which column is what.
    """

    #: Name in options and addresses.
    name: str
    #: Name on pages.
    title: str
    #: Content of such a file, in a few words.
    summary: str
    position: int
    recognises: Callable[[VoteFile], bool]
    read: Callable[[VoteFile], Table]
    fits: Callable[[VoteFile], bool] = lambda _file: False
    #: Whether the votes of one batch may come in several files.
    in_several_files: bool = False
    #: Whether a second answer of a worker to a query is kept beside the first, or refused.
    keeps_repeats: bool = False


def is_like(file: VoteFile, has: Callable[[dict[str, Any]], bool]) -> bool:
    """Return whether each of the first records of a JSON file satisfies `has`."""
    return bool(file.first) and all(has(record) for record in file.first)


def answer_text(record: Record, value: Any) -> str:
    """Return an answer as a cell, with several values of a list joined."""
    values = value if isinstance(value, list) else [value]
    if any(isinstance(part, list | dict) for part in values):
        raise record.error(
            "an answer is a span or a relation, not a choice.", "Import questions with one choice."
        )
    return SEVERAL.join(record.text(part).strip() for part in values)


def rows_of(file: VoteFile, rows: Iterable[Row]) -> list[Row]:
    """The rows as a list; `InputError` for more answers than are read."""
    answers = list(islice(rows, MOST_ANSWERS + 1))
    if len(answers) > MOST_ANSWERS:
        raise InputError(
            f"has more than {MOST_ANSWERS:,} answers.",
            path=file.path,
            line=answers[-1].line,
            remedy="Import it in several parts.",
        )
    return answers


def table_of(
    file: VoteFile, rows: Sequence[Row], usual: Mapping[str, str], notes: Sequence[str] = ()
) -> Table:
    """Return the rows as a table with all their columns; `InputError` for too many of them."""
    columns = tuple(dict.fromkeys(name for row in rows for name in row.cells))
    if len(columns) > MOST_COLUMNS:
        raise InputError(
            f"has {len(columns):,} different members; at most {MOST_COLUMNS} are read.",
            path=file.path,
            remedy="Export the votes alone.",
        )
    known = {role: name for role, name in usual.items() if name in columns}
    return Table(file.path, columns, list(rows), known, tuple(notes))


def only_question(names: Iterable[str]) -> dict[str, str]:
    """The column of the answers where there is one question; of several a person chooses."""
    questions = list(dict.fromkeys(names))
    return {"label": questions[0]} if len(questions) == 1 else {}


def only_answer(table: Table, names: Sequence[str], gold: Callable[[str], str]) -> dict[str, str]:
    """The column of the answers where there is one, and the column that `gold` names for it."""
    usual = only_question(names)
    if usual and gold(usual["label"]) in table.columns:
        usual["gold"] = gold(usual["label"])
    return usual


def text_column(columns: Mapping[str, str]) -> dict[str, str]:
    """The column of the query's text: with a usual name, else the only one that holds text."""
    named = {name.rpartition(".")[2].casefold(): name for name in reversed(list(columns))}
    for usual in USUAL_NAMES["query"]:
        if usual in named:
            return {"query": named[usual]}
    return {"query": next(iter(columns))} if len(columns) == 1 else {}
