"""Vote files of either layout to votes."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from annotation.labels.vote_files import mturk_results, plain
from annotation.labels.vote_files.answers import Votes, mapped
from annotation.labels.vote_files.table import read_table
from metrics.errors import InputError


def read_votes(
    paths: Sequence[str | Path],
    *,
    categories: Sequence[str],
    columns: Mapping[str, str],
    labels: Mapping[str, str],
    gold: Mapping[str, str],
) -> Votes:
    """The votes of one batch. Several files are Mechanical Turk results of it, oldest first.

    A file with the columns HITId, AssignmentId and WorkerId is Mechanical Turk's, any other a
    table with one vote per line. Raises `InputError` with file and line.
    """
    tables = [read_table(path, may_end_early=mturk_results.MAY_END_EARLY) for path in paths]
    of_mturk = [mturk_results.is_results(table) for table in tables]
    if all(of_mturk):
        answers, apart, notes = mturk_results.read_results(tables, columns, gold)
    elif len(tables) > 1:
        raise InputError(
            "only Mechanical Turk's results can come in several files.",
            path=paths[of_mturk.index(False)],
            remedy="Import each file as a batch of its own.",
        )
    elif gold:
        raise InputError(
            "--gold names answer columns of Mechanical Turk's results.",
            path=paths[0],
            remedy="Put the labels of gold questions in a column and say --columns gold=...",
        )
    else:
        answers, notes = plain.read_plain(tables[0], columns)
        apart = []
    found = mapped(answers, labels=labels, categories=categories)
    found.set_aside = [*apart, *found.set_aside]
    found.notes = notes
    return found
