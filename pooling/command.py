"""pool and pool-pairs: what several runs bring, into a file, without the site.

`manage.py pool build` takes the options of `pool`, and `study pool-pairs` the files of a study;
both store the pool.
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option
from metrics.cli.run_arguments import (
    add_missing_option,
    add_order_option,
    add_queries_options,
    add_run_option,
    named_paths,
)
from metrics.cli.score_arguments import add_scores_options, needed_scores
from metrics.io.file_kinds import text_kind
from metrics.io.outputs import InputFile, add_output_option, output_file
from metrics.vocabulary import FORMATS, MAGNITUDE_NAMES
from pooling.vocabulary import CUTOFF, MAGNITUDE, MOST_PASSAGES, PASSAGES, RANK_CUTOFF

if TYPE_CHECKING:
    from .building import BuiltPool
    from .pairs import BuiltPairs

_POOL = text_kind("a pool", "qid,query,n_lists,best_rank,lists\n")
_PAIRS = text_kind("a pool of pairs", "qid,docno,query,passage,n_runs,best_rank,places\n")


class _OfRuns(Command):
    """Options, arguments and remarks that the commands on pools of runs share."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options of runs and queries, which `runs_and_queries` reads."""
        add_run_option(parser)
        add_queries_options(
            parser,
            "The queries: qid<TAB>text, or qid,text,label.",
            "Which queries of a file qid,text,label to take (default: %(default)s).",
            category="all",
            required=True,
        )
        add_order_option(parser)

    def runs_and_queries(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that the builders of both kinds of pools take."""
        from metrics.runs.queries import read_queries

        return {
            "paths": named_paths(options["runs"]),
            "queries": read_queries(options["queries"], options["category"]),
            **{name: options[name] for name in ("cutoff", "order", "missing")},
        }

    def note_remarks(self, built: "BuiltPool | BuiltPairs") -> None:
        for notice in (*built.notices, *built.remarks):
            self.note(str(notice))


class Pool(_OfRuns):
    help = (
        "Pool the first queries of two lists per run: most female first, and most male first. "
        "The lists are sorted by RaB. With other groups of words, each group has a list."
    )
    example = (
        "pool --collection collection.tsv --queries queries.tsv --run BM25=bm25.run "
        "--run BERT=bert.run --cutoff 500 --output pool.csv"
    )
    output_help = "The file to write: qid,query,n_lists,best_rank,lists."
    output_required = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_scores_options(parser)
        super().add_arguments(parser)
        add_missing_option(parser)
        parser.add_argument(
            "--magnitude",
            choices=MAGNITUDE_NAMES,
            default=MAGNITUDE,
            help="The magnitude of RaB (default: %(default)s).",
        )
        parser.add_argument(
            "--groups",
            default="",
            metavar="A,B",
            help="Groups of the word list that have a list each (default: f and m, or all).",
        )
        help_text = "Documents per query that RaB looks at (default: %(default)s)."
        add_count_option(parser, "--rank-cutoff", RANK_CUTOFF, help_text, metavar="T")
        help_text = "Queries taken from the top of each list (default: %(default)s)."
        add_count_option(parser, "--cutoff", CUTOFF, help_text, metavar="N")
        add_output_option(
            parser,
            output_file(_POOL),
            "POOL.csv",
            self.output_help,
            required=self.output_required,
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        from metrics.io.files import write_text

        built = self.build(options)
        write_text(options["output"], built.to_csv())
        self.print_result(options, built.summary, pool_lines(built.summary))

    def build(self, options: dict[str, Any]) -> "BuiltPool":
        """Build the pool by these options, and note what is odd about its runs."""
        from .building import build_pool

        common = self.runs_and_queries(options)
        scores = needed_scores(self, options)
        with self.progress(options, "reading runs", len(common["paths"]), "run") as progress:
            built = build_pool(
                magnitudes=scores,
                groups=named_groups(options["groups"]),
                magnitude=options["magnitude"],
                rank_cutoff=options["rank_cutoff"],
                on_run=progress,
                **common,
            )
        self.note_remarks(built)
        return built


class PoolPairs(_OfRuns):
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
        super().add_arguments(parser)
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
        add_output_option(
            parser,
            output_file(_PAIRS),
            "PAIRS.csv",
            "The file to write: qid,docno,query,passage,n_runs,best_rank,places.",
            required=False,
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        from metrics.io.files import write_text

        from .pairs import build_pairs

        files = [Path(path) for path in options["collection"]]
        # Standard input has no size to show progress against.
        size = sum(path.stat().st_size for path in files) if all(map(Path.is_file, files)) else None
        with self.progress(options, "reading the collection", size, "B") as progress:
            built = build_pairs(
                collection=files,
                format=options["format"],
                on_read=progress,
                **self.runs_and_queries(options),
            )
        self.note_remarks(built)
        if options["output"]:
            write_text(options["output"], built.to_csv())
        self.print_result(options, built.summary, _pair_lines(built.summary))


def named_groups(text: str) -> list[str]:
    """The groups in a list with commas, each once."""
    return list(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))


def pool_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """The summary of a pool as lines of text."""
    from .pool import ties_in_words

    yield (
        f"{summary['n_pooled']:,} of {summary['n_queries']:,} queries pooled, the first "
        f"{summary['cutoff']:,} of {summary['n_lists']} lists of {summary['n_runs']} runs. "
        f"{summary['n_zero_bias']:,} list entries have a bias of zero."
    )
    if ties := ties_in_words(summary):
        yield f"Warning: {ties}"
    for run, count in summary["unique_to_run"].items():
        yield f"  only in the lists of {run}: {count:,}"


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
