"""What every command of Fairpool has in common: plain errors, `--json`, `--quiet`, progress."""

import json
import sys
from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from metrics.blotting import without_secrets
from metrics.errors import InputError
from metrics.management.progress import Progress


class FairpoolCommand(BaseCommand):
    """A command that fails with plain lines and exit status 1, never with a traceback.

    A subclass sets `help` and `example` (one real call, shown at the end of `--help`).
    """

    example = ""
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        kwargs["epilog"] = f"Example:\n  python manage.py {self.example}"
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("--quiet", action="store_true", help="Show no progress.")
        parser.add_argument(
            "--json",
            action="store_true",
            dest="as_json",
            help="Print one JSON object, nothing else.",
        )
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except CommandError:
            raise
        except InputError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            raise CommandError(f"{place}{error.strerror or error}.") from error
        except KeyboardInterrupt as error:
            raise CommandError("Interrupted. Nothing half-written was left behind.") from error
        except Exception as error:
            # The outermost edge: whatever it is, a person reads one line and can ask for more.
            told = without_secrets(f"Unexpected {type(error).__name__}: {error}.")
            raise CommandError(
                f"{told} This is a fault of Fairpool; run the command again with --traceback "
                "and report what it prints."
            ) from error

    def progress(self, label: str, *, total: int | None, unit: str, quiet: bool) -> Progress:
        """A progress bar on standard error: a context manager, called with each advance."""
        return Progress(label, total=total, unit=unit, quiet=quiet)

    def print_json(self, value: object) -> None:
        """One JSON object on standard output, numbers in full precision, `NaN` never."""
        self.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))

    def note(self, text: str) -> None:
        """A remark for the person, on standard error, so that standard output stays data."""
        print(text, file=sys.stderr)  # noqa: T201 - a command may speak
