"""compare_runs: how much the rankings of runs agree."""

from collections.abc import Callable, Sequence
from typing import Any

from django.core.management.base import CommandParser

from metrics.errors import InputError
from metrics.files import write_text
from metrics.management.command import FairpoolCommand
from metrics.management.run_arguments import (
    add_order_option,
    add_run_option,
    named_paths,
)
from metrics.overlap import COLUMNS, PER_QUERY_COLUMNS, all_overlaps
from metrics.queries import CATEGORIES, read_queries
from metrics.runs import read_run
from metrics.tables import Row, to_csv, to_json, to_latex, to_markdown

_PAIR = 2
_Writer = Callable[[Sequence[Row], Sequence[str]], str]
_FORMATS: dict[str, _Writer] = {"csv": to_csv, "md": to_markdown, "latex": to_latex}


class Command(FairpoolCommand):
    help = (
        "Compare the rankings of runs, every pair of them, by rank-biased overlap (RBO), averaged "
        "over the queries that both have. Between the runs of one ranker over a collection and its "
        "counterfactual this is CRBO."
    )
    example = "compare_runs --run A=bm25.run --run B=bm25.counterfactual.run --p 0.9 --depth 10"

    def add_arguments(self, parser: CommandParser) -> None:
        add_run_option(parser, help="A TREC run and its name; at least two.")
        parser.add_argument(
            "--measure", choices=("RBO",), default="RBO", help="What to compute (default: RBO)."
        )
        parser.add_argument(
            "--p",
            type=float,
            default=0.9,
            help="Probability of looking one rank further, 0 to 1 (default: %(default)s).",
        )
        parser.add_argument(
            "--depth", type=int, default=10, help="Ranks to compare (default: %(default)s)."
        )
        parser.add_argument("--queries", metavar="FILE", help="Compare these queries only.")
        parser.add_argument(
            "--category",
            choices=(*CATEGORIES, "all"),
            default="n",
            help="Which queries of a file qid,text,label to keep (default: %(default)s).",
        )
        add_order_option(parser)
        parser.add_argument(
            "--output", metavar="OUT", help="The file to write (default: standard output)."
        )
        parser.add_argument(
            "--format",
            choices=("csv", "json", "md", "latex"),
            default="csv",
            help="How to write the table (default: %(default)s).",
        )
        parser.add_argument(
            "--per-query", metavar="OUT.csv", help="Also write the value of every query."
        )

    def handle(self, **options: Any) -> None:
        paths = named_paths(options["runs"])
        if len(paths) < _PAIR:
            raise InputError("there is nothing to compare.", remedy="Give --run at least twice.")
        keep = (
            set(read_queries(options["queries"], options["category"]).ids)
            if options["queries"]
            else None
        )
        depth = options["depth"]
        runs = [read_run(path, name, options["order"], keep, depth) for name, path in paths.items()]
        overlaps = all_overlaps(runs, p=options["p"], depth=depth)
        rows = [overlap.row() for overlap in overlaps]
        if options["per_query"]:
            per_query = [row for overlap in overlaps for row in overlap.per_query()]
            write_text(options["per_query"], to_csv(per_query, PER_QUERY_COLUMNS))
        for notice in (notice for run in runs for notice in run.notices):
            self.note(str(notice))
        self._write(rows, options)

    def _write(self, rows: list[dict[str, object]], options: dict[str, Any]) -> None:
        if options["format"] == "json":
            text = to_json({"rows": rows})
        else:
            text = _FORMATS[options["format"]](rows, COLUMNS)
        if options["output"]:
            write_text(options["output"], text)
        if options["as_json"]:
            self.print_json({"rows": rows})
        elif not options["output"]:
            self.stdout.write(text, ending="")
