"""grepbias train: train on categories of Grep-BiasIR and write the logits of every pair."""

from argparse import ArgumentParser
from typing import Any

from metrics.cli.command import Command
from metrics.io.outputs import add_output_option, output_file
from rankers.cli.neural_options import add_grepbias_options, training_changes
from rankers.grepbias import CATEGORIES, LOGITS, LogitRun, parse_alpha, read_pairs, write_logits


class Train(Command):
    help = (
        "Train an encoder on one category of Grep-BiasIR and write its logits for all 702 pairs, "
        "to be read by grepbias report. Needs torch."
    )
    example = (
        "grepbias train --mode full --train-on Career --alpha 0,0,0 --encoder bert-base-uncased "
        "--data grepbias --output full-career.csv"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--mode",
            choices=("full", "adapter", "lora", "bottleneck"),
            required=True,
            help="full: all weights; adapter: a linear layer on the frozen encoder (equation 1); "
            "lora, bottleneck: small trained parts inside the frozen encoder.",
        )
        parser.add_argument(
            "--train-on",
            choices=(*CATEGORIES, "all"),
            required=True,
            metavar="CATEGORY",
            help=f"One of {', '.join(CATEGORIES)}; all: one model for each.",
        )
        parser.add_argument(
            "--alpha",
            default="0,0,0",
            metavar="MF,MN,FN",
            help="Weights of the penalty by the genders of a pair (default: %(default)s, none).",
        )
        add_output_option(parser, output_file(LOGITS), "LOGITS.csv", None)
        add_grepbias_options(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        mode, alpha = options["mode"], parse_alpha(options["alpha"])

        from rankers.neural import grepbias

        pairs = read_pairs(options["data"])
        settings = grepbias.settings_for(mode, **training_changes(options))
        encoder = grepbias.Encoder(options["encoder"], options["features"], options["device"])
        names = CATEGORIES if options["train_on"] == "all" else [options["train_on"]]
        runs: list[LogitRun] = []
        if mode == "adapter":
            with self.progress(options, "encoding", len(pairs), "pair") as progress:
                vectors = grepbias.encode_once(encoder, pairs, progress)
            for name in names:
                runs += grepbias.train_adapters(vectors, pairs, name, [alpha], settings)
        else:
            n_steps = settings.steps(pairs, names)
            with self.progress(options, "training", n_steps, "batch") as progress:
                runs += [
                    grepbias.train_tuned(
                        mode,
                        encoder,
                        pairs,
                        name,
                        alpha=alpha,
                        settings=settings,
                        progress=lambda loss: progress(1, f"loss {loss:.4f}"),
                    )
                    for name in names
                ]
        write_logits(options["output"], runs)
        result = {"models": len(runs), "logits": options["output"]}
        self.print_result(options, result, f"{len(runs)} models: {options['output']}")
