"""Votes of data frames, and of whatever else the public functions take, question by question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError
from ..runs.columns import as_frame
from ..runs.values import id_text
from ..vocabulary import CANNOT_TELL, JOINED
from .files.column_names import USUAL_NAMES, columns_named
from .reading import FileVotes, read_votes
from .table import Kind, Origin, Votes

#: What the columns may be called where nobody says it.
_NAMES = {
    "item": USUAL_NAMES["query_id"],
    "worker": USUAL_NAMES["worker"],
    "value": ("value", *USUAL_NAMES["label"]),
}
_ORIGINS = {origin.name.lower(): origin for origin in Origin}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The way to read votes: `names` of the columns by role, "" to look for the usual ones."""

    names: Mapping[str, str] = field(default_factory=dict)
    kind: str = Kind.NOMINAL
    options: Sequence[str] | None = None
    is_wide: bool = False
    suggested_by: str = ""

    def named(self, role: str) -> str:
        return self.names.get(role, "")


def votes_by_question(votes: Any, reading: Reading) -> Iterator[tuple[str, Votes]]:
    """Each question by its name, "" where there is one, with its votes."""
    if reading.kind not in set(Kind):
        kinds = ", ".join(Kind)
        raise InputError(
            f"{reading.kind!r} is not a kind of a question.", remedy=f"Kinds are {kinds}."
        )
    if isinstance(votes, Votes):
        yield "", votes
        return
    if isinstance(votes, str | PathLike):
        votes = read_votes(votes)
    if isinstance(votes, FileVotes):
        yield "", votes_of_file(votes, reading.kind, reading.options)
        return
    frame = as_frame(votes)
    if frame is None:
        raise InputTypeError(
            f"the votes are {type(votes).__name__}.",
            remedy="Give a data frame of them, or a file.",
        )
    columns = _of_wide(frame, reading) if reading.is_wide else _of_long(frame, reading)
    if not reading.named("question"):
        yield "", _votes(columns, reading)
        return
    of_row = columns.pop("question")
    for name in dict.fromkeys(map(id_text, of_row)):
        kept = [at for at, of in enumerate(of_row) if id_text(of) == name]
        part = {role: [column[at] for at in kept] for role, column in columns.items()}
        yield str(name), _votes(part, reading)


def votes_of_file(
    read: FileVotes, kind: str, options: Sequence[str] | None = None, *, of_gold: bool = False
) -> Votes:
    """The votes of files about items, or those on gold questions."""
    votes = read.gold_votes if of_gold else read.votes
    columns = {
        "item": [vote.qid for vote in votes],
        "worker": [vote.worker for vote in votes],
        "value": [vote.answer for vote in votes],
    }
    hits = {vote.hit for vote in votes}
    if (
        hits
        and "" not in hits
        and len({(vote.qid, vote.hit) for vote in votes}) == len({vote.qid for vote in votes})
    ):
        columns["cluster"] = [vote.hit for vote in votes]
    return _votes(columns, Reading(kind=kind, options=read.options if options is None else options))


def _of_long(frame: Mapping[str, list[Any]], reading: Reading) -> dict[str, list[Any]]:
    free = [name for name in frame if name not in reading.names.values()]
    columns = {role: frame[_column(frame, free, role, reading.named(role))] for role in _NAMES}
    for role, name in reading.names.items():
        if role not in _NAMES and name:
            columns[role] = frame[_column(frame, free, role, name)]
    return columns


def _of_wide(frame: Mapping[str, list[Any]], reading: Reading) -> dict[str, list[Any]]:
    if unfit := [role for role, name in reading.names.items() if name and role not in _OF_ITEMS]:
        raise InputError(
            f"a table with a column for each worker has none for the {unfit[0]}.",
            remedy="Give a row for each vote.",
        )
    places = {
        role: _column(frame, list(frame), role, reading.named(role))
        for role in _OF_ITEMS
        if role == "item" or reading.named(role)
    }
    rows = [
        (at, worker, cell)
        for worker, column in frame.items()
        if worker not in places.values()
        for at, cell in enumerate(column)
        # NaN is the one value that differs from itself.
        if cell is not None and cell == cell  # noqa: PLR0124 - see above
    ]
    of_items = {role: [frame[name][at] for at, *_ in rows] for role, name in places.items()}
    return {**of_items, "worker": [row[1] for row in rows], "value": [row[2] for row in rows]}


