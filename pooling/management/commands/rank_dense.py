"""rank_dense: a run of a bi-encoder over a whole collection."""

from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from metrics.cli.numbers import whole_number
from metrics.errors import InputError
from metrics.io.file_kinds import RUN_OF_ITS_NAME
from metrics.io.outputs import InputFile, add_force_option, output_file
from metrics.management.command import FairpoolCommand
from metrics.runs.queries import read_query_texts
from pooling.management.neural_arguments import add_device_option
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
        parser.add_argument(
            "--model", required=True, metavar="MODEL", help="A folder, or a name on the hub."
        )
        parser.add_argument("--collection", required=True, type=InputFile, metavar="FILE")
        parser.add_argument("--queries", required=True, type=InputFile, metavar="FILE")
        parser.add_argument(
            "--index",
            required=True,
            type=Path,
            metavar="FOLDER",
            help="Keeps the vectors of the collection, by the hashes of model and texts.",
        )
        parser.add_argument(
            "--depth", type=whole_number(1), default=100, help="Default: %(default)s."
        )
        parser.add_argument(
            "--batch-size", type=whole_number(1), default=32, help="Default: %(default)s."
        )
        parser.add_argument(
            "--output", required=True, type=output_file(RUN_OF_ITS_NAME), metavar="Y.run"
        )
        add_force_option(parser)
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        jobs, dense = neural.load("jobs"), neural.load("dense_index")
        device = neural.load("device").choose_device(options["device"])
        model = neural.load("model_folder").load_model(options["model"], device)
        if model.architecture != "bi-encoder":
            raise InputError(
                "is no bi-encoder.", path=options["model"], remedy="Use rerank for cross-encoders."
            )
        model_hash = neural.load("pretrained").model_hash(options["model"])
        queries = read_query_texts(Path(options["queries"]))
        collection = jobs.read_texts(Path(options["collection"]))
        with self.progress(
            "encoding", total=len(collection), unit="passage", quiet=options["quiet"]
        ) as progress:
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
        if options["as_json"]:
            self.print_json({"lines": n_lines, "run": str(options["output"])})
        else:
            self.stdout.write(f"{len(queries):,} queries: {options['output']}")
