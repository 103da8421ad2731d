"""An argument parser that names the nearest known option or choice where one is misspelt."""

from argparse import (
    Action,
    ArgumentError,
    ArgumentParser,
    Namespace,
    RawDescriptionHelpFormatter,
    _SubParsersAction,
)
from collections.abc import Iterator, Sequence
from typing import Any

from ..aliases import OPTIONS
from ..errors import did_you_mean
from .command import Command, add_common_arguments


class Parser(ArgumentParser):
    """Options are written in full: a shortened name would change its meaning with the next one."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **options})

    def parse_args(  # type: ignore[override] # the overloads differ in the namespace alone
        self, args: Sequence[str] | None = None, namespace: None = None
    ) -> Namespace:
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            word = unknown[0].partition("=")[0]
            self.error(f"unknown argument {word}.{self._meant_by(word)}")
        return options

    def _meant_by(self, word: str) -> str:
        """Return what to write for an argument that there is not."""
        if not word.startswith("-"):
            return " A value follows its option, and several have commas between them: -k 5,10."
        meant = OPTIONS.get(word.lstrip("-").replace("_", "-").lower())
        if f"--{meant}" in _options(self):
            return f" Did you mean --{meant}?"
        return did_you_mean(word, _options(self))

    def _check_value(self, action: Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            hint = did_you_mean(str(value), known) or f" Choose from {', '.join(known)}."
            raise ArgumentError(action, f"unknown value {value!r}.{hint}")


def about(name: str, command: Command) -> dict[str, Any]:
    """Description, example and layout of a command's help."""
    _, _, example = command.example.partition(" ")
    return {
        "description": command.help,
        "epilog": f"Example:\n  fairpool {name} {example}",
        "formatter_class": RawDescriptionHelpFormatter,
    }


def add_options(parser: ArgumentParser, command: Command) -> None:
    """The options of every command, and those of this one."""
    add_common_arguments(parser)
    parser.add_argument(
        "--traceback", action="store_true", help="Show where in the program an error arose."
    )
    command.add_arguments(parser)


def parser_of(name: str, command: Command) -> ArgumentParser:
    """The parser of the calls of a command."""
    parser = Parser(prog=f"fairpool {name}", **about(name, command))
    add_options(parser, command)
    return parser


def parse(name: str, command: Command, words: Sequence[str]) -> dict[str, Any]:
    """The options of a call of a command."""
    return vars(parser_of(name, command).parse_args(words))


def _options(parser: ArgumentParser) -> Iterator[str]:
    """The options of a parser and of those below it."""
    for action in parser._actions:  # noqa: SLF001 - argparse shows them nowhere else
        yield from action.option_strings
        if isinstance(action, _SubParsersAction):
            for below in action.choices.values():
                yield from _options(below)
