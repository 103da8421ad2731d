"""debias: train a neural re-ranker against gender bias."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metrics.cli.numbers import number
from metrics.cli.score_arguments import add_scores_option
from metrics.errors import InputError
from rankers.cli.train import Train
from rankers.presets import ADVERSARIAL

if TYPE_CHECKING:
    from rankers.neural.jobs import Mitigation


class Debias(Train):
    help = (
        "Train a re-ranker as fairpool train does, and against gender bias: by a penalty on "
        "scores, by an adversary, or by the negatives that it learns from. Needs torch."
    )
    example = (
        "debias --method adversarial --model bert --init models/base --scores m.parquet "
        "--triples triples.tsv --collection collection.tsv --queries queries.tsv "
        "--output models/advbert"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--method",
            choices=("regulariser", "adversarial", "negatives"),
            required=True,
            help="regulariser: equation 3 of Sundararaman & Subramanian over the passages of one "
            "query whose genders differ; adversarial: AdvBERT; negatives: --biased-negatives.",
        )
        add_scores_option(parser, required=True)
        parser.add_argument(
            "--alpha",
            default="1,1,1",
            metavar="MF,MN,FN",
            help="Weights of the regulariser (default: %(default)s).",
        )
        parser.add_argument(
            "--biased-negatives",
            type=number(0, 1e6),
            default=0.0,
            metavar="STRENGTH",
            help="Draw negatives in proportion to 1 + STRENGTH x gender magnitude (default: 0).",
        )
        super().add_arguments(parser)

    def preset(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        return ADVERSARIAL if options["method"] == "adversarial" else {}

    def mitigation(self, options: Mapping[str, Any]) -> "Mitigation":
        from rankers.grepbias import parse_alpha
        from rankers.neural.jobs import Mitigation

        method, strength = options["method"], options["biased_negatives"]
        if method == "negatives" and not strength:
            raise InputError("--method negatives needs --biased-negatives.", remedy="Try 1.")
        return Mitigation(method, parse_alpha(options["alpha"]), strength)
