"""rerank: the first ranks of a run in the order that a neural model gives them."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from metrics.cli.command import Command
from metrics.io.outputs import add_file_option
from rankers.cli.neural_options import add_model_option, add_ranking_options, chosen_model
from rankers.vocabulary import MODEL_KINDS


class Rerank(Command):
    help = (
        "Re-rank the first passages of each query of a run with a model of fairpool train, a "
        "cross-encoder, a bi-encoder or a monoT5. Needs torch."
    )
    example = (
        "rerank --model models/knrm --run bm25.run --depth 200 --collection collection.tsv "
        "--queries queries.tsv --output knrm.run"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_model_option(parser)
        parser.add_argument(
            "--kind",
            choices=MODEL_KINDS,
            default="auto",
            help="auto: the model's own files say how it scores; monot5: a T5 that was trained to "
            'answer "true" or "false" (default: %(default)s).',
        )
        add_file_option(parser, "--run", "The run to re-rank.", metavar="X.run", required=True)
        depth_help = "Ranks to re-rank (default: %(default)s)."
        add_ranking_options(parser, depth=200, depth_help=depth_help)

    def handle(self, *_args: Any, **options: Any) -> None:
        from metrics.runs import read_run
        from metrics.runs.queries import read_query_texts
        from rankers.neural.jobs import run_with_texts
        from rankers.neural.model_folder import sizes_of
        from rankers.neural.reranking import rerank, write_run

        run = read_run(options["run"], depth=options["depth"])
        queries = read_query_texts(Path(options["queries"]))
        run, texts = run_with_texts(run, queries, options["collection"], self.note)
        model = chosen_model(options)
        with self.progress(options, "re-ranking", len(run.docnos), "pair") as progress:
            rankings = rerank(
                model,
                run,
                queries,
                texts,
                batch_size=options["batch_size"],
                progress=progress,
            )
            n_lines, seconds = write_run(
                rankings,
                Path(options["output"]),
                name=Path(options["model"]).name,
                sizes=sizes_of(model, options["model"]),
            )
        output = options["output"]
        result = {"pairs": n_lines, "seconds": seconds, "run": output}
        line = f"{n_lines:,} pairs, {n_lines / seconds:,.0f} a second: {output}"
        self.print_result(options, result, line)
