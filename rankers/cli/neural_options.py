"""Options that the commands of neural rankers share."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metrics.cli.numbers import add_count_option, number, seed, whole_number
from metrics.io.file_kinds import RUN_OF_ITS_NAME, FileKind
from metrics.io.outputs import (
    InputFolder,
    add_file_option,
    add_output_option,
    output_file,
    output_folder,
)

if TYPE_CHECKING:
    from rankers.neural.model_folder import PairModel
    from rankers.neural.sampling import Sampling

_MODEL = FileKind("a model of fairpool train", Path.is_file)
#: The kind of output that a trained model is.
MODEL_FOLDER = output_folder({"model.json": _MODEL}, is_replaced=True)

#: A step of 0 learns nothing, one beyond 1,000 nothing that stays a number.
learning_rate = number(0, 1_000, ends=False)
DEVICES = ("auto", "cpu", "cuda", "mps")


def add_device_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--device",
        choices=DEVICES,
        default="auto",
        help="Where torch computes; auto takes a GPU where there is one (default: %(default)s).",
    )


def chosen_model(options: Mapping[str, Any]) -> "PairModel":
    """The model that `--model` names, on the device of `--device`."""
    from rankers.neural.device import choose_device
    from rankers.neural.model_folder import load_model

    kind = options.get("kind", "auto")
    return load_model(options["model"], choose_device(options["device"]), kind)


def add_model_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--model", required=True, metavar="MODEL", help="A folder, or a name on the hub."
    )


def add_ranking_options(parser: ArgumentParser, *, depth: int, depth_help: str) -> None:
    """Options for the input of a model, the batch size, and the run to write."""
    add_file_option(parser, "--collection", required=True)
    add_file_option(parser, "--queries", required=True)
    add_count_option(parser, "--depth", depth, depth_help)
    add_count_option(parser, "--batch-size", 32)
    add_output_option(parser, output_file(RUN_OF_ITS_NAME), "Y.run", None)
    add_device_option(parser)


def add_training_texts(parser: ArgumentParser) -> None:
    """Add the options for a model's training data."""
    add_file_option(parser, "--collection", required=True)
    add_file_option(parser, "--queries", "qid<TAB>text.", required=True)
    add_file_option(
        parser,
        "--triples",
        "Query, relevant and irrelevant passage: three texts, or qid, docno and docno.",
        metavar="TSV",
    )


def add_sampling_options(parser: ArgumentParser) -> None:
    """Options for drawing triples from the judged passages of a run."""
    parser.add_argument(
        "--positives",
        choices=("run", "judged"),
        default="run",
        help="Relevant passages among the first ranks of the run, or all that are judged "
        "(default: %(default)s).",
    )
    parser.add_argument(
        "--negatives",
        choices=("hard", "random", "mixed"),
        default="hard",
        help="From the first ranks of the run, from the collection, or half from each (default: "
        "%(default)s).",
    )
    add_count_option(parser, "--negatives-per-positive", 4)
    add_count_option(parser, "--depth", 200, "Ranks of the run to draw from (default: 200).")
    help_text = "Lowest grade of a relevant passage, 2 for TREC DL (default: %(default)s)."
    add_count_option(parser, "--min-grade", 1, help_text)


def chosen_sampling(options: Mapping[str, Any]) -> "Sampling":
    """Return the sampling of triples that the options choose."""
    from rankers.neural.sampling import Sampling

    return Sampling(
        options["negatives_per_positive"],
        options["depth"],
        options["min_grade"],
        positives=options["positives"],
        negatives=options["negatives"],
    )


def add_resume_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--resume",
        action="store_true",
        help="Continue from the last checkpoint of an interrupted run.",
    )


def add_seed_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--seed",
        type=seed,
        default=0,
        help="The same seed, device and threads give the same bytes (default: %(default)s).",
    )


def add_grepbias_options(parser: ArgumentParser) -> None:
    """`--data`, `--encoder`, `--features`, and how to train."""
    parser.add_argument(
        "--data",
        required=True,
        type=InputFolder,
        metavar="FOLDER",
        help="The released queries-documents_*.csv.",
    )
    parser.add_argument(
        "--encoder", required=True, metavar="MODEL", help="A model folder, or a name on the hub."
    )
    parser.add_argument(
        "--features",
        choices=("cls", "product"),
        default="cls",
        help="cls: the first token's vector of the pair, as in the paper; product: elementwise "
        "product of the vectors of query and document (default: %(default)s).",
    )
    parser.add_argument(
        "--learning-rate", type=learning_rate, help="Default: the paper's for the mode."
    )
    parser.add_argument("--epochs", type=whole_number(1), help="Default: the paper's for the mode.")
    parser.add_argument("--batch-size", type=whole_number(1), help="Default: 8.")
    parser.add_argument(
        "--pairing",
        choices=("random", "matched"),
        default="random",
        help="What the penalty pairs: any two documents of different gender of a batch, as the "
        "paper, or wordings of one document (default: %(default)s).",
    )
    add_seed_option(parser)
    add_device_option(parser)


def training_changes(options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of the paper that the options change."""
    names = ("learning_rate", "epochs", "batch_size", "seed")
    matched = {"matched_pairs": options["pairing"] == "matched"}
    return {name: options[name] for name in names} | matched


def add_selection_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--select",
        choices=("own", "others"),
        default="own",
        help="Which categories choose the least biased weights that keep the accuracy: the "
        "training category, or the others, which the tables then report (the best case, not a "
        "test) (default: %(default)s).",
    )
