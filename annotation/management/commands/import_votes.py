"""import_votes: votes of an older study as a batch."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.core.commands import actor
from annotation.core.operations import Actor
from annotation.core.options import ParametersCommand
from annotation.core.perform import perform_here
from annotation.labels.operations.votes_import import IMPORT_VOTES
from annotation.management import mappings
from annotation.management.arguments import add_study_option, study_of
from annotation.vocabulary import Category, WorkerKind


class Command(ParametersCommand):
    help = IMPORT_VOTES.about
    example = (
        "import_votes votes.csv --name dogs --columns query_id=task --labels 0=n,1=f,2=m,3=o\n"
        "  python manage.py import_votes Batch_350_results.csv --name adjectives \\\n"
        "    --columns 'label=Answer.adj_*,query=Input.adj_*' --labels Yes=f,No=n,Naa=o \\\n"
        "    --gold 'Answer.pos_qual_ctrl_*=Yes,Answer.neg_qual_ctrl=No'"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            type=Path,
            metavar="FILE",
            help="CSV with a header (plain, .gz, .zst). Several files are Mechanical Turk results "
            "of one batch, oldest first: what a later one has again supersedes the earlier.",
        )
        parser.add_argument("--name", required=True, metavar="B", help="Name of the new batch.")
        add_study_option(parser)
        parser.add_argument(
            "--columns",
            action="append",
            type=mappings.columns,
            metavar="WHAT=COLUMN,...",
            help="Where things are. One vote per line: query_id, worker, label, query (text), "
            "gold, seconds (default: columns of these names). Mechanical Turk: label, query, "
            "query_id, gold, each a column or a pattern with one * for several queries per row "
            "(default: every Answer.X beside an Input.X).",
        )
        parser.add_argument(
            "--labels",
            action="append",
            type=mappings.labels,
            metavar="LABEL=CODE,...",
            help=f"Category ({', '.join(Category)}) of each label of the file; LABEL= leaves it "
            "out (default: the labels are the codes).",
        )
        parser.add_argument(
            "--gold",
            action="append",
            type=mappings.columns,
            metavar="ANSWER=EXPECTED,...",
            help="Mechanical Turk: answer columns (also with a *) that check the worker, and the "
            "expected answer or the column that has it (default: none).",
        )
        parser.add_argument(
            "--queries",
            type=Path,
            metavar="FILE",
            help="The queries of the batch with their texts; a vote for another is an error "
            "(default: the queries that have votes).",
        )
        parser.add_argument(
            "--voters",
            choices=WorkerKind.values,
            default=WorkerKind.HUMAN,
            help="Who voted; marked wherever the votes show (default: %(default)s).",
        )

    def handle(self, **options: Any) -> None:
        for name in ("columns", "labels", "gold"):
            options[name] = mappings.merged(options[name])
        sent = self.sent(IMPORT_VOTES.parameters, options)
        with self.usage_errors():
            done = perform_here(IMPORT_VOTES, study_of(options), sent, Actor(actor()))
        self.print_result(options, done.values, f"{options['name']}: " + "\n".join(done.made.lines))
