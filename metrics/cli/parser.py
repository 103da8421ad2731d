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
from typing import Any, NoReturn

from ..aliases import COMMANDS, OPTIONS, plain
from ..errors import did_you_mean
from .command import Command, add_common_arguments

#: How the error ends of a command without a run, which may stand there without its option.
_RUN = "-r/--run"


class Parser(ArgumentParser):
    """Options are written in full: a shortened name would change its meaning with the next one."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **options})
        self._words: list[str] = []

    def parse_args(  # type: ignore[override] # the overloads differ in the namespace alone
        self, args: Sequence[str] | None = None, namespace: None = None
    ) -> Namespace:
        self._words = list(args or ())
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(self._unknown(unknown[0]))
        return options

    def error(self, message: str) -> NoReturn:
        """End the program; an option that is missing may be there by another name."""
        if "required" in message:
            known = set(_options(self))
            options = [w for w in self._words if w.startswith("--") and w != "--"]
            unknown = [word for word in options if word.partition("=")[0] not in known]
            if unknown:
                message = self._unknown(unknown[0])
            elif message.endswith(_RUN) and self._words and not self._words[0].startswith("-"):
                message += f". Write --run {self._words[0]}."
        if message.endswith("required: COMMAND"):
            message += ". Write fairpool --help for a list."
        super().error(message)

    def _unknown(self, argument: str) -> str:
        word = argument.partition("=")[0]
        return f"unknown argument {word}.{self._meant_by(word)}"

    def _meant_by(self, word: str) -> str:
        """Return what to write for an argument that there is not."""
        if not word.startswith("-"):
            return " Give a value after its option, and separate several by commas: -k 5,10."
        others = {f"--{name}": f"--{option}" for name, option in OPTIONS.items()}
        known = {plain(option): option for option in _options(self)}
        meant = {plain(name): known.get(plain(option)) for name, option in others.items()}
        option = known.get(plain(word)) or meant.get(plain(word))
        return f" Did you mean {option}?" if option else did_you_mean(word, known.values())

    def _check_value(self, action: Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            meant = COMMANDS.get(str(value)) if action.dest == "command" else None
            hint = f" Did you mean {meant}?" if meant else did_you_mean(str(value), known)
            hint = hint or f" Choose from {', '.join(known)}."
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
