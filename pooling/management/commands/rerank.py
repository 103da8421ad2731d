"""rerank: the first ranks of a run in the order that a neural model gives them."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from metrics.io.outputs import add_file_option
from metrics.management.command import FairpoolCommand
from metrics.runs import read_run
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
        "Re-rank the first passages of each query of a run with a model of train_reranker, a "
        "cross-encoder or a bi-encoder. Needs torch."
    )
    example = (
        "rerank --model models/knrm --run bm25.run --depth 200 --collection collection.tsv "
        "--queries queries.tsv --output knrm.run"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_model_option(parser)
        add_file_option(parser, "--run", "The run to re-rank.", metavar="X.run", required=True)
        depth_help = "Ranks to re-rank (default: %(default)s)."
        add_ranking_options(parser, depth=200, depth_help=depth_help)

    def handle(self, *_args: Any, **options: Any) -> None:
        jobs, reranking = neural.load("jobs"), neural.load("reranking")
        run = read_run(options["run"], depth=options["depth"])
        queries = read_query_texts(Path(options["queries"]))
        texts = jobs.needed_texts(Path(options["collection"]), run)
        model, device = chosen_model(options)
        with self.progress(options, "re-ranking", len(run.docnos), "pair") as progress:
            rankings = reranking.rerank(
                model,
                run,
                queries,
                texts,
                device=device,
                batch_size=options["batch_size"],
                progress=progress,
            )
            n_lines, seconds = reranking.write_run(
                rankings, Path(options["output"]), model, Path(options["model"]).name
            )
        output = options["output"]
        shown = {"pairs": n_lines, "seconds": seconds, "run": output}
        line = f"{n_lines:,} pairs, {n_lines / seconds:,.0f} a second: {output}"
        self.print_result(options, shown, line)
