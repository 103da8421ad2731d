"""Vote files of either layout to votes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from annotation.labels.vote_files import mturk_results, plain
from annotation.labels.vote_files.answers import Answer, NoVote, Votes, mapped
from annotation.labels.vote_files.table import Table, read_table
from metrics.errors import InputError


class FileAnswers(NamedTuple):
    """Answers in the words of the files, those that cannot count, and what was understood."""

    answers: list[Answer]
    apart: list[NoVote]
    notes: list[str]


def read_tables(paths: Sequence[str | Path]) -> list[Table]:
    """The tables of vote files, whatever their layout."""
    return [read_table(path, may_end_early=mturk_results.MAY_END_EARLY) for path in paths]


def read_answers(
    tables: Sequence[Table], *, columns: Mapping[str, str], gold: Mapping[str, str]
) -> FileAnswers:
    """The answers of one batch. Several tables are Mechanical Turk results of it, oldest first.

    A table with the columns HITId, AssignmentId and WorkerId is Mechanical Turk's, any other has
    one vote per line. Raises `InputError` with file and line.
    """
    of_mturk = [mturk_results.is_results(table) for table in tables]
    if all(of_mturk):
        return FileAnswers(*mturk_results.read_results(tables, columns, gold))
    if len(tables) > 1:
        raise InputError(
            "only Mechanical Turk's results can come in several files.",
            path=tables[of_mturk.index(False)].path,
            remedy="Import each file as a batch of its own.",
        )
    if gold:
        raise InputError(
            "--gold names answer columns of Mechanical Turk's results.",
            path=tables[0].path,
            remedy="Put the labels of gold questions in a column and say --columns gold=...",
        )
    answers, notes = plain.read_plain(tables[0], columns)
    return FileAnswers(answers, [], notes)


def votes_of(read: FileAnswers, *, categories: Sequence[str], labels: Mapping[str, str]) -> Votes:
    """The answers as votes; `InputError` for one that is neither mapped nor a category."""
    found = mapped(read.answers, labels=labels, categories=categories)
    found.set_aside = [*read.apart, *found.set_aside]
    found.notes = read.notes
    return found


def read_votes(
    paths: Sequence[str | Path],
    *,
    categories: Sequence[str],
    columns: Mapping[str, str],
    labels: Mapping[str, str],
    gold: Mapping[str, str],
) -> Votes:
    """The votes of one batch; see `read_answers` for the files, `mapped` for the labels."""
    read = read_answers(read_tables(paths), columns=columns, gold=gold)
    return votes_of(read, categories=categories, labels=labels)
