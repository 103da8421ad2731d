"""Votes of files, of any program, for agreement and decisions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING

from ..errors import Hinted, InputError, InputTypeError
from ..extras import need
from ..public import public
from ..vocabulary import CANNOT_TELL
from .files.answers import REPEATED, Answer, GivenLabel, NoVote
from .files.options import Options
from .files.own_words import option_words
from .files.people import Choice
from .files.reader import read_answers, read_tables, votes_of

if TYPE_CHECKING:
    import pandas as pd

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]


@dataclass(frozen=True, kw_only=True)
class FileVotes(Hinted):
    """The votes of files; `agreement` and `decide` take them as they take a data frame.

    `votes` are the answers about items, with "I cannot tell" as `?`; `gold_votes` those about gold
    questions, whose known answers `known` has by item. `options` are all that could be chosen,
    where the call said so. `models` are labels that programs gave, and `apart` the answers that do
    not count, each with the reason. `notes` say how the files were read, and `possible` names the
    layouts that they could have.
    """

    votes: Sequence[Answer]
    gold_votes: Sequence[Answer] = ()
    known: Mapping[str, str]
    options: tuple[str, ...] | None = None
    models: Sequence[GivenLabel] = ()
    apart: Sequence[NoVote] = ()
    notes: Sequence[str] = ()
    possible: Sequence[str] = ()

    def to_frame(self) -> "pd.DataFrame":
        """A row for each vote: item, worker, value, text, seconds and answered_at."""
        frame: pd.DataFrame = need("pandas", extra="votes").DataFrame(
            {
                "item": [vote.qid for vote in self.votes],
                "worker": [vote.worker for vote in self.votes],
                "value": [vote.answer for vote in self.votes],
                "text": [vote.text for vote in self.votes],
                "seconds": [vote.seconds for vote in self.votes],
                "answered_at": [vote.answered_at for vote in self.votes],
            }
        )
        return frame


@public
def read_votes(
    paths: Paths,
    *,
    layout: str = "",
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    people: Sequence[str] = (),
    ignore: Sequence[str] = (),
    options: Sequence[str] | None = None,
    gold: Mapping[str, str] | None = None,
) -> FileVotes:
    """Read the votes of a file, or of several that one program wrote.

    Tables with a row for each vote, for each item or for each worker, and exports of Mechanical
    Turk, Label Studio, Argilla, Prodigy, Potato, doccano, Toloka and Appen are recognised by what
    they hold; `layout` decides otherwise. `columns` says which column has a role, as in
    `{"label": "Answer.gender"}`; `people` and `ignore` which columns are workers, and which are
    none; `gold`, of Mechanical Turk, which answers check the worker.

    The answers are read in their own words: those that differ in capitals alone are one option,
    words such as "not sure" mean "I cannot tell". With `options`, others are errors. `labels` says
    what a word means, `""` to leave it out. Of several votes of a worker on an item the first
    counts. Raises `InputError` with file and line for what cannot be read.
    """
    if not isinstance(paths, str | PathLike | list | tuple):
        raise InputTypeError(f"the paths are {type(paths).__name__}.", remedy="Name files.")
    files = [fspath(path) for path in ([paths] if isinstance(paths, str | PathLike) else paths)]
    if not files:
        raise InputError("no file is named.", remedy="Name one at least.")
    columns, labels = columns or {}, labels or {}
    if not isinstance(columns, Mapping):
        raise InputTypeError(
            f"the columns are {type(columns).__name__}.",
            remedy='Give the column of each role: columns={"label": "Answer.gender"}.',
        )
    words = frozenset({*labels, *(options or ())})
    choice = Choice(tuple(people), tuple(ignore), words=words)
    tables = read_tables(files, layout, choice, columns)
    answers = read_answers(tables, columns=columns, gold=gold or {})
    if options is None:
        labels = option_words([*answers.answers, *answers.models], labels)
        codes = [*dict.fromkeys(word for word in labels.values() if word not in ("", CANNOT_TELL))]
    question = Options(codes=tuple(codes if options is None else options))
    read = votes_of(answers, options=question, labels=labels)
    votes = sorted(
        [*read.votes, *read.cannot_tell],
        key=lambda vote: (files.index(vote.path), vote.line, vote.record),
    )
    if not votes:
        raise InputError("no answer is a vote.", path=files[0], remedy=" ".join(read.notes))
    apart = [*read.set_aside, *(NoVote(vote, REPEATED) for vote in read.repeated)]
    known = {vote.qid: vote.gold for vote in votes if vote.gold}
    return FileVotes(
        votes=[vote for vote in votes if vote.qid not in known],
        gold_votes=[vote for vote in votes if vote.qid in known],
        known=known,
        options=None if options is None else tuple(options),
        models=read.models,
        apart=apart,
        notes=[*dict.fromkeys([*tables.said, *read.notes, *_notes(labels, apart)])],
        possible=[of.name for of in tables.possible],
    )


def _notes(labels: Mapping[str, str], apart: Iterable[NoVote]) -> Iterator[str]:
    """Words that are not an option, and the answers that do not count."""
    if words := [word for word, code in labels.items() if code == CANNOT_TELL != word]:
        yield f"Read as {CANNOT_TELL}, I cannot tell: {', '.join(map(repr, words))}."
    for reason, count in Counter(answer.reason for answer in apart).items():
        yield f"{count:,} answers do not count: {reason}."
