"""compare: how much the rankings of runs agree."""

from argparse import ArgumentParser
from typing import Any

from ..errors import InputError
from ..io.file_kinds import table_kind
from ..io.outputs import add_file_option
from ..vocabulary import CATEGORIES, RBO_FORMS
from .command import Command
from .numbers import add_count_option, number
from .run_arguments import add_order_option, add_run_option, named_paths
from .table_output import add_output_options, write_table, write_values

_PAIR = 2
_TABLE = table_kind("a table of compared runs", ("run_a", "run_b", "measure"))
_PER_QUERY = table_kind("a table of values per query", ("run_a", "run_b", "qid"))


class Compare(Command):
    help = (
        "Compare the rankings of runs, every pair of them, by rank-biased overlap (RBO), averaged "
        "over the queries that both have. Between the runs of one ranker over a collection and its "
        "counterfactual this is CRBO."
    )
    example = "compare --run A=bm25.run --run B=bm25.counterfactual.run --p 0.9 --depth 10"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_run_option(parser, help="A TREC run and its name; at least two.")
        parser.add_argument(
            "-m", "--measure", choices=("RBO",), default="RBO", help="The measure (default: RBO)."
        )
        parser.add_argument(
            "--p",
            type=number(0, 1, ends=False),
            default=0.9,
            help="Probability of looking one rank further, 0 to 1 (default: %(default)s).",
        )
        add_count_option(parser, "--depth", 10, "Ranks to compare (default: %(default)s).")
        parser.add_argument(
            "--form",
            choices=RBO_FORMS,
            default="extrapolated",
            help="extrapolated (RBO_ext, as CRBO is published): beyond these ranks the rankings "
            "are taken to agree as before; truncated: these ranks alone (default: %(default)s).",
        )
        add_file_option(parser, "--queries", "Compare these queries only.")
        parser.add_argument(
            "--category",
            choices=(*CATEGORIES, "all"),
            default="n",
            help="Which queries of a file qid,text,label to keep (default: %(default)s).",
        )
        add_order_option(parser)
        add_output_options(parser, _TABLE, _PER_QUERY)

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..results.overlap import COLUMNS, PER_QUERY_COLUMNS, all_overlaps
        from ..runs import read_run
        from ..runs.queries import read_queries

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
        overlaps = all_overlaps(runs, p=options["p"], depth=depth, form=options["form"])
        rows = [overlap.row() for overlap in overlaps]
        if options["per_query"]:
            per_query = [row for overlap in overlaps for row in overlap.per_query()]
            write_values(options["per_query"], per_query, PER_QUERY_COLUMNS)
        for notice in (notice for run in runs for notice in run.notices):
            self.note(str(notice))
        write_table(self, rows, COLUMNS, options)
