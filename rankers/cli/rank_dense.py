"""rank --dense: a run of a bi-encoder over a whole collection."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from metrics.cli.command import Command
from metrics.errors import InputError
from metrics.io.file_kinds import RUN_OF_ITS_NAME
from metrics.io.outputs import check_outputs, input_files
from rankers.cli.neural_options import chosen_model


def rank_dense(command: Command, options: Mapping[str, Any]) -> None:
    """Write the run of `--model`; the collection is encoded once into a file of `--index`."""
    if not options["model"] or not options["index"]:
        raise InputError(
            "--dense needs --model and --index.",
            remedy="Name the bi-encoder, and a folder for the vectors.",
        )
    output = Path(options["output"])
    inputs = input_files(options.values())
    check_outputs([(output, RUN_OF_ITS_NAME)], inputs, force=options["force"])

    import numpy as np

    from metrics.runs.queries import read_query_texts
    from metrics.texts.collection import read_collection
    from rankers.neural import dense_index
    from rankers.neural.model_folder import sizes_of
    from rankers.neural.pretrained import model_hash
    from rankers.neural.reranking import write_run
    from rankers.neural.transformer_models import BiEncoder

    model, size = chosen_model(options), options["batch_size"]
    if not isinstance(model, BiEncoder):
        raise InputError(
            "is not a bi-encoder.", path=options["model"], remedy="Use rerank for cross-encoders."
        )
    queries = read_query_texts(options["queries"], options["category"] or "all")
    collection = dict(read_collection(options["collection"]))
    with command.progress(options, "encoding", len(collection), "passage") as progress:
        vectors = dense_index.collection_vectors(
            model,
            model_hash(options["model"]),
            collection,
            options["index"],
            batch_size=size,
            progress=progress,
        )
    texts = list(queries.values())
    query_vectors = np.zeros((len(queries), vectors.shape[1]), dtype=np.float32)
    dense_index.encode(model.embed_queries, texts, query_vectors, batch_size=size)
    rankings = dense_index.rank(queries, query_vectors, list(collection), vectors, options["depth"])
    sizes = sizes_of(model, options["model"])
    n_lines, _ = write_run(rankings, output, name=Path(options["model"]).name, sizes=sizes)
    line = f"{len(queries):,} queries: {output}"
    command.print_result(options, {"lines": n_lines, "run": str(output)}, line)
