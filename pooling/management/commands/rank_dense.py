"""rank_dense: a run of a bi-encoder over a whole collection."""

from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from metrics.errors import InputError
from metrics.management.command import FairpoolCommand
from metrics.runs.queries import read_query_texts
from pooling.management.neural_arguments import (
    add_model_option,
    add_ranking_options,
    chosen_model,
)
from rankers import neural


class Command(FairpoolCommand):
    databases_with = frozenset[str]()
    help = (
        "Rank a collection by the cosine of a bi-encoder's vectors, exactly. The collection is "
        "encoded once into a memory-mapped file of --index. Needs torch."
    )
    example = (
        "rank_dense --model sentence-transformers/all-MiniLM-L6-v2 --collection collection.tsv "
        "--queries queries.tsv --index vectors --output minilm.run"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_model_option(parser)
        parser.add_argument(
            "--index",
            required=True,
            type=Path,
            metavar="FOLDER",
            help="Keeps the vectors of the collection, by the hashes of model and texts.",
        )
        add_ranking_options(parser, depth=100, depth_help="Default: %(default)s.")

    def handle(self, *_args: Any, **options: Any) -> None:
        jobs, dense = neural.load("jobs"), neural.load("dense_index")
        model, device = chosen_model(options)
        if model.architecture != "bi-encoder":
            raise InputError(
                "is no bi-encoder.", path=options["model"], remedy="Use rerank for cross-encoders."
            )
        model_hash = neural.load("pretrained").model_hash(options["model"])
        queries = read_query_texts(Path(options["queries"]))
        collection = jobs.read_texts(Path(options["collection"]))
        with self.progress(options, "encoding", len(collection), "passage") as progress:
            vectors = dense.collection_vectors(
                model,
                model_hash,
                collection,
                options["index"],
                device=device,
                batch_size=options["batch_size"],
                progress=progress,
            )
        query_vectors = np.zeros((len(queries), vectors.shape[1]), dtype=np.float32)
        dense.encode(
            model,
            list(queries.values()),
            query_vectors,
            device=device,
            batch_size=options["batch_size"],
        )
        rankings = dense.rank(queries, query_vectors, list(collection), vectors, options["depth"])
        n_lines, _ = neural.load("reranking").write_run(
            rankings, Path(options["output"]), model, Path(options["model"]).name
        )
        shown = {"lines": n_lines, "run": options["output"]}
        self.print_result(options, shown, f"{len(queries):,} queries: {options['output']}")
