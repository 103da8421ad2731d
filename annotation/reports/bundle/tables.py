"""The tables of a bundle as typed rows, and their CSV."""

import csv
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, TextIO, TypeVar

from annotation.core.csv_rows import csv_text
from annotation.reports.bundle.archive import Archive
from metrics.errors import InputError


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query in the batch's order; `gold` is the known category of a gold question, else ""."""

    qid: str
    query: str
    gold: str


@dataclass(frozen=True, slots=True)
class VoteRow:
    """An answer to the question of the paper as its files have it: `u` for "I cannot tell"."""

    qid: str
    worker: str
    kind: str
    category: str
    repeated: int
    set_aside: int


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A decision on the question of the paper as its files have it; only where there is a label."""

    qid: str
    label: str
    method: str
    source: str
    n_votes: int
    n_for: int
    confidence: float | None
    decided_by: str
    reason: str


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """An option that somebody chose under a pseudonym, maybe one of several, or `?`.

    It counts unless it is repeated or rejected (`repeated`), or discarded (`set_aside`).
    """

    qid: str
    worker: str
    kind: str
    question: str
    option: str
    repeated: int
    set_aside: int

    @property
    def counts(self) -> bool:
        return not (self.repeated or self.set_aside)


@dataclass(frozen=True, slots=True)
class TextRow:
    """A text that somebody wrote under a pseudonym, which may hold personal data.

    Without an `option` it answers an open question, else it is a comment on that answer; without a
    query and question it is a comment on a whole task. `repeated` and `set_aside` as of answers.
    """

    qid: str
    worker: str
    kind: str
    question: str
    option: str
    text: str
    repeated: int
    set_aside: int


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """The decision on one question of a query: options joined by `;`, "" for none.

    `method` is that of its label, "" where the rule of the question's kind decides. `source` is
    that of the label, or `answers`, or "" for none; `decided_by` is a pseudonym.
    """

    qid: str
    question: str
    decided: str
    n_answers: int
    n_for: int
    n_cannot_tell: int
    in_subset: int
    source: str
    decided_by: str
    reason: str
    method: str
    confidence: float | None


@dataclass(frozen=True, slots=True)
class PoolRow:
    """A place of a pooled query in one run's list, and the bias that put it there.

    Of a pair, the rank of its passage in the run, without direction and bias.
    """

    qid: str
    run: str
    direction: str
    place: int
    bias: float | None


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage of pooled pairs."""

    docno: str
    passage: str


@dataclass(frozen=True, slots=True)
class ModelLabelRow:
    """A model's answer about a query; without a category it is missing, or a belief alone."""

    qid: str
    category: str
    belief: float | None


#: Rows of a table, which is held in memory as a whole, and their noun.
_MOST_ROWS: dict[type[Any], tuple[int, str]] = {
    QueryRow: (120_000, "queries or pairs"),
    PassageRow: (120_000, "passages"),
    PoolRow: (1_000_000, "places in the lists of a pool"),
    VoteRow: (250_000, "votes"),
    AnswerRow: (500_000, "answers"),
    TextRow: (300_000, "free texts"),
    LabelRow: (120_000, "labels"),
    DecisionRow: (300_000, "decisions"),
    ModelLabelRow: (120_000, "labels of a model"),
}
#: Characters of the longest cell, a reason of several pages, and of the longest line.
_LONGEST_CELL = 1 << 20
_LONGEST_LINE = 1 << 21

Row = TypeVar(
    "Row",
    QueryRow,
    VoteRow,
    LabelRow,
    AnswerRow,
    TextRow,
    DecisionRow,
    PoolRow,
    PassageRow,
    ModelLabelRow,
)
_READ: dict[Any, Any] = {
    str: str,
    int: int,
    float: float,
    float | None: lambda text: float(text) if text else None,
}


def check_rows(kind: type[Row], n_rows: int) -> None:
    """Raise `InputError` for more rows than `from_csv` reads."""
    most, noun = _MOST_ROWS[kind]
    if n_rows > most:
        raise InputError(
            f"{n_rows:,} {noun} are more than the {most:,} of a bundle.",
            remedy="Archive what is not to be published, or pool fewer for each run.",
        )


def to_csv(kind: type[Row], rows: Sequence[Row]) -> bytes:
    """CSV with a header, numbers in full precision, texts as they are.

    Raises `InputError` for more rows than `from_csv` reads.
    """
    check_rows(kind, len(rows))
    names = [field.name for field in fields(kind)]
    return csv_bytes(names, ([getattr(row, name) for name in names] for row in rows))


def csv_bytes(header: Sequence[str], rows: Any) -> bytes:
    cells = (
        ["" if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in row]
        for row in rows
    )
    return csv_text([header, *cells]).encode()


def csv_rows(file: TextIO, name: str) -> Iterator[dict[str, str]]:
    """The records of a CSV of a bundle by column, one after another."""
    csv.field_size_limit(_LONGEST_CELL)
    try:
        for number, row in enumerate(csv.DictReader(_lines(file, name), strict=True), start=1):
            if None in row or None in row.values():
                raise InputError(f"record {number} has another number of cells.", path=name)
            yield row
    except csv.Error as error:
        raise InputError(f"is not CSV ({error}).", path=name) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8.", path=name) from None


def _lines(file: TextIO, name: str) -> Iterator[str]:
    while line := file.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise InputError("has a line that is longer than any of a bundle.", path=name)
        yield line


def from_csv(
    kind: type[Row],
    file: TextIO,
    name: str,
    *,
    without: Collection[str] = (),
) -> Iterator[Row]:
    """The rows of `to_csv`, with "" for the texts of the columns `without`.

    Equal texts are one object, so that a vote takes little more memory than its numbers. Raises
    `InputError` for anything that `to_csv` does not write, and for too many rows.
    """
    most, _noun = _MOST_ROWS[kind]
    texts: dict[str, str] = {}
    values: dict[str, Any]
    for number, cells in enumerate(csv_rows(file, name), start=1):
        if number > most:
            raise InputError(f"has more than {most:,} records.", path=name)
        try:
            values = {field.name: _READ[field.type](cells[field.name]) for field in fields(kind)}
        except (KeyError, ValueError, TypeError) as error:
            raise InputError(f"record {number} is wrong ({error}).", path=name) from None
        values |= dict.fromkeys(without, "")
        for column, value in values.items():
            if isinstance(value, str):
                values[column] = texts.setdefault(value, value)
        yield kind(**values)


def rows_of(
    bundle: Archive, kind: type[Row], name: str, *, without: Collection[str] = ()
) -> Iterator[Row]:
    """Read the rows of a table as `from_csv`; none where the bundle lacks it."""
    if name in bundle.names:
        with bundle.text(name) as file:
            yield from from_csv(kind, file, bundle.place(name), without=without)
