"""rank: runs of a collection by lexical rankers, by a bi-encoder, or over swapped genders too."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option, seed
from metrics.errors import InputError
from metrics.io.file_kinds import RUN_OF_ITS_NAME
from metrics.io.outputs import (
    InputFile,
    add_file_option,
    add_force_option,
    check_outputs,
    input_files,
    output_path,
)
from metrics.io.packing import PACKED_HELP
from metrics.vocabulary import CATEGORIES
from rankers.cli.neural_options import add_device_option, chosen_model
from rankers.cli.rank_counterfactual import add_counterfactual_options, rank_counterfactual
from rankers.registry import DEFAULT, RANKERS, rankers_named
from rankers.vocabulary import SEED


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


class Rank(Command):
    help = (
        "Rank a collection for queries, one TREC run for each ranker. With --dense a bi-encoder "
        "ranks it by the cosine of vectors. With --counterfactual, it swaps the genders of the "
        "collection, ranks both collections in the same way, and lists the changes."
    )
    example = (
        "rank --collection sample/collection.tsv --queries sample/queries.tsv "
        "--rankers BM25,LSA --output var/runs"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--collection",
            required=True,
            type=InputFile,
            metavar="FILE",
            help="docno<TAB>text, or JSON lines, or - for standard input. It must fit into "
            f"memory. {PACKED_HELP}",
        )
        help_text = "qid<TAB>text, or lines qid,text,label."
        add_file_option(parser, "--queries", help_text, required=True)
        parser.add_argument(
            "--category",
            choices=(*CATEGORIES, "all"),
            help="Which queries of lines qid,text,label to rank (default: all; n, the "
            "non-gendered, with --counterfactual).",
        )
        parser.add_argument(
            "-o",
            "--output",
            required=True,
            type=output_path,
            metavar="FOLDER|Y.run",
            help="Folder of the runs, made if missing; with --dense the run to write.",
        )
        add_force_option(parser)
        add_count_option(
            parser, "--depth", 100, "At most so many passages per query (default: 100)."
        )
        kind = parser.add_mutually_exclusive_group()
        kind.add_argument(
            "--dense", action="store_true", help="Rank with the bi-encoder of --model, exactly."
        )
        kind.add_argument(
            "--counterfactual",
            action="store_true",
            help="Also rank the collection with swapped genders, and compare (CRBO).",
        )
        _add_lexical_options(parser)
        _add_model_options(parser)
        add_counterfactual_options(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["dense"]:
            rank_dense(self, options)
        elif options["counterfactual"]:
            rank_counterfactual(self, options)
        else:
            _rank(self, options)


def _add_lexical_options(parser: ArgumentParser) -> None:
    default = ",".join(ranker.name for ranker in DEFAULT)
    parser.add_argument(
        "--rankers",
        default=default,
        metavar="NAMES",
        help=f"Names, comma-separated, of {', '.join(RANKERS)} (default: {default}).",
    )
    parser.add_argument(
        "--seed",
        type=seed,
        default=SEED,
        help="Seed of the rankers that draw random numbers (default: %(default)s).",
    )


def _add_model_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        metavar="MODEL",
        help="A model folder or a name on the hub: the bi-encoder of --dense, or what re-ranks "
        "--run with --counterfactual. Needs torch.",
    )
    parser.add_argument(
        "--index",
        type=Path,
        metavar="FOLDER",
        help="Folder that keeps the vectors of --dense, by the hashes of model and texts.",
    )
    add_count_option(parser, "--batch-size", 32, "Texts encoded at once (default: 32).")
    add_device_option(parser)


def _rank(command: Command, options: Mapping[str, Any]) -> None:
    from metrics.runs.queries import read_query_texts
    from metrics.texts.collection import read_collection
    from rankers.runs import run_kind, run_path, write_runs

    if options["model"]:
        raise InputError("--model is for dense ranking.", remedy="Add --dense, or use rerank.")
    rankers, folder = rankers_named(options["rankers"].split(",")), Path(options["output"])
    check_outputs(
        [(run_path(folder, ranker), run_kind(ranker)) for ranker in rankers],
        [options["collection"], options["queries"]],
        force=options["force"],
    )
    queries = read_query_texts(options["queries"], options["category"] or "all")
    collection = list(read_collection(options["collection"]))
    folder.mkdir(parents=True, exist_ok=True)
    total = len(rankers) * len(queries)
    with command.progress(options, "ranking", total, "rankings") as progress:
        paths = write_runs(
            rankers,
            collection,
            list(queries.items()),
            folder,
            depth=options["depth"],
            seed=options["seed"],
            progress=progress,
        )
    n_documents, n_queries = len(collection), len(queries)
    width = max(map(len, paths), default=0)
    lines = [f"{n_documents:,} passages ranked for {n_queries:,} queries:"]
    lines += [f"  {name:<{width}}  {path}" for name, path in paths.items()]
    result = {"n_documents": n_documents, "n_queries": n_queries, "runs": paths}
    command.print_result(options, result, lines)
