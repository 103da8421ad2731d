"""Votes in files, and the description of a format of such files.

`label import-votes` reads every format back, if its votes are for the four categories.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from annotation.labels.export.file_formats import FileFormat


@dataclass(frozen=True, slots=True)
class PlainVote:
    """One vote that counts; `worker` is a pseudonym, `gold` the known answer of a gold question.

    `label` and `gold` are codes of options, several of them joined.

    `answered_at` is when the vote was given, or its HIT submitted, where that is known.
    `suggestion` is the category that a model suggested to the worker, if one did. `docno` and
    `passage` are id and text of the passage of a pair.
    """

    query_id: str
    worker: str
    label: str
    query: str
    gold: str
    seconds: float | None
    answered_at: datetime | None = None
    suggestion: str = ""
    docno: str = ""
    passage: str = ""


@dataclass(frozen=True)
class ResultRow:
    """One assignment: `about` by column name, and the votes in the HIT's order."""

    about: dict[str, str]
    places: Sequence[PlainVote]


class VoteSource(Protocol):
    """The votes of a batch; `InputError` at the call where there are no assignments."""

    @property
    def name(self) -> str:
        """Name of the question that the votes answer."""

    def is_of_pairs(self) -> bool:
        """True if the votes are about pairs of query and passage."""

    def has_suggestions(self) -> bool:
        """True if workers saw what a model says."""

    def votes(self) -> Iterator[PlainVote]: ...

    def assignments(self) -> Iterator[ResultRow]: ...

    def most_queries(self) -> int:
        """Largest number of queries in a HIT that somebody submitted."""


@dataclass(frozen=True, kw_only=True)
class VoteFormat(FileFormat):
    """A format of votes. `write` makes the lines, each with its line end."""

    #: End of the file's name, after the name of the batch.
    stem: str
    #: Whether lines are assignments: an imported batch has none.
    by_assignment: bool = False
    write: Callable[[VoteSource], Iterator[str]]
