"""debias: train a neural re-ranker against gender bias."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from metrics.cli.numbers import listed, number, whole_number
from metrics.cli.score_arguments import add_scores_option
from metrics.errors import InputError
from rankers.cli.train import Train, chosen_fields
from rankers.presets import ADVERSARIAL
from rankers.training_settings import (
    STRENGTHS,
    AdversaryInput,
    AdversarySettings,
    Pairing,
    PenaltyUnit,
    Schedule,
)

if TYPE_CHECKING:
    from rankers.neural.mitigation import Mitigation


class Debias(Train):
    help = (
        "Train a re-ranker as fairpool train does, but against gender bias: with a penalty on "
        "scores, an adversary, or chosen negatives. Needs torch."
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
            help="regulariser: equation 3 of Sundararaman & Subramanian over passages whose "
            "genders differ; adversarial: AdvBERT; negatives: --biased-negatives.",
        )
        add_scores_option(parser, required=True)
        parser.add_argument(
            "--alpha",
            default="1,1,1",
            metavar="MF,MN,FN",
            help="Weights of the regulariser (default: %(default)s).",
        )
        parser.add_argument(
            "--pairing",
            choices=get_args(Pairing),
            default="equal",
            help="What the regulariser pairs: passages of equal relevance, or the relevant and the "
            "irrelevant one of a triple, as before 1.1 (default: %(default)s).",
        )
        parser.add_argument(
            "--penalty-unit",
            dest="unit",
            choices=get_args(PenaltyUnit),
            default="deviation",
            help="Unit of the regulariser's differences of scores: standard deviations of the "
            "batch's scores, so that a weight means the same for every ranker, or logits, as "
            "published and before 1.1 (default: %(default)s).",
        )
        _add_adversary_options(parser)
        parser.add_argument(
            "--strengths",
            type=listed(number(0, 1_000)),
            metavar="FACTOR,...",
            help="Factors of --alpha and --lambda. Each trains a model from the same start. Of "
            "those that cost no relevance and leave least of the bias, the weakest is kept. "
            f"Default: {','.join(map('{:g}'.format, STRENGTHS))}; AdvBERT 1.",
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
        from rankers.neural.mitigation import Mitigation

        method, strength = options["method"], options["biased_negatives"]
        if method == "negatives" and not strength:
            raise InputError("--method negatives needs --biased-negatives.", remedy="Try 1.")
        return Mitigation(
            method,
            parse_alpha(options["alpha"]),
            strength,
            options["pairing"],
            options["unit"],
            AdversarySettings(**chosen_fields(AdversarySettings, options)),
            tuple(sorted({*options.get("strengths", STRENGTHS)})),
        )


def _add_adversary_options(parser: ArgumentParser) -> None:
    ours = AdversarySettings()
    parser.add_argument(
        "--adversary-steps",
        type=whole_number(1),
        help="Steps of the adversary for each step of the ranker. Default: "
        f"{ours.adversary_steps}; AdvBERT 1.",
    )
    parser.add_argument(
        "--lambda",
        dest="factor",
        type=number(0, 1_000),
        metavar="FACTOR",
        help=f"Factor of the reversed gradient. Default: {ours.factor:g}, as in AdvBERT.",
    )
    parser.add_argument(
        "--lambda-schedule",
        dest="schedule",
        choices=get_args(Schedule),
        help="constant, or growing from 0 over the training (Ganin & Lempitsky 2015). Default: "
        f"{ours.schedule}; AdvBERT constant.",
    )
    parser.add_argument(
        "--adversary-rate",
        type=number(0, 1_000, ends=False),
        metavar="FACTOR",
        help="Learning rate of the adversary, in multiples of the ranker's. Default: "
        f"{ours.adversary_rate:g}; AdvBERT 1.",
    )
    parser.add_argument(
        "--adversary-input",
        choices=get_args(AdversaryInput),
        help="Vectors that the adversary reads: standardised over the batch, so that the ranker "
        f"cannot hide gender by shrinking them, or raw. Default: {ours.adversary_input}; AdvBERT "
        "raw.",
    )
