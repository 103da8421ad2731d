"""build_pool: the most biased queries of several runs, pooled for annotation."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from metrics.cli.numbers import add_count_option
from metrics.cli.run_arguments import add_run_arguments, chosen_queries, named_paths
from metrics.errors import InputError
from metrics.io.file_kinds import text_kind
from metrics.io.files import write_text
from metrics.io.outputs import add_output_option, output_file
from metrics.management.command import FairpoolCommand
from metrics.texts.magnitude import MAGNITUDES
from metrics.texts.magnitude_store import open_magnitudes
from pooling.building import BuiltPool, build_pool
from pooling.selectors import pool_name_is_free
from pooling.services import pool_build

_POOL = text_kind("a pool", "qid,query,n_lists,best_rank,lists\n")


class Command(FairpoolCommand):
    help = (
        "Pool the first queries of two lists per run: most female first, and most male first. "
        "The lists are sorted by RaB."
    )
    example = (
        "build_pool --name dev --magnitudes magnitudes.parquet --queries queries.tsv "
        "--run BM25=bm25.run --run BERT=bert.run --cutoff 500 --output pool.csv"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, metavar="POOL", help="Name of the new pool.")
        add_run_arguments(parser, queries_required=True, category="all")
        parser.add_argument(
            "--magnitude",
            choices=tuple(MAGNITUDES),
            default="tf",
            help="The magnitude of RaB (default: %(default)s).",
        )
        help_text = "Documents per query that RaB looks at (default: %(default)s)."
        add_count_option(parser, "--rank-cutoff", 10, help_text, metavar="T")
        help_text = "Queries taken from the top of each list (default: %(default)s)."
        add_count_option(parser, "--cutoff", 500, help_text, metavar="N")
        help_text = "Also write the pool: qid,query,n_lists,best_rank,lists."
        add_output_option(parser, output_file(_POOL), "POOL.csv", help_text, required=False)

    def handle(self, *_args: Any, **options: Any) -> None:
        name = options["name"]
        if not pool_name_is_free(name):
            raise InputError(f"a pool named {name!r} exists.", remedy="Choose another name.")
        built = self._build(options)
        # The file is written inside, so that a full disk leaves no pool behind either.
        with transaction.atomic():
            pool_build(
                name=name,
                pool=built.pool,
                texts=built.texts,
                magnitude=options["magnitude"],
                rank_cutoff=options["rank_cutoff"],
                inputs=built.inputs,
                summary=built.summary,
            )
            if options["output"]:
                write_text(options["output"], built.to_csv())
        self.print_result(options, built.summary, _lines(built.summary, name))

    def _build(self, options: dict[str, Any]) -> BuiltPool:
        paths = named_paths(options["runs"])
        queries = chosen_queries(options)
        if queries is None:
            raise InputError("a pool needs its queries.", remedy="Give --queries FILE.")
        with self.progress(options, "reading runs", len(paths), "run") as progress:
            built = build_pool(
                paths,
                open_magnitudes(options["magnitudes"]),
                queries,
                cutoff=options["cutoff"],
                magnitude=options["magnitude"],
                rank_cutoff=options["rank_cutoff"],
                order=options["order"],
                missing=options["missing"],
                on_run=progress,
            )
        for notice in built.notices:
            self.note(str(notice))
        return built


def _lines(summary: Mapping[str, Any], name: str) -> Iterator[str]:
    yield (
        f"Pool {name}: {summary['n_pooled']:,} of {summary['n_queries']:,} queries, the first "
        f"{summary['cutoff']:,} of {summary['n_lists']} lists of {summary['n_runs']} runs. "
        f"{summary['n_zero_bias']:,} list entries have a bias of zero."
    )
    for run, count in summary["unique_to_run"].items():
        yield f"  only in the lists of {run}: {count:,}"
