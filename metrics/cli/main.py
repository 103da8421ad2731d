"""`fairpool COMMAND`: the program of the package."""

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Any

from ..extras import need
from ..io.outputs import check_options
from ..version import VERSION
from .command import Command, add_common_arguments, failure_text
from .compare_runs import CompareRuns
from .comsrb import ComSRB
from .counterfactual import Counterfactual
from .explain_query import ExplainQuery
from .field_table import FieldTable
from .ir_measures import IrMeasures
from .measures import Measures
from .report import Report
from .score_collection import ScoreCollection
from .score_runs import ScoreRuns


class Completion(Command):
    help = "Print a script that lets the shell complete commands and options."
    example = "completion bash > ~/.local/share/bash-completion/completions/fairpool"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="The shell.")

    def handle(self, *_args: Any, **options: Any) -> None:
        self.write(need("shtab").complete(make_parser(), options["shell"]))


# In the order of a study.
COMMANDS: dict[str, type[Command]] = {
    "score-collection": ScoreCollection,
    "score-runs": ScoreRuns,
    "field-table": FieldTable,
    "report": Report,
    "compare-runs": CompareRuns,
    "comsrb": ComSRB,
    "explain-query": ExplainQuery,
    "counterfactual": Counterfactual,
    "measures": Measures,
    "ir-measures": IrMeasures,
    "completion": Completion,
}


def make_parser() -> ArgumentParser:
    """The options of the program and of all its commands."""
    parser = ArgumentParser(
        prog="fairpool",
        description="Measure the gender bias and the fairness of ranked lists.",
        epilog="Each command explains itself: fairpool COMMAND --help",
    )
    parser.add_argument("--version", action="version", version=f"fairpool {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, kind in COMMANDS.items():
        command = kind()
        _, _, example = command.example.partition(" ")
        options = commands.add_parser(
            name,
            help=command.help.partition(". ")[0].rstrip("."),
            description=command.help,
            epilog=f"Example:\n  fairpool {name} {example}",
            formatter_class=RawDescriptionHelpFormatter,
        )
        add_common_arguments(options)
        options.add_argument(
            "--traceback", action="store_true", help="Show where in the program an error arose."
        )
        command.add_arguments(options)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status: 0, 1 for bad input, 2 for a wrong call."""
    options = vars(make_parser().parse_args(arguments))
    name, traceback = options.pop("command"), options.pop("traceback")
    try:
        check_options(options.values(), force=options.get("force", False))
        COMMANDS[name]().handle(**options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output, such as `head`, has enough of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (Exception, KeyboardInterrupt) as error:
        if traceback:
            raise
        sys.stderr.write(f"fairpool {name}: {failure_text(error)}\n")
        return 1
    return 0
