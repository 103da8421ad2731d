"""The options of commands that test runs against each other."""

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..vocabulary import CORRECTIONS, FAMILIES, PAIRED_TESTS
from .numbers import seed

if TYPE_CHECKING:
    from ..statistics.inference import Inference

_TERMS = ("test", "correction", "family", "margin", "detect")


def add_inference_options(parser: ArgumentParser, usual: str = "") -> None:
    """The terms of tests and their `--seed`; `usual` says when other defaults hold."""
    parser.add_argument(
        "--test",
        choices=PAIRED_TESTS,
        help="The test behind marks and sentences: sign flips at random, or Student's t "
        f"(default: randomization{usual}).",
    )
    parser.add_argument(
        "--correction",
        choices=CORRECTIONS,
        help=f"How p-values of a family of tests are corrected (default: holm{usual}).",
    )
    parser.add_argument(
        "--family",
        choices=FAMILIES,
        help="The tests that are corrected together: those of one measure, magnitude and cut-off, "
        "of a table, or all pairs of runs under everything that the report measures "
        "(default: measure+cutoff).",
    )
    for name, text in (
        (
            "--margin",
            "The difference below which two runs count as equivalent, to test for equivalence",
        ),
        (
            "--detect",
            "A difference that the queries should show, for a table of how many queries it needs",
        ),
    ):
        parser.add_argument(
            name,
            default="",
            metavar="D|MEASURE=D,...",
            help=f"{text}: of every measure, or of some.",
        )
    parser.add_argument(
        "--seed", type=seed, default=0, help="Seed of the random sign flips (default: 0)."
    )


def chosen_inference(options: Mapping[str, Any], usual: "Inference | None" = None) -> "Inference":
    """The terms of the options, those of `usual` where nothing is said."""
    from ..statistics.inference import Inference

    chosen = {name: options[name] for name in _TERMS if options[name]}
    return replace(usual or Inference(), **chosen)
