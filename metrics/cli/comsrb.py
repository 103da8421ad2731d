"""comsrb: bias without word lists, from the lists of a query and its two variants."""

from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..io.file_kinds import table_kind
from ..io.outputs import InputFile
from ..vocabulary import MAIN_CUTOFF
from .command import Command
from .run_arguments import (
    add_cutoff_option,
    add_order_option,
    add_run_option,
    chosen_cutoffs,
    named_paths,
    words,
)
from .table_output import add_output_options, write_table, write_values

if TYPE_CHECKING:
    from ..results.variants import Variants
    from ..runs import Run

_TABLE = table_kind("a table of comsrb", ("run", "topic", "measure"))
_PER_QUERY = table_kind("a table of values per query", ("run", "qid", "topic"))
_VARIANTS = 3
_CUTOFFS = (MAIN_CUTOFF,)


class ComSRB(Command):
    help = (
        "Measure bias without word lists (ComSRB): whether the list of a neutral query is nearer "
        "to that of its stereotypical variant or to that of its counter-stereotypical one. "
        "Paired t-test and Cohen's d over all queries and for each topic."
    )
    example = "comsrb --run BM25=bm25.run --variants variants.csv --cutoff 10"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_run_option(parser)
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument(
            "--variants",
            type=InputFile,
            metavar="FILE",
            help="Which queries belong together: lines neutral,stereotypical,counter[,topic].",
        )
        which.add_argument(
            "--suffixes",
            metavar="N,P,CP",
            help="How the ids of a query's variants end, such as _N,_P,_CP: neutral, "
            "stereotypical, counter-stereotypical.",
        )
        add_cutoff_option(parser, _CUTOFFS)
        add_order_option(parser)
        add_output_options(parser, _TABLE, _PER_QUERY)

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..results.variants import COLUMNS, PER_QUERY_COLUMNS, compare_variants
        from ..runs import read_runs

        cutoffs = chosen_cutoffs(options, _CUTOFFS)
        runs = read_runs(named_paths(options["runs"]), options["order"], None, max(cutoffs))
        queries = _queries(runs, options)
        compared = [compare_variants(run, queries, cutoff) for run in runs for cutoff in cutoffs]
        if options["per_query"]:
            rows = [row for comparison in compared for row in comparison.per_query()]
            write_values(options["per_query"], rows, PER_QUERY_COLUMNS)
        for notice in (notice for run in runs for notice in run.notices):
            self.note(str(notice))
        table = [row for comparison in compared for row in comparison.rows()]
        write_table(self, table, COLUMNS, options)


def _queries(runs: "list[Run]", options: dict[str, Any]) -> "list[Variants]":
    from ..results.variants import read_variants, variants_by_suffix

    if options["variants"]:
        return read_variants(options["variants"])
    suffixes = words(options["suffixes"])
    if len(set(suffixes)) != _VARIANTS:
        raise InputError(f"--suffixes {options['suffixes']}: not three.", remedy="Write _N,_P,_CP.")
    variants = variants_by_suffix([qid for run in runs for qid in run.qids], suffixes)
    if not variants:
        raise InputError(f"--suffixes {options['suffixes']}: no query has all three variants.")
    return variants
