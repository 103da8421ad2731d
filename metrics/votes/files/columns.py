"""The columns of vote files as a person matches them: alike ones together, with examples."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from . import mturk_results, plain
from .answers import Answer
from .reader import VoteTables
from .table import Table

_NUMBERED = re.compile(r"\d+$")
_EXAMPLES, _LONGEST_EXAMPLE = 3, 60


class ColumnGroup(NamedTuple):
    """Columns that differ at most in their number, for which `pattern` has a `*`.

    `n_files` counts the files that have any of `names`.
    """

    pattern: str
    names: tuple[str, ...]
    examples: tuple[str, ...]
    n_files: int


def column_groups(files: VoteTables) -> list[ColumnGroup]:
    """The columns of all files in order, those of Mechanical Turk's results put together."""
    tables = files.tables
    names = list(
        dict.fromkeys(name for table in tables for name in table.columns if name not in table.parts)
    )
    pattern_of = _patterns(names) if files.are_results else {name: name for name in names}
    values: dict[str, list[str]] = {}
    for name in names:
        values.setdefault(pattern_of[name], []).append(name)
    return [_group(tables, pattern, tuple(of)) for pattern, of in values.items()]


def usual_columns(files: VoteTables) -> dict[str, str]:
    """Return the columns' roles as the format knows them, or as names of a plain table tell."""
    return files.usual


def roles_of(files: VoteTables) -> tuple[str, ...]:
    """Roles that a column may have: in results of Mechanical Turk the worker is known."""
    if files.are_results:
        return mturk_results.ROLES
    return (*plain.NEEDED, *plain.OPTIONAL)


def distinct_answers(answers: Sequence[Answer]) -> Mapping[str, int]:
    """Count each answer, the most frequent first; expected answers are among them."""
    counted: dict[str, int] = {}
    for vote in answers:
        if answer := vote.answer.strip():
            counted[answer] = counted.get(answer, 0) + 1
        if vote.gold:
            counted.setdefault(vote.gold, 0)
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _patterns(names: Sequence[str]) -> dict[str, str]:
    """The pattern of each name; what has no number joins those that have one (stance, stance2)."""
    numbered = {name: _NUMBERED.sub("*", name) for name in names}
    known = set(numbered.values())
    return {
        name: f"{name}*" if pattern == name and f"{name}*" in known else pattern
        for name, pattern in numbered.items()
    }


def _group(tables: Sequence[Table], pattern: str, names: tuple[str, ...]) -> ColumnGroup:
    having = [table for table in tables if set(names) & set(table.columns)]
    examples: dict[str, None] = {}
    for table in having:
        for row in table.rows:
            for name in names:
                if cell := row.cells.get(name, "").strip():
                    examples[_shortened(cell)] = None
                if len(examples) == _EXAMPLES:
                    return ColumnGroup(pattern, names, tuple(examples), len(having))
    return ColumnGroup(pattern, names, tuple(examples), len(having))


def _shortened(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_EXAMPLE else f"{cell[:_LONGEST_EXAMPLE]}…"
