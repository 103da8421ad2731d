"""cross-validate: a fine-tuned model on queries that it was not trained on."""

import csv
import io
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option
from metrics.cli.score_arguments import add_scores_option
from metrics.io.file_kinds import text_kind
from metrics.io.files import write_text
from metrics.io.outputs import add_file_option, add_output_option, output_folder
from rankers.cli.fine_tune import add_tuning_options, chosen_tuning
from rankers.cli.neural_options import (
    add_device_option,
    add_model_option,
    add_sampling_options,
    chosen_sampling,
)

_CARD = text_kind("what `cross-validate` is made of", '{\n  "model"')


class CrossValidate(Command):
    help = (
        "Fine-tune a model on folds of the judged queries with several seeds, rank each query "
        "by the models that have not seen it, and write the runs and a table of effectiveness "
        "and bias before and after. Run the same command again to go on after an interruption; "
        "further --seeds are added to the existing ones. Needs torch."
    )
    example = (
        "cross-validate --model sentence-transformers/all-MiniLM-L6-v2 --qrels qrels.txt "
        "--run bm25.run --collection collection.tsv --queries queries.tsv "
        "--scores magnitudes.parquet --output folds"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_model_option(parser)
        add_file_option(parser, "--collection", required=True)
        add_file_option(parser, "--queries", "qid<TAB>text.", required=True)
        add_file_option(parser, "--qrels", "Judgements to train and test on.", required=True)
        help_text = "The run that triples are drawn from, and that is re-ranked."
        add_file_option(parser, "--run", help_text, metavar="X.run", required=True)
        add_scores_option(parser, required=True)
        add_count_option(parser, "--folds", 5)
        add_count_option(parser, "--seeds", 3, "Trainings of each fold (default: %(default)s).")
        help_text = "Ranks of the run that are re-ranked (default: %(default)s)."
        add_count_option(parser, "--rerank-depth", 100, help_text)
        add_sampling_options(parser)
        add_tuning_options(parser)
        folder = output_folder({"cross-validation.json": _CARD}, is_replaced=True)
        add_output_option(parser, folder, "FOLDER", None)
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from rankers.neural.cross_validation import CUTOFF, CrossValidation, Design
        from rankers.neural.jobs import Sources

        output = Path(options["output"])
        texts = {name: Path(options[name]) for name in ("collection", "queries", "qrels", "run")}
        validation = CrossValidation(
            options["model"],
            Sources(**texts),
            chosen_tuning(options, seed=0),
            output,
            design=Design(options["folds"], options["seeds"], options["rerank_depth"]),
            sampling=chosen_sampling(options),
            device=options["device"],
            note=self.note,
        )
        with ExitStack() as stack:

            def started(n_steps: int) -> Callable[[], object]:
                bar = self.progress(options, "training", n_steps, "batch")
                return stack.enter_context(bar)

            tuned = validation.train(started)
        rows = validation.table(tuned, Path(options["magnitudes"]))
        others = [row.system for row in rows]
        measures = [f"{name}@{CUTOFF}" for name in rows[0].values]
        table = [
            ["system", *measures, *(f"p of {measures[0]} against {system}" for system in others)]
        ]
        for row in rows:
            p_values = [row.p.get(other) for other in others]
            table.append(
                [
                    row.system,
                    *(f"{value:.4f}" for value in row.values.values()),
                    *("" if p is None else f"{p:.4f}" for p in p_values),
                ]
            )
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(table)
        write_text(output / "table.csv", text.getvalue())
        lines = ["  ".join(f"{cell:>12}" for cell in line[: 1 + len(measures)]) for line in table]
        self.print_result(options, rows, [*lines, f"Runs and table.csv: {output}"])
