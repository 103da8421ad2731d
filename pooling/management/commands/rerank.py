"""rerank: the first ranks of a run in the order that a neural model gives them."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from metrics.cli.numbers import whole_number
from metrics.io.file_kinds import RUN_OF_ITS_NAME
from metrics.io.outputs import InputFile, add_force_option, output_file
from metrics.management.command import FairpoolCommand
from metrics.runs import read_run
from metrics.runs.queries import read_query_texts
from pooling.management.neural_arguments import add_device_option
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
        parser.add_argument(
            "--model", required=True, metavar="MODEL", help="A folder, or a name on the hub."
        )
        parser.add_argument(
            "--run", required=True, type=InputFile, metavar="X.run", help="The run to re-rank."
        )
        parser.add_argument("--collection", required=True, type=InputFile, metavar="FILE")
        parser.add_argument("--queries", required=True, type=InputFile, metavar="FILE")
        parser.add_argument(
            "--depth",
            type=whole_number(1),
            default=200,
            help="Ranks to re-rank (default: %(default)s).",
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
        jobs, reranking = neural.load("jobs"), neural.load("reranking")
        device = neural.load("device").choose_device(options["device"])
        run = read_run(options["run"], depth=options["depth"])
        queries = read_query_texts(Path(options["queries"]))
        texts = jobs.needed_texts(Path(options["collection"]), run)
        model = neural.load("model_folder").load_model(options["model"], device)
        with self.progress(
            "re-ranking", total=len(run.docnos), unit="pair", quiet=options["quiet"]
        ) as progress:
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
        if options["as_json"]:
            self.print_json({"pairs": n_lines, "seconds": seconds, "run": str(options["output"])})
        else:
            self.stdout.write(
                f"{n_lines:,} pairs, {n_lines / seconds:,.0f} a second: {options['output']}"
            )
