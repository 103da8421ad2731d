"""pool-pairs: pairs of query and passage from several runs, into a file, without the site.

`manage.py study pool-pairs` stores such a pool from the files of a study.
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option
from metrics.cli.run_arguments import add_order_option, add_run_option, chosen_queries, named_paths
from metrics.errors import InputError
from metrics.io.file_kinds import text_kind
from metrics.io.outputs import InputFile, add_file_option, add_output_option, output_file
from metrics.vocabulary import CATEGORIES, FORMATS
from pooling.vocabulary import MOST_PASSAGES, PASSAGES

if TYPE_CHECKING:
    from pooling.pairs import BuiltPairs

_PAIRS = text_kind("a pool of pairs", "qid,docno,query,passage,n_runs,best_rank,places\n")


class PoolPairs(Command):
    help = (
        "Pool the first passages of each run for each query, as pairs of query and passage to "
        "be judged. Without --output, it prints only the size of the pool."
    )
    example = (
        "pool-pairs --collection collection.tsv --queries queries.tsv --run BM25=bm25.run "
        "--run BERT=bert.run --cutoff 10 --output pairs.csv"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "-c",
            "--collection",
            required=True,
            action="append",
            type=InputFile,
            metavar="FILE",
            help="The collection of the runs; once for each of its files.",
        )
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="auto",
            help="The lines of the collection (default: %(default)s).",
        )
        add_file_option(
            parser, "--queries", "The queries: qid<TAB>text, or qid,text,label.", required=True
        )
        parser.add_argument(
            "--category",
            choices=(*CATEGORIES, "all"),
            default="all",
            help="Which queries of a file qid,text,label to take (default: %(default)s).",
        )
        add_run_option(parser)
        help_text = (
            f"Passages taken from each run for each query, at most {MOST_PASSAGES:,} "
            "(default: %(default)s)."
        )
        add_count_option(parser, "--cutoff", PASSAGES, help_text, metavar="K")
        parser.add_argument(
            "--missing",
            choices=("error", "skip"),
            default="error",
            help="A passage without text in the collection: stop, or leave it out "
            "(default: %(default)s).",
        )
        add_order_option(parser)
        add_output_option(
            parser,
            output_file(_PAIRS),
            "PAIRS.csv",
            "The file to write: qid,docno,query,passage,n_runs,best_rank,places.",
            required=False,
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        from metrics.io.files import write_text

        built = self._build(options)
        for notice in (*built.notices, *built.remarks):
            self.note(str(notice))
        if options["output"]:
            write_text(options["output"], built.to_csv())
        self.print_result(options, built.summary, _pair_lines(built.summary))

    def _build(self, options: dict[str, Any]) -> "BuiltPairs":
        from .pairs import build_pairs

        queries = chosen_queries(options)
        if queries is None:
            raise InputError("a pool needs its queries.", remedy="Give --queries FILE.")
        files = [Path(path) for path in options["collection"]]
        # Standard input has no size to show progress against.
        size = sum(path.stat().st_size for path in files) if all(map(Path.is_file, files)) else None
        with self.progress(options, "reading the collection", size, "B") as progress:
            return build_pairs(
                named_paths(options["runs"]),
                files,
                queries,
                cutoff=options["cutoff"],
                order=options["order"],
                missing=options["missing"],
                format=options["format"],
                on_read=progress,
            )


def _pair_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """The summary of a pool of pairs as lines of text."""
    from .pairs import remarks_on_pairs

    n_queries = summary["n_queries"] - summary["n_queries_missing"]
    yield (
        f"{summary['n_pooled']:,} pairs of {n_queries:,} queries and {summary['n_passages']:,} "
        f"passages, the first {summary['cutoff']:,} of {summary['n_runs']} runs. The passages of "
        f"all pairs have {summary['n_words']:,} words."
    )
    yield from (f"Warning: {remark}" for remark in remarks_on_pairs(summary))
    for run, count in summary["unique_to_run"].items():
        yield f"  only in {run}: {count:,}"
