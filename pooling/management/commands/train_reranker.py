"""train_reranker: train a neural re-ranker, with or without measures against gender bias."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from metrics.cli.numbers import add_count_option, number, whole_number
from metrics.grepbias import parse_alpha
from metrics.io.file_kinds import FileKind
from metrics.io.outputs import InputFile, add_file_option, add_output_option, output_folder
from metrics.management.command import FairpoolCommand
from pooling.management.neural_arguments import add_device_option, add_seed_option, learning_rate
from rankers import neural

_BERT = {"learning_rate": 3e-5, "loss": "cross-entropy"}
_MODEL = FileKind("a model of train_reranker", Path.is_file)


class _InitialWeights(InputFile):
    """The value of `--init`, which may name a file or a folder."""

    __slots__ = ()

    @property
    def path(self) -> str:
        return "" if self in {"random", "corpus"} else self.removeprefix("glove:")


class Command(FairpoolCommand):
    databases_with = frozenset[str]()
    help = (
        "Train a re-ranker on triples, or on judgements with negatives out of a run, and write its "
        "folder: model.safetensors, vocabulary and model.json. Needs torch."
    )
    example = (
        "train_reranker --model knrm --init glove:glove.42B.300d.txt --qrels qrels.txt "
        "--negatives-from bm25.run --collection collection.tsv --queries queries.tsv "
        "--output models/knrm"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        _add_model_options(parser)
        _add_source_options(parser)
        _add_training_options(parser)
        add_seed_option(parser)
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        jobs, starting = neural.load("jobs"), neural.load("starting")
        training, data = neural.load("training"), neural.load("training_data")
        start = starting.Start(options["model"], **_chosen(starting.Start, options))
        paths = {name: Path(path) for name, path in _chosen(jobs.Sources, options).items()}
        sources = jobs.Sources(**paths)
        defaults = _BERT if options["model"] == "bert" else {}
        changes = _chosen(training.TrainingSettings, options)
        settings = training.TrainingSettings(**(defaults | changes))
        mitigation = jobs.Mitigation(
            options["debias"],
            parse_alpha(options["alpha"]),
            options["biased_negatives"],
        )
        sampling = data.NegativeSampling(options["negatives_per_positive"], options["depth"])
        with ExitStack() as stack:

            def started(n_steps: int) -> Callable[[float], object]:
                passages = 2 * settings.batch_size
                progress = stack.enter_context(
                    self.progress(options, "training", n_steps * passages, "passage")
                )
                return lambda loss: progress(passages, f"loss {loss:.4f}")

            description = jobs.train_reranker(
                start,
                sources,
                settings,
                Path(options["output"]),
                mitigation=mitigation,
                sampling=sampling,
                device=options["device"],
                resume=options["resume"],
                force=options["force"],
                started=started,
            )
        self.print_result(
            options,
            description,
            f"{description['n_triples']:,} triples, {description['n_steps']:,} batches, last "
            f"loss {description['last_loss']:.4f}: {options['output']}",
        )


def _chosen(kind: type[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """What the options say of the fields of `kind`."""
    names = [one.name for one in fields(kind)]
    return {name: options[name] for name in names if options.get(name) is not None}


def _add_model_options(parser: CommandParser) -> None:
    # Their names are known to whoever has torch: none stands here, and a wrong one is told all.
    parser.add_argument(
        "--model",
        required=True,
        metavar="NAME",
        help="A network over word vectors, as knrm, or bert; a wrong name is answered with all.",
    )
    parser.add_argument(
        "--init",
        type=_InitialWeights,
        default="random",
        metavar="random|corpus|glove:FILE|MODEL",
        help="Where the weights come from: random, word vectors made of the collection (corpus) or "
        "of a GloVe text file, or (bert) a model folder or a name on the hub (default: "
        "%(default)s).",
    )
    help_text = "Of random and corpus word vectors (default: %(default)s)."
    add_count_option(parser, "--dimensions", 300, help_text)
    add_count_option(parser, "--layers", 2, "Of a random BERT (default: %(default)s).")
    help_text = "Passages in which a word of the vocabulary occurs (default: %(default)s)."
    add_count_option(parser, "--min-count", 1, help_text)
    folder = output_folder({"model.json": _MODEL}, is_replaced=True)
    add_output_option(parser, folder, "FOLDER", None)


def _add_source_options(parser: CommandParser) -> None:
    add_file_option(parser, "--collection", required=True)
    add_file_option(parser, "--queries", "qid<TAB>text.", required=True)
    add_file_option(
        parser,
        "--triples",
        "Query, relevant and irrelevant passage: three texts, or qid, docno and docno.",
        metavar="TSV",
    )
    add_file_option(parser, "--qrels", "In the place of --triples.")
    add_file_option(parser, "--negatives-from", "Where negatives are drawn from.", metavar="RUN")
    add_count_option(parser, "--negatives-per-positive", 4)
    add_count_option(parser, "--depth", 200, "Ranks of the run to draw from (default: 200).")
    add_file_option(
        parser,
        "--validate-queries",
        "Queries that are held out: the weights of the best nDCG@10 on them are kept, the "
        "rate is halved after 6 validations without gain, training ends after 20.",
    )
    parser.add_argument("--validate-every", type=whole_number(1), help="Batches (default: 100).")


def _add_training_options(parser: CommandParser) -> None:
    parser.add_argument("--learning-rate", type=learning_rate, help="Default: 1e-3; bert 3e-5.")
    parser.add_argument("--embedding-learning-rate", type=learning_rate, help="Default: 1e-2.")
    parser.add_argument("--batch-size", type=whole_number(1), help="Default: 64.")
    parser.add_argument("--epochs", type=whole_number(1), help="Default: 1.")
    parser.add_argument(
        "--loss",
        choices=("margin", "cross-entropy"),
        help="Default: margin; bert cross-entropy.",
    )
    parser.add_argument(
        "--debias",
        choices=("none", "regulariser", "adversarial"),
        default="none",
        help="regulariser: equation 3 over the passages of one query whose genders differ; "
        "adversarial: AdvBERT (default: %(default)s).",
    )
    parser.add_argument(
        "--alpha", default="1,1,1", metavar="MF,MN,FN", help="Of the regulariser (default: 1,1,1)."
    )
    add_file_option(parser, "--magnitudes", "The genders of the passages.", metavar="M.parquet")
    parser.add_argument(
        "--biased-negatives",
        type=number(0, 1e6),
        default=0.0,
        metavar="STRENGTH",
        help="Draw negatives in proportion to 1 + STRENGTH x gender magnitude (default: 0).",
    )
    parser.add_argument(
        "--resume", action="store_true", help="Go on from the checkpoint of an interrupted call."
    )
