"""grepbias erase: a bi-encoder's scores with gender erased from its vectors, in closed form."""

from argparse import ArgumentParser
from typing import Any

from metrics.cli.command import Command
from metrics.cli.numbers import add_count_option
from metrics.io.file_kinds import table_kind
from metrics.io.files import write_text
from metrics.io.outputs import InputFolder, add_output_option, output_file
from metrics.reports.formats.tables import to_csv
from rankers.cli.neural_options import add_device_option, add_model_option, chosen_model
from rankers.grepbias import read_pairs
from rankers.grepbias.erasure import COLUMNS, METHODS, erasure_rows

_TABLE = table_kind("a table of erasure", COLUMNS)


class Erase(Command):
    help = (
        "Erase gender from the vectors of a bi-encoder and compare its scores on Grep-BiasIR: "
        "what tells relevant documents (AUC), and abs(s_M - s_F). "
        "The eraser of a category comes from the other categories. Needs torch."
    )
    example = "grepbias erase --model all-MiniLM-L6-v2 --data grepbias --output erased.csv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_model_option(parser)
        parser.add_argument(
            "--data",
            required=True,
            type=InputFolder,
            metavar="FOLDER",
            help="The released queries-documents_*.csv.",
        )
        parser.add_argument(
            "--method",
            choices=METHODS,
            default="subspace",
            help="subspace: the directions in which male and female wordings of one document "
            "differ most; leace: all that a linear model reads of the genders of those documents "
            "that it is fitted on (default: %(default)s).",
        )
        help_text = "Of the subspace (default: %(default)s)."
        add_count_option(parser, "--directions", 16, help_text)
        add_output_option(parser, output_file(_TABLE), "TABLE.csv", None)
        add_device_option(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        pairs = read_pairs(options["data"])

        from rankers.neural.grepbias_features import bi_encoder_vectors

        queries, documents = bi_encoder_vectors(chosen_model(options), pairs)
        rows = erasure_rows(pairs, queries, documents, options["method"], options["directions"])
        write_text(options["output"], to_csv(rows, COLUMNS))
        mean = rows[-1]
        self.print_result(
            options,
            {"rows": rows},
            f"AUC {mean['auc_before']:.4f} to {mean['auc_after']:.4f}, abs(s_M - s_F) "
            f"{mean['gap_before']:.4f} to {mean['gap_after']:.4f}: {options['output']}",
        )
