"""Votes of an older study as a batch."""

import shlex
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.core.operations import Actor
from annotation.core.options import ParametersCommand
from annotation.core.origin import actor
from annotation.core.parameters import read_parameters
from annotation.core.perform import perform_here
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
from metrics.cli.vote_arguments import add_vote_file_options, listed, merged
from metrics.errors import InputError
from metrics.votes.files.mapping import as_options
from metrics.votes.files.reader import IMPORT_FORMATS
from metrics.votes.files.readings import ManyReadingsError


class VoteFilesCommand(ParametersCommand):
    """Base of commands that read files of votes."""

    def add_file_arguments(self, parser: CommandParser) -> None:
        """Add what says how the files are read."""
        add_vote_file_options(
            parser,
            Path,
            IMPORT_FORMATS,
            several="Plain, packed (gzip, bzip2, xz, zstd), or a zip of several. Several files are "
            "one batch",
            labels=f"Category ({', '.join(Category)}) of each label of the file; LABEL= leaves it "
            "out (default: the labels are the codes).",
        )
        parser.add_argument(
            "--preview",
            action="store_true",
            help="Print how the files are read, and store nothing.",
        )
        parser.add_argument(
            "--voters",
            choices=WorkerKind.values,
            default=WorkerKind.HUMAN,
            help="Who voted; shown wherever the votes are shown (default: %(default)s).",
        )

    def file_values(self, kind: type[Any], options: dict[str, Any]) -> dict[str, Any]:
        """The parameters of an operation on these files."""
        for name in ("columns", "labels", "gold"):
            options[name] = merged(options[name])
        for name in ("people", "ignore"):
            options[name] = listed(options[name])
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
            "What was asked, if not the gender: a built-in scheme, or a YAML file of one, with "
            "one question. The files use its codes or labels.",
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