#: What the columns of a wide table say that are not workers.
_OF_ITEMS = ("item", "cluster")


def _column(frame: Mapping[str, list[Any]], free: Sequence[str], role: str, name: str) -> str:
    """The column of that role; `InputError` where none or several may be it."""
    columns = [name] if name in frame else []
    if not name:
        columns = columns_named(free, _NAMES[role])
    if len(columns) == 1:
        return columns[0]
    has = f"{', '.join(columns)} may both be" if columns else f"none of {', '.join(frame)} is"
    raise InputError(f"{has} the column of the {role}.", remedy=f"Name it: {role}='...'.")


def _set(cell: Any) -> frozenset[str]:
    """The codes in a cell of several options."""
    if isinstance(cell, str):
        return frozenset(cell.split(JOINED))
    if isinstance(cell, list | tuple | set | frozenset):
        return frozenset(map(str, cell))
    raise InputError(f"{cell!r} is not a set of options.", remedy="Join codes by ;, as in a;b.")


def _votes(columns: Mapping[str, Sequence[Any]], reading: Reading) -> Votes:
    items, workers, answers = (columns[role] for role in _NAMES)
    kind = Kind(reading.kind)
    options = None if reading.options is None else [str(id_text(of)) for of in reading.options]
    facts = {
        **_facts(items, columns),
        "kind": kind,
        "are_all_offered": options is not None,
        "suggested_by": reading.suggested_by,
        "text": _text,
    }
    if kind == Kind.SEVERAL:
        answers = list(map(_set, answers))
    if kind == Kind.INTERVAL or (kind == Kind.ORDINAL and options is None):
        known = _occurring(answers) if options is None else options
        try:
            options = sorted(known, key=float)
        except ValueError:
            raise InputError(
                f"the options {', '.join(known[:5])} are not numbers.",
                remedy="Give the options in their order: options=[...].",
            ) from None
        facts["points"] = tuple(map(float, options))
    return Votes.of(items, workers, answers, options=options, **facts)


def _text(cell: Any) -> str:
    return str(id_text(cell))


def _occurring(answers: Sequence[Any]) -> list[str]:
    return sorted({*map(_text, dict.fromkeys(answers))} - {CANNOT_TELL})


def _facts(items: Sequence[Any], columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Further facts about votes and items that columns have."""
    facts: dict[str, Any] = {}
    if "cluster" in columns:
        of_item: dict[Any, Any] = {}
        for item, cluster in zip(map(_text, items), map(id_text, columns["cluster"]), strict=True):
            if of_item.setdefault(item, cluster) != cluster:
                raise InputError(
                    f"the item {item!r} is in the clusters {of_item[item]!r} and {cluster!r}.",
                    remedy="Name a column that says one cluster of each item.",
                )
        numbers = {name: at for at, name in enumerate(dict.fromkeys(of_item.values()))}
        facts["clusters"] = np.array([numbers[of] for of in of_item.values()], dtype=np.int32)
    if "origin" in columns:
        facts["origin"] = np.array([*map(_origin, columns["origin"])], dtype=np.int32)
    for role in ("first_round", "excluded"):
        if role in columns:
            facts[role] = np.array([_truth(role, cell) for cell in columns[role]], dtype=bool)
    return facts


def _origin(cell: Any) -> Origin:
    if str(cell).lower() not in _ORIGINS:
        known = ", ".join(_ORIGINS)
        raise InputError(f"{cell!r} is not an origin of a vote.", remedy=f"It is {known}.")
    return _ORIGINS[str(cell).lower()]


def _truth(role: str, cell: Any) -> bool:
    if cell not in (True, False):
        raise InputError(f"{cell!r} in {role} is not True or False.")
    return bool(cell)
