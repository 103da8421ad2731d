"""import_votes: votes of an older study as a batch."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.labels.operations.votes_import import ImportReport, votes_import
from annotation.management import mappings
from annotation.management.arguments import add_study_option, study_of
from annotation.vocabulary import NoVoteReason, WorkerKind
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Import votes as a batch, all or nothing: a CSV with one vote per line, or the results "
        "of a Mechanical Turk batch. What is no vote is kept and reported with its reason."
    )
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
            help="Category (n, f, m, o) of each label of the file; LABEL= leaves it out "
            "(default: the labels are the codes).",
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
        report = votes_import(
            paths=options["files"],
            name=options["name"],
            columns=mappings.merged(options["columns"]),
            labels=mappings.merged(options["labels"]),
            gold=mappings.merged(options["gold"]),
            queries=options["queries"],
            voters=options["voters"],
            study=study_of(options),
        )
        if options["as_json"]:
            self.print_json(report.as_dict())
        else:
            self.stdout.write("\n".join(_lines(report)))


def _lines(report: ImportReport) -> list[str]:
    what = (
        f"{report.name}: {report.n_votes:,} votes of {report.n_workers:,} workers on "
        f"{report.n_queries:,} queries."
    )
    lines = [what]
    if report.n_gold:
        lines.append(f"{report.n_gold_votes:,} votes on {report.n_gold:,} gold questions.")
    for reason, count in report.set_aside.items():
        words = NoVoteReason(reason).label
        lines.append(f"Set aside: {count:,} - {words} (first: {report.first_set_aside[reason]}).")
    return lines + report.notes
