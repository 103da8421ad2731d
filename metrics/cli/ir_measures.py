"""ir-measures: ir_measures' own command line, with our measures."""

import sys
from argparse import REMAINDER, ArgumentParser
from typing import Any

from ..errors import InputError
from ..extras import need
from .command import Command


class IrMeasures(Command):
    help = (
        "Run ir_measures' own command line with the measures of Fairpool added. ir_measures "
        "reads everything after the first argument."
    )
    example = "ir_measures qrels.txt bm25.run nDCG@10 \"ARaB(scores='magnitudes.parquet')@10\""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("qrels", metavar="QRELS", help="A file, or an id of ir_datasets.")
        parser.add_argument(
            "arguments",
            metavar="RUN MEASURE ...",
            nargs=REMAINDER,
            help="A TREC run, measures such as RaB, and options of ir_measures: -q for values per "
            "query, -p for decimals.",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        program = need("ir_measures.__main__")
        from .. import ir_measures as _registers_ours  # noqa: F401

        before = sys.argv
        sys.argv = ["fairpool ir-measures", options["qrels"], *options["arguments"]]
        try:
            program.main_cli()
        except (OSError, ValueError) as error:
            raise InputError(
                f"ir_measures cannot read it ({error}).",
                remedy=f"Write fairpool {self.example.replace('_', '-', 1)}",
            ) from error
        finally:
            sys.argv = before
