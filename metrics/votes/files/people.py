"""Columns of people in a table: recognised by names, or chosen by a person."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ...errors import InputError
from ...remedies import Remedy
from .column_names import (
    begin_and_rest,
    has_ids_of_people,
    is_aside,
    is_id,
    is_item,
    is_no_answer,
    is_numbered_question,
    is_outcome,
    is_person,
    may_be_a_letter,
    may_be_a_name,
    names_person,
    rest_and_end,
    usual_among,
)
from .meanings import suggested_category
from .readings import ManyReadingsError, reading
from .table import Table

#: Most different cells of a person's column: people use the same few words.
_MOST_WORDS = 10
FEWEST_PEOPLE = 2
#: The layout with one person per line.
_ROWS = "rows"
_MOST_NAMED, _MOST_OFFERED = 20, 5


class Choice(NamedTuple):
    """A person's choice of columns: those that are `people`, and those to `ignore`.

    Empty `people` leave it to the names; then `ignore` takes columns out. `query_id` is the column
    of the query's id, where a person said so.
    """

    people: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    query_id: str = ""
    #: What an answer may be, as far as that is known.
    words: frozenset[str] = frozenset()


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
        raise InputError(
            f"{min(both)!r} is named both as a person and as ignored.", path=table.path, line=1
        )
    roles = usual_among(table.columns)
    qid = choice.query_id if choice.query_id in table.columns else ""
    qid = qid or _query_id(table, {*filter(is_person, table.columns), *choice.people})
    # A column that is called label is the outcome, where people have columns of their own.
    taken = {qid, *roles.values(), *table.parts}
    free = [name for name in table.columns if name not in taken]
    among = [name for name in free if name not in choice.ignore]
    people, unclear = (
        (choice.people, tuple[str, ...]()) if choice.people else _told(table, among, choice.words)
    )
    taken = {qid, *people, *unclear}
    aside = tuple(name for name in free if name not in taken)
    aside += tuple(name for role, name in roles.items() if role == "label" and name not in taken)
    return ColumnsOfPeople(qid, people, aside, unclear)


def problem_of(
    table: Table, columns: ColumnsOfPeople, *, is_chosen: bool = False
) -> InputError | None:
    """Return the question that a person has to decide, with options to type; None without one.

    `is_chosen` where a person has said who the people are.
    """
    if not is_chosen and (question := _several_questions(table, columns)):
        return question
    if not is_chosen and _may_lie_in_rows(columns):
        return ManyReadingsError(
            "its lines may be queries or people.",
            path=table.path,
            line=1,
            remedies=[
                reading("a person in each line", layout=_ROWS),
                reading("a person in each column", people=columns.named),
            ],
        )
    if columns.unclear:
        return _whether_people(table, columns)
    if not columns.people:
        people = Remedy("if those are the people", {"people": columns.aside})
        return InputError(
            "no column seems to have the answers of a person, judging by its name.",
            path=table.path,
            line=1,
            remedies=[people] if columns.aside else [],
        )
    return _second_line(table, columns.qid)


def has_people_in_rows(table: Table) -> bool:
    """Return whether each line is surely a person's: its id says so, and the columns are items."""
    roles = usual_among(table.columns)
    if {"query_id", "label"} & roles.keys():
        return False
    person = id_of_people(table)
    items = [name for name in table.columns if is_item(name)]
    is_named = "name" in person.casefold() and not all(map(may_be_a_letter, items))
    return len(items) >= FEWEST_PEOPLE and (has_ids_of_people(person) or is_named)


def id_of_people(table: Table) -> str:
    """The column that says whose answers are in a line: by its name, else the first."""
    usual = usual_among(table.columns).get("worker")
    named = [name for name in table.columns if has_ids_of_people(name) and not is_item(name)]
    return usual or next(iter([*named, *filter(is_id, table.columns)]), table.columns[0])


def _may_lie_in_rows(columns: ColumnsOfPeople) -> bool:
    """Return whether people may be in lines: columns are items, or the ids are those of people."""
    if "query_id" in usual_among([columns.qid]):
        return False
    if any(is_person(name) for name in columns.named) or len(columns.named) < FEWEST_PEOPLE:
        return False
    return all(map(is_item, columns.named)) or has_ids_of_people(columns.qid)


def _several_questions(table: Table, columns: ColumnsOfPeople) -> ManyReadingsError | None:
    """Ask for one question where each of several people has a column for each of several.

    The names are all pairs of two lists of words: gender_ann, gender_bob, stance_ann, stance_bob.
    """
    words = set().union(*(_words_of(table, name) for name in columns.named))
    words = {word for word in words if not _is_number(word)}
    names = [
        name
        for name in (*columns.named, *columns.aside)
        if 0 < len(held := _words_of(table, name)) <= _MOST_WORDS
        # Whatever it is called: the same answers stand in the columns of a person.
        and (not is_no_answer(name) or (names_person(name) and held & words))
    ]
    for part in (begin_and_rest, rest_and_end):
        grid = {name: parts for name in names if (parts := part(name))}
        if {*columns.named} <= grid.keys() and (readings := _readings_of(grid)):
            return ManyReadingsError(
                "each person has columns for several questions.",
                path=table.path,
                line=1,
                remedies=readings,
            )
    return None


