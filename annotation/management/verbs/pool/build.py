"""The most biased queries of several runs, pooled for annotation."""

from dataclasses import fields
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from annotation.core.base_command import FairpoolCommand
from annotation.core.commands import actor
from annotation.core.operations import Actor
from annotation.management.arguments import add_study_option, study_of
from annotation.studies.operations.create import study_for
from annotation.studies.operations.pool import PoolTerms, pool_keep
from metrics.cli.numbers import add_count_option
from metrics.cli.run_arguments import add_run_arguments, chosen_queries, named_paths
from metrics.cli.score_arguments import add_scores_options, needed_scores
from metrics.errors import InputError
from metrics.io.file_kinds import text_kind
from metrics.io.files import write_text
from metrics.io.outputs import add_output_option, output_file
from metrics.texts.magnitude import MAGNITUDES
from pooling.building import BuiltPool, build_pool
from pooling.command import add_groups_option, named_groups, pool_lines
from pooling.queries import pool_name_is_free

_POOL = text_kind("a pool", "qid,query,n_lists,best_rank,lists\n")


class Command(FairpoolCommand):
    help = (
        "Pool the first queries of two lists per run: most female first, and most male first. "
        "The lists are sorted by RaB. Word lists of other groups have a list for each group."
    )
    example = (
        "pool build --name dev --scores magnitudes.parquet --queries queries.tsv "
        "--run BM25=bm25.run --run BERT=bert.run --cutoff 500 --output pool.csv"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, metavar="POOL", help="Name of the new pool.")
        add_study_option(parser)
        add_scores_options(parser)
        add_run_arguments(parser, queries_required=True, category="all")
        parser.add_argument(
            "--magnitude",
            choices=tuple(MAGNITUDES),
            default="tf",
            help="The magnitude of RaB (default: %(default)s).",
        )
        add_groups_option(parser)
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
            study = study_for(study_of(options), name=name, actor=Actor(actor()))
            terms = PoolTerms(**{field.name: options[field.name] for field in fields(PoolTerms)})
            pool_keep(study=study, name=name, built=built, terms=terms, actor=actor())
            if options["output"]:
                write_text(options["output"], built.to_csv())
        self.print_result(options, built.summary, [f"Pool {name}:", *pool_lines(built.summary)])

    def _build(self, options: dict[str, Any]) -> BuiltPool:
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
        for notice in built.notices:
            self.note(str(notice))
        return built
