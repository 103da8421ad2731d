"""grepbias: the experiments of Sundararaman & Subramanian 2022 on Grep-BiasIR, as commands."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from metrics.cli.command import Command, add_common_arguments
from rankers.cli.grepbias_erase import Erase
from rankers.cli.grepbias_grid import Grid
from rankers.cli.grepbias_report import Report
from rankers.cli.grepbias_train import Train

_COMMANDS: dict[str, type[Command]] = {
    "report": Report,
    "train": Train,
    "grid": Grid,
    "erase": Erase,
}


class Grepbias(Command):
    help = "Measure and reduce the gender bias of models on Grep-BiasIR."
    example = Report.example

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="subcommand", metavar="COMMAND", required=True)
        for name, kind in _COMMANDS.items():
            options = commands.add_parser(
                name,
                help=kind.help.partition(". ")[0].rstrip("."),
                description=kind.help,
                epilog=f"Example:\n  fairpool {kind.example}",
                formatter_class=RawDescriptionHelpFormatter,
            )
            add_common_arguments(options)
            kind().add_arguments(options)

    def handle(self, *_args: Any, subcommand: str, **options: Any) -> None:
        _COMMANDS[subcommand]().handle(**options)