def _readings_of(grid: Mapping[str, tuple[str, str]]) -> list[Remedy]:
    """A reading for each question, where the parts of the names are all pairs of two lists."""
    sides = [list(dict.fromkeys(parts[at] for parts in grid.values())) for at in (0, 1)]
    is_whole = len(sides[0]) * len(sides[1]) == len(grid) == len({*grid.values()})
    if min(map(len, sides)) < FEWEST_PEOPLE or not is_whole:
        return []
    if all(is_person(f"{first} 1") for first in sides[0]) and all(map(str.isdigit, sides[1])):
        return []  # several kinds of people, each with numbers
    questions = [at for at in (0, 1) if any(map(is_aside, sides[at]))] or [0, 1]
    return [
        reading(
            f"the question {word if word.isprintable() else ascii(word)}",
            people=tuple(name for name, parts in grid.items() if parts[at] == word),
        )
        for at in questions
        for word in sides[at]
    ]


def _whether_people(table: Table, columns: ColumnsOfPeople) -> ManyReadingsError:
    names = ", ".join(map(repr, columns.unclear[:_MOST_NAMED]))
    readings = [reading("all of them", people=columns.named)]
    if columns.people:
        readings.append(reading("the others alone", ignore=columns.unclear))
    return ManyReadingsError(
        f"it is not clear whether these columns are people: {names}.",
        path=table.path,
        line=1,
        remedies=readings,
        remedy="" if columns.people else "Otherwise name those that are.",
    )


def _query_id(table: Table, people: set[str]) -> str:
    """Return the usual name, else a column called id, else the first that identifies rows."""
    usual = usual_among(table.columns).get("query_id")
    if usual:
        return usual
    distinct = [name for name in _distinct(table) if name not in people]
    named = [name for name in distinct if is_id(name)]
    return next(iter([*named, *distinct]), table.columns[0])


def _distinct(table: Table) -> list[str]:
    """The columns with another cell in each row."""
    return [
        name
        for name in table.columns
        if len({row.cells.get(name, "").strip() for row in table.rows}) == len(table.rows)
    ]


def _told(
    table: Table, among: Sequence[str], answers: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of people, and the unclear ones."""
    words = {name: _words_of(table, name) for name in among if not is_aside(name)}
    named = tuple(name for name in words if is_person(name))
    doubtful: dict[str, set[str]] = {}
    if not named:
        doubtful = {
            name: _words_of(table, name)
            for name in among
            if name not in words and (may_be_a_name(name) or is_numbered_question(name))
        }
        words |= {name: held for name, held in doubtful.items() if held}
    known = {answer.casefold() for answer in answers}
    few = {name: held for name, held in words.items() if _may_be_answers(name, words, known)}
    others = tuple(name for name in few if name not in named)
    if named:
        odd = tuple(name for name in named if words[name] and name not in few)
        return tuple(name for name in named if name not in odd), others + odd
    held = set().union(*few.values())
    if len(few) < FEWEST_PEOPLE or all(map(_is_number, held)):
        # Numbers may be answers, counts and scores alike.
        return (), others
    strange = {name for name in others if not _answers(name, few)}
    # What holds no answers is nobody's, whatever it is called.
    nobody = {name for name in doubtful if name in strange and not is_numbered_question(name)}
    unclear = tuple(
        name
        for name in others
        if name not in nobody
        and (name in strange or name in doubtful or (is_outcome(name) and _is_alone(name, few)))
    )
    return tuple(name for name in others if name not in nobody and name not in unclear), unclear


def _words_of(table: Table, name: str) -> set[str]:
    return {row.cells.get(name, "").strip().casefold() for row in table.rows} - {""}


def _is_alone(name: str, others: Iterable[str]) -> bool:
    """Return whether no other column has the same name with another number."""
    return sum(_unnumbered(other) == _unnumbered(name) for other in others) == 1


def _unnumbered(name: str) -> str:
    return re.sub(r"[\W_]*[0-9]+$", "", name).casefold()


def _may_be_answers(
    name: str, words: Mapping[str, Collection[str]], known: Collection[str]
) -> bool:
    """Return whether a column has few different words, or those that are answers elsewhere."""
    held = {word for word in words[name] if word not in known}
    if len(held) <= _MOST_WORDS:
        return bool(words[name])
    others = {word for other, of in words.items() if other != name for word in of}
    return 2 * len(held & others) > len(held) and not any(map(_is_number, held))


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
                f"the query {cell[:40]!r} has line {seen[cell]} already, but each column should "
                "be one person's answers.",
                path=table.path,
                line=row.line,
                remedies=[
                    Remedy("if each line is one vote", {"layout": "plain"}),
                    *(
                        Remedy("if that is the query's id", {"columns": {"query_id": name}})
                        for name in _distinct(table)[:_MOST_OFFERED]
                    ),
                ],
            )
        seen[cell] = row.line
    return None
