"""Rank a collection for queries with the retrieval models of `rankers`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from metrics.io.outputs import InputFile, add_force_option, check_outputs
from metrics.management.command import FairpoolCommand
from metrics.runs.queries import read_query_texts
from metrics.texts.collection import read_collection
from pooling.management.ranker_arguments import add_ranker_options, chosen_rankers
from rankers.runs import run_kind, run_path, write_runs


class Command(FairpoolCommand):
    databases_with = frozenset[str]()
    help = (
        "Rank a collection for queries with retrieval models and write one TREC run for each, "
        "`qid Q0 docno rank score tag`. The collection must fit into memory."
    )
    example = (
        "rank_collection --collection sample/collection.tsv --queries sample/queries.tsv "
        "--output-dir var/runs"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--collection",
            required=True,
            type=InputFile,
            help="docno<TAB>text, or JSON lines; plain, .gz, .zst, or - for standard input.",
        )
        parser.add_argument(
            "--queries",
            required=True,
            type=InputFile,
            help="qid<TAB>text, or lines qid,text,label, of which every category is ranked.",
        )
        parser.add_argument(
            "--output-dir", required=True, type=Path, help="Folder of the runs, made if missing."
        )
        add_force_option(parser)
        add_ranker_options(parser)

    def handle(self, **options: Any) -> None:
        rankers = chosen_rankers(options)
        check_outputs(
            [(run_path(options["output_dir"], one), run_kind(one)) for one in rankers],
            [options["collection"], options["queries"]],
            force=options["force"],
        )
        queries = read_query_texts(options["queries"])
        collection = list(read_collection(options["collection"]))
        options["output_dir"].mkdir(parents=True, exist_ok=True)
        total = len(rankers) * len(queries)
        with self.progress(options, "Ranking", total, "rankings") as done:
            paths = write_runs(
                rankers,
                collection,
                list(queries.items()),
                options["output_dir"],
                depth=options["depth"],
                seed=options["seed"],
                progress=done,
            )
        n_documents, n_queries = len(collection), len(queries)
        width = max(map(len, paths), default=0)
        lines = [f"{n_documents:,} passages ranked for {n_queries:,} queries:"]
        lines += [f"  {name:<{width}}  {path}" for name, path in paths.items()]
        shown = {"n_documents": n_documents, "n_queries": n_queries, "runs": paths}
        self.print_result(options, shown, lines)
