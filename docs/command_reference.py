"""The parser of `fairpool` for commands.md, whose texts Sphinx reads as reStructuredText."""

from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator

from metrics.cli import main


def make_parser() -> ArgumentParser:
    """The parser with its examples as literal blocks and no `*` that begins an emphasis."""
    parser = main.make_parser()
    for command in _commands(parser):
        if command.epilog:
            title, _, example = command.epilog.partition("\n")
            command.epilog = f"{title.rstrip(':')}::\n\n{example}"
        for action in command._actions:  # noqa: SLF001 - argparse shows them nowhere else
            action.help = action.help and action.help.replace("*", r"\*")
    return parser


def _commands(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    for action in parser._actions:  # noqa: SLF001 - likewise
        if isinstance(action, _SubParsersAction):
            yield from action.choices.values()
