"""promise: which labels of models may stand without people, and how many are wrong at most."""

from argparse import ArgumentParser
from typing import Any, get_args

from ..io.file_kinds import table_kind
from ..io.outputs import add_file_option, add_output_option, output_file
from .command import Command
from .numbers import number, seed, whole_number
from .table_output import add_format_option, write_table

_TABLE = table_kind("a table of automatic labels", ("qid", "label", "origin"))


class MakePromise(Command):
    help = (
        "Find which labels of models may stand without people, so that few of them are wrong: "
        "from labels of models for a whole pool and labels of people for a random sample of it. "
        "Without labels of people, it prints how many labels a promise needs."
    )
    example = "promise --model-labels models.csv --labels people.csv -o labels.csv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        from ..automatic_labels import Of

        add_file_option(
            parser,
            "--model-labels",
            "Models' labels of the whole pool: columns qid,label and, if there are any, model "
            "and score. Or an export with predictions of Label Studio or Argilla.",
            required=True,
        )
        add_file_option(
            parser,
            "--labels",
            "People's labels of a simple random sample: columns qid,label. Of lines with an "
            "origin, as this command writes them, only those of people are read.",
        )
        parser.add_argument(
            "--error",
            type=number(0, 1, ends=False),
            default=0.05,
            metavar="SHARE",
            help="The share of labels that may be wrong (default: %(default)s).",
        )
        parser.add_argument(
            "--of",
            choices=get_args(Of),
            default="file",
            help="Which labels it is a share of: all of the file, people's included, or the "
            "automatic ones alone, which needs far more labels (default: %(default)s).",
        )
        parser.add_argument(
            "--confidence",
            type=number(0, 1, ends=False),
            default=0.95,
            metavar="C",
            help="How sure the promise is (default: %(default)s).",
        )
        parser.add_argument(
            "--per-class",
            action="store_true",
            help="It holds for each class of the models separately.",
        )
        parser.add_argument(
            "--looks",
            type=whole_number(1, 1_000),
            default=1,
            metavar="N",
            help="How many times people's labels are looked at in all, planned before the first "
            "(default: %(default)s).",
        )
        parser.add_argument(
            "--seed", type=seed, default=0, help="Seed of the random choice among equals."
        )
        add_output_option(parser, output_file(_TABLE, or_printed=True), "OUT", required=False)
        add_format_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..automatic_labels import COLUMNS, promise

        result = promise(
            options["model_labels"],
            options["labels"],
            error=options["error"],
            of=options["of"],
            confidence=options["confidence"],
            per_class=options["per_class"],
            looks=options["looks"],
            seed=options["seed"],
        )
        for notice in result.notices:
            self.note(notice)
        self.note(result.sentence)
        if result.count("automatic"):
            self.note(f"It holds if: {' '.join(result.assumptions)}")
        else:
            for wrong, labels in result.needed.items():
                takes = "no number of labels is enough" if labels is None else f"{labels:,} labels"
                self.note(f"If the models are wrong on {wrong:.0%}: {takes} for all others.")
        write_table(self, list(result.rows), COLUMNS, options)
