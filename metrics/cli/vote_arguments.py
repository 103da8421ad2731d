"""Options about files of votes, the same wherever such files are read."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

from ..errors import InputError


def add_vote_file_options(
    parser: ArgumentParser,
    file_type: Callable[[str], Any],
    formats: Mapping[str, Any],
    *,
    several: str,
    labels: str,
) -> None:
    """The files, and what says how they are read.

    `several` says how files may come and what several are, and `labels` is the help of `--labels`.
    What is given several times is joined by `merged` and `listed`.
    """
    parser.add_argument(
        "files",
        nargs="+",
        type=file_type,
        metavar="FILE",
        help=f"{several}: one file per person, or Mechanical Turk's results, oldest first (later "
        "answers replace earlier ones).",
    )
    described = "; ".join(f"{name}: {layout.summary}" for name, layout in formats.items())
    parser.add_argument(
        "--format",
        dest="layout",
        default="",
        choices=list(formats),
        help=f"{described}. (default: what the files hold).",
    )
    parser.add_argument(
        "--columns",
        action="append",
        type=_columns,
        metavar="WHAT=COLUMN,...",
        help="Which column holds what. One vote per line: query_id, worker, label, query "
        "(text), gold, seconds, answered_at, and docno and passage of pairs (default: those "
        "that the program writes, else columns of these names). Mechanical Turk: label, query, "
        "query_id, gold, docno, passage, each a column or a pattern with one * for several "
        "queries per row (default: each Answer.X beside an Input.X).",
    )
    parser.add_argument(
        "--labels", action="append", type=_labels, metavar="LABEL=CODE,...", help=labels
    )
    parser.add_argument(
        "--gold",
        action="append",
        type=_columns,
        metavar="ANSWER=EXPECTED,...",
        help="Mechanical Turk: answer columns (also with a *) that check the worker, and the "
        "expected answer or the column that has it (default: none).",
    )
    parser.add_argument(
        "--people",
        action="append",
        type=_names,
        metavar="COLUMN,...",
        help="The columns that each hold one person's answers; other columns are not people "
        "(default: as the names suggest; if no name does, the columns with answers).",
    )
    parser.add_argument(
        "--ignore",
        action="append",
        type=_names,
        metavar="COLUMN,...",
        help="Columns that are not a person, in a table with one column per person.",
    )


def merged(mappings: Iterable[Mapping[str, str]] | None) -> dict[str, str]:
    """One mapping of an option that may be given several times."""
    return {name: value for mapping in mappings or [] for name, value in mapping.items()}


def listed(names: Iterable[Iterable[str]] | None) -> list[str]:
    """One list of an option that may be given several times."""
    return list(chain.from_iterable(names or []))


def _columns(text: str) -> dict[str, str]:
    """Parse `query_id=task,label=answer`: roles and columns."""
    return _mapping(text, last=False)


def _labels(text: str) -> dict[str, str]:
    """Parse `Yes=f,No=n,Unsure=`: answers and categories (nothing: left out)."""
    return _mapping(text, last=True)


def _names(text: str) -> tuple[str, ...]:
    from ..votes.files.mapping import read_names

    return read_names(text)


def _mapping(text: str, *, last: bool) -> dict[str, str]:
    from ..votes.files.mapping import read_mapping

    try:
        return read_mapping(text, last=last)
    except InputError as error:
        raise ArgumentTypeError(str(error)) from None
