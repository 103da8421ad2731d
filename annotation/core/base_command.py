"""Base of the commands of `manage.py`: plain errors, `--json`, `--quiet`, progress."""

from argparse import RawDescriptionHelpFormatter
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.database_faults import DATABASE_ERRORS, fault_of
from metrics.cli.command import Command, add_common_arguments, failure_text
from metrics.io.outputs import check_options


class FairpoolCommand(Command, BaseCommand):
    """A command of Django that fails with plain lines and exit status 1, never with a traceback.

    A subclass sets `help` and `example` (one real call, shown at the end of `--help`), or inherits
    all from a command of `metrics.cli`.
    """

    requires_system_checks: list[str] = []
    needs_databases: ClassVar[bool] = True

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        kwargs["epilog"] = f"Example:\n  python manage.py {self.example}"
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        add_common_arguments(parser)
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            check_options(options.values(), force=options.get("force", False))
            return super().execute(*args, **options)
        except CommandError:
            raise
        except (Exception, KeyboardInterrupt) as error:
            # The outermost edge: for any error a person reads one line, and can ask for more.
            fault = fault_of(error) if isinstance(error, DATABASE_ERRORS) else None
            parser = self.create_parser("", "")
            raise CommandError(str(fault or failure_text(error, options, parser))) from error

    def write(self, text: str, ending: str = "\n") -> None:
        self.stdout.write(text, ending=ending)
