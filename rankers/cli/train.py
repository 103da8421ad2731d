"""train: train a neural re-ranker."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option, whole_number
from metrics.io.outputs import InputFile, add_file_option, add_output_option
from rankers.cli.neural_options import (
    MODEL_FOLDER,
    add_device_option,
    add_resume_option,
    add_sampling_options,
    add_seed_option,
    add_training_texts,
    chosen_sampling,
    learning_rate,
)
from rankers.presets import PRESETS
from rankers.training_settings import Loss, TrainingSettings

if TYPE_CHECKING:
    from rankers.neural.mitigation import Mitigation

_OURS = TrainingSettings()


class _InitialWeights(InputFile):
    """The value of `--init`, which may name a file or a folder."""

    __slots__ = ()

    @property
    def path(self) -> str:
        return "" if self in {"random", "corpus"} else self.removeprefix("glove:")


class Train(Command):
    help = (
        "Train a re-ranker on triples, or on the judged passages of a run, and write its folder: "
        "model.safetensors, vocabulary and model.json. Needs torch."
    )
    example = (
        "train --model knrm --init glove:glove.42B.300d.txt --qrels qrels.txt "
        "--run bm25.run --collection collection.tsv --queries queries.tsv "
        "--output models/knrm"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        _add_model_options(parser)
        _add_source_options(parser)
        _add_training_options(parser)
        add_seed_option(parser)
        add_device_option(parser)

    def mitigation(self, _options: Mapping[str, Any]) -> "Mitigation":
        """Return the mitigation of gender bias that the options choose."""
        from rankers.neural.mitigation import Mitigation

        return Mitigation()

    def preset(self, _options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Settings of every preset that this command changes."""
        return {}

    def handle(self, *_args: Any, **options: Any) -> None:
        from rankers.neural.jobs import Sources, train_reranker
        from rankers.neural.starting import Start

        preset = PRESETS[options["preset"]].settings(options["model"])
        choices = {name: value for name, value in options.items() if value is not None}
        choices = {**preset, **self.preset(options), **choices}
        start = Start(options["model"], **chosen_fields(Start, choices))
        paths = {name: Path(path) for name, path in chosen_fields(Sources, options).items()}
        sources = Sources(**paths)
        settings = TrainingSettings(**chosen_fields(TrainingSettings, choices))
        with ExitStack() as stack:

            def started(n_steps: int) -> Callable[[float], object]:
                stack.close()  # of the training before, where there are several
                passages = 2 * settings.batch_size
                progress = stack.enter_context(
                    self.progress(options, "training", n_steps * passages, "passage")
                )
                return lambda loss: progress(passages, f"loss {loss:.4f}")

            description = train_reranker(
                start,
                sources,
                settings,
                Path(options["output"]),
                mitigation=self.mitigation(choices),
                sampling=chosen_sampling(options),
                device=options["device"],
                resume=options["resume"],
                force=options["force"],
                started=started,
                warn=self.note,
            )
        self.print_result(
            options,
            description,
            f"{description['n_triples']:,} triples, {description['n_steps']:,} batches, last "
            f"loss {description['last_loss']:.4f}: {options['output']}",
        )


def chosen_fields(kind: type[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Values of the options for the fields of `kind`."""
    names = [field.name for field in fields(kind)]
    return {name: options[name] for name in names if options.get(name) is not None}


def _default(name: str) -> str:
    """Default of a field of the settings, without option and preset."""
    ours = PRESETS["fairpool"]
    networks, bert = (asdict(_OURS) | dict(preset) for preset in (ours.networks, ours.bert))
    other = "" if bert[name] == networks[name] else f"; bert {bert[name]}"
    return f"Default: {networks[name]}{other}."


def _add_model_options(parser: ArgumentParser) -> None:
    # The names need torch: none is listed here, and the error for a wrong one lists all.
    parser.add_argument(
        "--model",
        required=True,
        metavar="NAME",
        help="A network over word vectors, such as knrm, or bert; a wrong name prints all of them.",
    )
    parser.add_argument(
        "--init",
        type=_InitialWeights,
        default="random",
        metavar="random|corpus|glove:FILE|MODEL",
        help="Where the weights come from: random, word vectors from the collection (corpus) or "
        "from a GloVe text file, or (bert) a model folder or a name on the hub (default: "
        "%(default)s).",
    )
    help_text = "Dimensions of random and corpus word vectors (default: %(default)s)."
    add_count_option(parser, "--dimensions", 300, help_text)
    add_count_option(parser, "--layers", 2, "Of a random BERT (default: %(default)s).")
    help_text = (
        "Passages that a word has to occur in to be in the vocabulary (default: %(default)s)."
    )
    add_count_option(parser, "--min-count", 1, help_text)
    parser.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        default="fairpool",
        help="Settings of a published study, or ours; every option of training overrides them "
        "(default: %(default)s).",
    )
    add_output_option(parser, MODEL_FOLDER, "FOLDER", None)


def _add_source_options(parser: ArgumentParser) -> None:
    add_training_texts(parser)
    add_file_option(parser, "--qrels", "In place of --triples, and for validation.")
    help_text = "The run that triples are drawn from, and that validation re-ranks."
    add_file_option(parser, "--run", help_text, metavar="X.run")
    add_sampling_options(parser)
    add_file_option(
        parser,
        "--validate-queries",
        "Queries that are held out. The weights with the best nDCG@10 on them are kept; the "
        f"rate is halved after {_OURS.patience} validations without gain, and training ends "
        f"after {_OURS.stop_after}.",
    )
    help_text = f"Batches. {_default('validate_every')}"
    parser.add_argument("--validate-every", type=whole_number(1), help=help_text)
    help_text = f"Batches between two checkpoints. {_default('checkpoint_every')}"
    parser.add_argument("--checkpoint-every", type=whole_number(1), help=help_text)


def _add_training_options(parser: ArgumentParser) -> None:
    for option, kind in (
        ("learning_rate", learning_rate),
        ("embedding_learning_rate", learning_rate),
        ("batch_size", whole_number(1)),
        ("epochs", whole_number(1)),
    ):
        parser.add_argument(f"--{option.replace('_', '-')}", type=kind, help=_default(option))
    parser.add_argument("--loss", choices=get_args(Loss), help=_default("loss"))
    add_resume_option(parser)
