"""Options that the commands of lexical rankers share."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from metrics.cli.numbers import add_count_option, seed
from rankers.ranker import SEED, Ranker
from rankers.registry import DEFAULT, RANKERS, rankers_named


def add_ranker_options(parser: ArgumentParser) -> None:
    """`--rankers`, `--depth` and `--seed`."""
    default = ",".join(ranker.name for ranker in DEFAULT)
    parser.add_argument(
        "--rankers",
        default=default,
        help=f"Names, comma-separated, of {', '.join(RANKERS)}. Default: {default}.",
    )
    help_text = "Passages of a query at most (default: %(default)s)."
    add_count_option(parser, "--depth", 100, help_text)
    parser.add_argument(
        "--seed",
        type=seed,
        default=SEED,
        help="Seed of the models that draw random numbers (default: %(default)s).",
    )


def chosen_rankers(options: Mapping[str, Any]) -> list[Ranker]:
    """The rankers that `--rankers` names; `InputError` for an unknown one."""
    return rankers_named(options["rankers"].split(","))
