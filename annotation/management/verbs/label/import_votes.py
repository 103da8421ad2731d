"""Votes of an older study as a batch."""

import shlex
import sys
from argparse import ArgumentTypeError
from itertools import chain
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.core.operations import Actor
from annotation.core.options import ParametersCommand
from annotation.core.origin import actor
from annotation.core.parameters import read_parameters
from annotation.core.perform import perform_here
from annotation.labels.export.file_formats import describe
from annotation.labels.operations.votes_import import (
    IMPORT_VOTES,
    OWN_QUESTION,
    votes_read_as,
)
from annotation.management.arguments import (
    add_scheme_option,
    add_study_option,
    scheme_given,
    study_of,
)
from annotation.vocabulary import Category, WorkerKind
from metrics.errors import InputError
from metrics.votes.files.mapping import as_options, read_mapping, read_names
from metrics.votes.files.reader import IMPORT_FORMATS
from metrics.votes.files.readings import ManyReadingsError


class VoteFilesCommand(ParametersCommand):
    """Base of commands that read files of votes."""

    def add_file_arguments(self, parser: CommandParser) -> None:
        """Add what says how the files are read."""
        parser.add_argument(
            "files",
            nargs="+",
            type=Path,
            metavar="FILE",
            help="Plain, packed (gzip, bzip2, xz, zstd), or a zip of several. Several files are "
            "one batch: one file per person, or Mechanical Turk's results, oldest first "
            "(what a later one has again supersedes).",
        )
        parser.add_argument(
            "--format",
            dest="layout",
            default="",
            choices=list(IMPORT_FORMATS),
            help=f"{describe(IMPORT_FORMATS)} (default: what the files hold).",
        )
        parser.add_argument(
            "--columns",
            action="append",
            type=_columns,
            metavar="WHAT=COLUMN,...",
            help="Where things are. One vote per line: query_id, worker, label, query (text), "
            "gold, seconds, answered_at, and docno and passage of pairs (default: those that the "
            "program writes, else columns of these names). Mechanical Turk: label, query, "
            "query_id, gold, docno, passage, each a column or a "
            "pattern with one * for several queries per row (default: each "
            "Answer.X beside an Input.X).",
        )
        parser.add_argument(
            "--labels",
            action="append",
            type=_labels,
            metavar="LABEL=CODE,...",
            help=f"Category ({', '.join(Category)}) of each label of the file; LABEL= leaves it "
            "out (default: the labels are the codes).",
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
            type=read_names,
            metavar="COLUMN,...",
            help="The columns with one person's answers each; all others are not (default: those "
            "whose names tell; where none does, those with answers).",
        )
        parser.add_argument(
            "--ignore",
            action="append",
            type=read_names,
            metavar="COLUMN,...",
            help="Columns that are no person, in a table with one column per person.",
        )
        parser.add_argument(
            "--preview",
            action="store_true",
            help="Say what is read as what, and store nothing.",
        )
        parser.add_argument(
            "--voters",
            choices=WorkerKind.values,
            default=WorkerKind.HUMAN,
            help="Who voted; marked wherever the votes show (default: %(default)s).",
        )

    def file_values(self, kind: type[Any], options: dict[str, Any]) -> dict[str, Any]:
        """The parameters of an operation on these files."""
        for name in ("columns", "labels", "gold"):
            options[name] = _merged(options[name])
        for name in ("people", "ignore"):
            options[name] = list(chain.from_iterable(options[name] or []))
        return self.sent(kind, options)

    def says_how(self, options: dict[str, Any], kind: type[Any], values: dict[str, Any]) -> bool:
        """Print how the files are read, unless asked not to; True where that was all."""
        if options["preview"] or not (options["quiet"] or options["as_json"]):
            try:
                self.stdout.write("\n".join(votes_read_as(read_parameters(kind, values))))
            except ManyReadingsError as error:
                raise _with_commands(error) from None
        return bool(options["preview"])


class Command(VoteFilesCommand):
    help = IMPORT_VOTES.about
    example = (
        "label import-votes export.json --name labels --labels Female=f,Male=m,Neutral=n\n"
        "  python manage.py "
        "label import-votes votes.csv --name politics --question 'Is it political?'\n"
        "  python manage.py "
        "label import-votes votes.csv --name dogs --columns query_id=task --labels 0=n,1=f\n"
        "  python manage.py label import-votes Batch_350_results.csv --name adjectives \\\n"
        "    --columns 'label=Answer.adj_*,query=Input.adj_*' --labels Yes=f,No=n,Naa=o \\\n"
        "    --gold 'Answer.pos_qual_ctrl_*=Yes,Answer.neg_qual_ctrl=No'"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_file_arguments(parser)
        parser.add_argument("--name", required=True, metavar="BATCH", help="Name of the new batch.")
        add_study_option(parser)
        parser.add_argument(
            "--queries",
            type=Path,
            metavar="FILE",
            help="The queries of the batch with their texts; a vote for another is an error "
            "(default: the queries that have votes).",
        )
        add_scheme_option(
            parser,
            "What was asked, if not for the gender: a built-in scheme, or a YAML file of one, "
            "with one question. Its codes and labels are what the files say.",
        )
        parser.add_argument("--question", default="", metavar="TEXT", help=OWN_QUESTION)

    def handle(self, **options: Any) -> None:
        if options["scheme"]:
            options["scheme"] = scheme_given(options["scheme"])
        values = self.file_values(IMPORT_VOTES.parameters, options)
        with self.usage_errors():
            if self.says_how(options, IMPORT_VOTES.parameters, values):
                return
            done = perform_here(IMPORT_VOTES, study_of(options), values, Actor(actor()))
        self.print_result(options, done.values, f"{options['name']}: " + "\n".join(done.made.lines))


def _with_commands(error: ManyReadingsError) -> InputError:
    """The error with the whole command of each reading, where one was typed."""
    if Path(sys.argv[0]).name != "manage.py":
        return error
    typed = shlex.join(["python", *sys.argv])
    ways = [f"  {typed} {as_options(way)}  # {way.words}" for way in error.remedies]
    remedy = "\n".join(["Type which it is:", *ways])
    return InputError(error.message, path=error.path, line=error.line, remedy=remedy)


def _columns(text: str) -> dict[str, str]:
    """Parse `query_id=task,label=answer`: roles and columns."""
    return _mapping(text, last=False)


def _labels(text: str) -> dict[str, str]:
    """Parse `Yes=f,No=n,Unsure=`: answers and categories (nothing: left out)."""
    return _mapping(text, last=True)


def _mapping(text: str, *, last: bool) -> dict[str, str]:
    try:
        return read_mapping(text, last=last)
    except InputError as error:
        raise ArgumentTypeError(str(error)) from None


def _merged(mappings: list[dict[str, str]] | None) -> dict[str, str]:
    """One mapping of an option that may be given several times."""
    return {name: value for mapping in mappings or [] for name, value in mapping.items()}
