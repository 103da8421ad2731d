"""Options that the commands of neural rankers share."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from metrics.cli.numbers import add_count_option, number, seed, whole_number
from metrics.io.file_kinds import RUN_OF_ITS_NAME
from metrics.io.outputs import InputFolder, add_file_option, add_output_option, output_file
from rankers import neural

#: A step of 0 learns nothing, one beyond 1,000 nothing that stays a number.
learning_rate = number(0, 1_000, ends=False)
DEVICES = ("auto", "cpu", "cuda", "mps")


def add_device_option(parser: CommandParser) -> None:
    parser.add_argument(
        "--device",
        choices=DEVICES,
        default="auto",
        help="Where torch computes; auto takes a GPU where there is one (default: %(default)s).",
    )


def chosen_model(options: Mapping[str, Any]) -> tuple[Any, Any]:
    """The model that `--model` names, on the device of `--device`, and that device."""
    device = neural.load("device").choose_device(options["device"])
    return neural.load("model_folder").load_model(options["model"], device), device


def add_model_option(parser: CommandParser) -> None:
    parser.add_argument(
        "--model", required=True, metavar="MODEL", help="A folder, or a name on the hub."
    )


def add_ranking_options(parser: CommandParser, *, depth: int, depth_help: str) -> None:
    """What a model ranks, how much of it at once, and the run to write."""
    add_file_option(parser, "--collection", required=True)
    add_file_option(parser, "--queries", required=True)
    add_count_option(parser, "--depth", depth, depth_help)
    add_count_option(parser, "--batch-size", 32)
    add_output_option(parser, output_file(RUN_OF_ITS_NAME), "Y.run", None)
    add_device_option(parser)


def add_seed_option(parser: CommandParser) -> None:
    parser.add_argument(
        "--seed",
        type=seed,
        default=0,
        help="Same seed, device and threads, same bytes (default: %(default)s).",
    )


def add_grepbias_options(parser: CommandParser) -> None:
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
        "--matched-pairs",
        action="store_true",
        default=None,
        help="Penalise pairs of wordings of one document only (an extension of the paper).",
    )
    add_seed_option(parser)
    add_device_option(parser)


def training_changes(options: dict[str, object]) -> dict[str, object]:
    """What of the paper's settings the options change."""
    names = ("learning_rate", "epochs", "batch_size", "matched_pairs", "seed")
    return {name: options[name] for name in names}
