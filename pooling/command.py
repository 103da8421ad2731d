"""pool: the most biased queries of several runs, into a file, without the site.

`manage.py pool build` takes the same options and stores the pool.
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option
from metrics.cli.run_arguments import add_run_arguments, chosen_queries, named_paths
from metrics.cli.score_arguments import add_scores_options, needed_scores
from metrics.errors import InputError
from metrics.io.file_kinds import text_kind
from metrics.io.outputs import add_output_option, output_file
from metrics.vocabulary import MAGNITUDE_NAMES
from pooling.vocabulary import CUTOFF, MAGNITUDE, RANK_CUTOFF

if TYPE_CHECKING:
    from pooling.building import BuiltPool

_POOL = text_kind("a pool", "qid,query,n_lists,best_rank,lists\n")


class Pool(Command):
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
        add_run_arguments(parser, queries_required=True, category="all")
        parser.add_argument(
            "--magnitude",
            choices=MAGNITUDE_NAMES,
            default=MAGNITUDE,
            help="The magnitude of RaB (default: %(default)s).",
        )
        add_groups_option(parser)
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

        paths = named_paths(options["runs"])
        queries = chosen_queries(options)
        if queries is None:
            raise InputError("a pool needs its queries.", remedy="Give --queries FILE.")
        scores = needed_scores(self, options)
        with self.progress(options, "reading runs", len(paths), "run") as progress:
            built = build_pool(
                paths,
                scores,
                queries,
                groups=named_groups(options["groups"]),
                cutoff=options["cutoff"],
                magnitude=options["magnitude"],
                rank_cutoff=options["rank_cutoff"],
                order=options["order"],
                missing=options["missing"],
                on_run=progress,
            )
        for notice in (*built.notices, *built.remarks):
            self.note(str(notice))
        return built


def add_groups_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--groups",
        default="",
        metavar="A,B",
        help="Groups of the word list that have a list each (default: f and m, or all).",
    )


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
