"""Columns of people in a table: recognised by names, or chosen by a person."""

from collections.abc import Sequence
from typing import NamedTuple

from ...errors import InputError
from .column_names import is_aside, is_id, is_person, usual_among
from .mapping import names_option
from .meanings import suggested_category
from .table import Table

#: Most different cells of a person's column: people use the same few words.
_MOST_WORDS = 10
FEWEST_PEOPLE = 2
_MOST_NAMED = 20


class Choice(NamedTuple):
    """A person's choice of columns: those that are `people`, and those to `ignore`.

    Empty `people` leave it to the names; then `ignore` takes columns out.
    """

    people: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


NOTHING_CHOSEN = Choice()


class ColumnsOfPeople(NamedTuple):
    """The query's id, the people, the columns of nobody, and the unclear ones."""

    qid: str
    people: tuple[str, ...]
    aside: tuple[str, ...]
    unclear: tuple[str, ...]

    @property
    def named(self) -> tuple[str, ...]:
        return self.people + self.unclear


def columns_of_people(table: Table, choice: Choice) -> ColumnsOfPeople:
    """Classify the columns of a table with one query per line, by names or a person's choice.

    Raises `InputError` for the choice of a missing column.
    """
    table.need(*choice.people, *choice.ignore)
    if both := set(choice.people) & set(choice.ignore):
        raise InputError(f"{min(both)!r} is a person and ignored.", path=table.path, line=1)
    roles = usual_among(table.columns)
    qid = _query_id(table, {name for name in table.columns if is_person(name)} | {*choice.people})
    # A column that is called label is the outcome, where people have columns of their own.
    taken = {qid, *roles.values(), *table.parts}
    free = [name for name in table.columns if name not in taken]
    among = [name for name in free if name not in choice.ignore]
    people, unclear = (choice.people, tuple[str, ...]()) if choice.people else _told(table, among)
    taken = {qid, *people, *unclear}
    aside = tuple(name for name in free if name not in taken)
    aside += tuple(name for role, name in roles.items() if role == "label" and name not in taken)
    return ColumnsOfPeople(qid, people, aside, unclear)


def problem_of(table: Table, columns: ColumnsOfPeople) -> InputError | None:
    """Return the question that a person has to decide, with options to type; None without one."""
    if columns.unclear:
        names = ", ".join(map(repr, columns.unclear[:_MOST_NAMED]))
        otherwise = (
            f"or {names_option('ignore', columns.unclear)} if they are not."
            if columns.people
            else "else name those who are."
        )
        return InputError(
            f"nothing tells whether these columns are people: {names}.",
            path=table.path,
            line=1,
            remedy=f"Add {names_option('people', columns.named)} if they are people, {otherwise}",
        )
    if not columns.people:
        return InputError(
            "no column has the answers of a person, as far as the names tell.",
            path=table.path,
            line=1,
            remedy="Say with --people which columns do.",
        )
    return _second_line(table, columns.qid)


def _query_id(table: Table, people: set[str]) -> str:
    """Return the usual name, else a column called id, else the first that identifies rows."""
    usual = usual_among(table.columns).get("query_id")
    if usual:
        return usual
    distinct = [
        name
        for name in table.columns
        if name not in people
        and len({row.cells.get(name, "").strip() for row in table.rows}) == len(table.rows)
    ]
    named = [name for name in distinct if is_id(name)]
    return next(iter([*named, *distinct]), table.columns[0])


def _told(table: Table, among: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of people, and the unclear ones."""
    words = {
        name: {row.cells.get(name, "").strip().casefold() for row in table.rows} - {""}
        for name in among
        if not is_aside(name)
    }
    named = tuple(name for name in words if is_person(name))
    few = {name: held for name, held in words.items() if 0 < len(held) <= _MOST_WORDS}
    others = tuple(name for name in few if name not in named)
    if named:
        strange = tuple(name for name in named if len(words[name]) > _MOST_WORDS)
        return tuple(name for name in named if name not in strange), others + strange
    held = set().union(*few.values())
    if len(few) < FEWEST_PEOPLE or all(map(_is_number, held)):
        # Numbers may be answers, counts and scores alike.
        return (), others
    unclear = tuple(name for name in others if not _answers(name, few))
    return tuple(name for name in others if name not in unclear), unclear


def _answers(name: str, words: dict[str, set[str]]) -> bool:
    """Return whether another column has the same words, or they mean categories."""
    shared = any(words[name] & held for other, held in words.items() if other != name)
    return shared or all(map(suggested_category, words[name]))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _second_line(table: Table, qid: str) -> InputError | None:
    """Refuse a second line of a query: it would be a second answer of everybody."""
    seen: dict[str, int] = {}
    for row in table.rows:
        cell = row.cells.get(qid, "").strip()
        if cell and cell in seen:
            return InputError(
                f"the query {cell[:40]!r} has line {seen[cell]} already, and each column was to be "
                "one person's answers.",
                path=table.path,
                line=row.line,
                remedy="If each line is one vote, add --format plain and say with --columns which "
                "column is the worker and which the label; else say which is the query's id.",
            )
        seen[cell] = row.line
    return None
