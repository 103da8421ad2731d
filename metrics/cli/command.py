"""The common part of all commands: options, progress, one way to print, plain errors."""

import json
import re
import sys
from argparse import Action, ArgumentParser
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import InputError
from ..extras import missing_extra
from ..io.contents import only_contents
from ..io.outputs import InputFile
from ..io.redaction import redact
from ..remedies import Remedy
from ..votes.files.mapping import as_options, option_names
from .progress import Progress

#: An argument as Python writes it in a message, `missing="zero"`, which is `--missing zero` here.
_ARGUMENT = re.compile(r'\b([a-z_]+)="([\w. ]+)"')
#: The options that take a file, by their type.
_OPTIONS_FOR = {
    "run": ("run", "runs"),
    "qrels": ("qrels", "judge_qrels"),
    "texts": ("collection", "queries"),
    "ids": ("queries",),
    "labels": ("queries", "labels"),
    "lexicon": ("lexicon",),
    "magnitudes": ("scores",),
    "votes": ("files",),
}
_SHOWN = {"runs": "run"}


class Command:
    """A command: its options, and what it does with them.

    `example` is one real call, shown at the end of `--help`; its first word is the name.
    """

    help: str = ""
    example: str = ""

    def add_arguments(self, parser: Any) -> None:
        """Add the options of this command to an `ArgumentParser`."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Run with these options; `InputError` for faults that a person has to mend."""
        raise NotImplementedError

    def write(self, text: str, ending: str = "\n") -> None:
        """Print a result on standard output."""
        sys.stdout.write(text + ending)

    def note(self, text: str) -> None:
        """Print a remark on standard error, so that standard output stays data."""
        print(text, file=sys.stderr)  # noqa: T201 - a command may speak

    def print_json(self, value: object) -> None:
        """Print one JSON object, numbers in full precision, `NaN` never."""
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2, default=_plain)
        self.write(text)

    def print_result(
        self, options: Mapping[str, Any], result: object, lines: str | Iterable[str]
    ) -> None:
        """Print the result as one JSON object with `--json`, else as `lines`."""
        if options["as_json"]:
            self.print_json(result)
        else:
            for line in [lines] if isinstance(lines, str) else lines:
                self.write(line)

    def progress(
        self, options: Mapping[str, Any], label: str, total: int | None, unit: str
    ) -> Progress:
        """A progress bar on standard error: a context manager, called with each advance."""
        return Progress(label, total=total, unit=unit, quiet=options["quiet"])


def add_common_arguments(parser: ArgumentParser) -> None:
    """`--quiet` and `--json`, which every command has."""
    parser.add_argument("--quiet", action="store_true", help="Show no progress.")
    parser.add_argument(
        "--json", action="store_true", dest="as_json", help="Print one JSON object, nothing else."
    )


def _plain(value: object) -> object:
    """Values that JSON has no type for: rows by their columns, money, paths and moments as text."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Decimal | Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not written as JSON")


def failure_text(
    error: BaseException,
    options: Mapping[str, Any] = MappingProxyType({}),
    parser: ArgumentParser | None = None,
) -> str:
    """The message for a person when a command with these options fails: never a traceback.

    `parser` is the command's: only options that it has are named.
    """
    if isinstance(error, InputError):
        known = {name for action in _actions(parser) for name in action.option_strings}

        def write(remedy: Remedy) -> str:
            return as_options(remedy) if parser is None or option_names(remedy) <= known else ""

        return _ARGUMENT.sub(
            _as_option, f"{error.text(write)}{_other_option(error, options, parser)}"
        )
    if isinstance(error, ModuleNotFoundError) and (missing := missing_extra(error)):
        return str(missing)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}."
    if isinstance(error, KeyboardInterrupt):
        return str(error) or "Interrupted. No half-written file is left."
    what = redact(f"Unexpected {type(error).__name__}: {error}.")
    return (
        f"{what} This is a fault of Fairpool; run the command again with --traceback and report "
        "what it prints."
    )


def _as_option(argument: re.Match[str]) -> str:
    return f"--{argument[1].replace('_', '-')} {argument[2].replace(' ', '-')}"


def _other_option(
    error: InputError, options: Mapping[str, Any], parser: ArgumentParser | None
) -> str:
    """Kind of the file of the error, where an option for other files named it."""
    looks = only_contents(error.path) if error.path else None
    if looks is None or f"looks like {looks}" in error.message:
        return ""
    named_by = {name for name, value in options.items() if error.path in _files_of(value)}
    right = _OPTIONS_FOR.get(looks.kind, ())
    if not named_by or named_by & set(right):
        return ""
    takes = _file_options(parser) if parser else set()
    advised = dict.fromkeys(f"--{_SHOWN.get(name, name)}" for name in right)
    others = " or ".join(option for option in advised if option in takes)
    return f" It looks like {looks}.{others and f' Use {others}.'}"


def _actions(parser: ArgumentParser | None) -> list[Action]:
    return parser._actions if parser else []  # noqa: SLF001 - argparse shows them nowhere else


def _file_options(parser: ArgumentParser) -> set[str]:
    return {
        option
        for action in _actions(parser)
        for option in action.option_strings
        if isinstance(action.type, type) and issubclass(action.type, InputFile | Path)
    }


def _files_of(value: object) -> set[str]:
    """The paths of what one option names."""
    values = value if isinstance(value, list | tuple) else [value]
    files = (file.each() if isinstance(file, InputFile) else [file] for file in values)
    return {str(file) for group in files for file in group}
