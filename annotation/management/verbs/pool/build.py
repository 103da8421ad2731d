"""The most biased queries of several runs, pooled for annotation."""

from argparse import ArgumentParser
from dataclasses import fields
from typing import Any

from django.db import transaction

from annotation.core.base_command import FairpoolCommand
from annotation.core.operations import Actor
from annotation.core.origin import actor
from annotation.management.arguments import add_study_option, study_of
from annotation.studies.operations.create import study_for
from annotation.studies.operations.pool import PoolTerms, keep_pool
from metrics.errors import InputError
from metrics.io.files import write_text
from pooling.command import Pool, pool_lines
from pooling.queries import pool_name_is_free


class Command(Pool, FairpoolCommand):
    example = (
        "pool build --name dev --scores magnitudes.parquet --queries queries.tsv "
        "--run BM25=bm25.run --run BERT=bert.run --cutoff 500 --output pool.csv"
    )
    output_help = "Also write the pool: qid,query,n_lists,best_rank,lists."
    output_required = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", required=True, metavar="POOL", help="Name of the new pool.")
        add_study_option(parser)
        super().add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        name = options["name"]
        if not pool_name_is_free(name):
            raise InputError(f"a pool named {name!r} exists.", remedy="Choose another name.")
        built = self.build(options)
        # The file is written inside, so that a full disk leaves no pool behind either.
        with transaction.atomic():
            study = study_for(study_of(options), name=name, actor=Actor(actor()))
            terms = PoolTerms(**{field.name: options[field.name] for field in fields(PoolTerms)})
            keep_pool(study=study, name=name, built=built, terms=terms, actor=actor())
            if options["output"]:
                write_text(options["output"], built.to_csv())
        self.print_result(options, built.summary, [f"Pool {name}:", *pool_lines(built.summary)])
