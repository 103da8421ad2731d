"""fine-tune: train a pretrained model further."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option, whole_number
from metrics.io.outputs import add_file_option, add_output_option
from rankers.cli.neural_options import (
    MODEL_FOLDER,
    add_device_option,
    add_model_option,
    add_resume_option,
    add_sampling_options,
    add_seed_option,
    add_training_texts,
    chosen_sampling,
    learning_rate,
)
from rankers.fine_tuning_settings import FineTuning, Kind

_OURS = FineTuning()


class FineTune(Command):
    help = (
        "Fine-tune a pretrained model as a bi-encoder or a cross-encoder, by the trainers of "
        "sentence-transformers, and write its folder. Needs torch."
    )
    example = (
        "fine-tune --model sentence-transformers/all-MiniLM-L6-v2 --kind bi-encoder "
        "--qrels qrels.txt --run bm25.run --collection collection.tsv --queries queries.tsv "
        "--output models/minilm"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_model_option(parser)
        add_training_texts(parser)
        add_file_option(parser, "--qrels", "In place of --triples.")
        add_file_option(parser, "--run", "The run that triples are drawn from.", metavar="X.run")
        add_sampling_options(parser)
        add_tuning_options(parser)
        help_text = "Batches between two checkpoints (default: %(default)s)."
        add_count_option(parser, "--checkpoint-every", 1_000, help_text)
        add_resume_option(parser)
        add_output_option(parser, MODEL_FOLDER, "FOLDER", None)
        add_seed_option(parser)
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from rankers.neural.jobs import Sources
        from rankers.neural.tuning_jobs import fine_tune_model

        settings = chosen_tuning(options)
        names = [field.name for field in fields(Sources)]
        paths = {name: Path(options[name]) for name in names if options.get(name)}
        with ExitStack() as stack:

            def started(n_steps: int) -> Callable[[], object]:
                bar = self.progress(options, "training", n_steps, "batch")
                return stack.enter_context(bar)

            description = fine_tune_model(
                options["model"],
                Sources(**paths),
                settings,
                Path(options["output"]),
                sampling=chosen_sampling(options),
                device=options["device"],
                checkpoint_every=options["checkpoint_every"],
                resume=options["resume"],
                force=options["force"],
                started=started,
                warn=self.note,
            )
        self.print_result(
            options,
            description,
            f"{description['n_triples']:,} triples, {description['n_steps']:,} batches, mean loss "
            f"{description['mean_loss']:.4f}: {options['output']}",
        )


def add_tuning_options(parser: ArgumentParser) -> None:
    """Options with the names of `FineTuning`'s fields."""
    parser.add_argument(
        "--kind",
        choices=get_args(Kind),
        default=_OURS.kind,
        help="Read query and passage separately, or as one text (default: %(default)s).",
    )
    parser.add_argument(
        "--learning-rate",
        type=learning_rate,
        default=_OURS.learning_rate,
        help="The highest learning rate. It rises over the first tenth of the batches, then "
        "falls to 0 (default: %(default)s).",
    )
    add_count_option(parser, "--batch-size", _OURS.batch_size)
    add_count_option(parser, "--epochs", _OURS.epochs)
    steps = "Batches after which to end, 0 for all (default: %(default)s)."
    parser.add_argument("--max-steps", type=whole_number(0), default=_OURS.max_steps, help=steps)
    tokens = "Tokens of a text that are read (default: %(default)s)."
    add_count_option(parser, "--max-tokens", _OURS.max_tokens, tokens)
    parser.add_argument(
        "--frozen-layers",
        type=whole_number(0),
        default=_OURS.frozen_layers,
        help="Freeze the embeddings and this many first layers: this is faster, and the model "
        "forgets less (default: %(default)s).",
    )
    parser.add_argument(
        "--lora",
        type=whole_number(0),
        default=_OURS.lora,
        metavar="RANK",
        help="Train adapters of this rank in place of the weights; 0: the weights themselves "
        "(default: %(default)s).",
    )
    parser.add_argument(
        "--bf16",
        action="store_true",
        help="Compute in bfloat16, faster where the processor has it.",
    )


def chosen_tuning(options: Mapping[str, Any], **changes: Any) -> FineTuning:
    """The settings that the options give."""
    names = [field.name for field in fields(FineTuning)]
    return FineTuning(**{name: options[name] for name in names if name in options} | changes)
