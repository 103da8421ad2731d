"""The parser of `fairpool` for commands.md, whose texts Sphinx reads as reStructuredText."""

import re
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator

from config import program

#: What reStructuredText would take for an emphasis or for the end of a reference.
_ROLE = re.compile(r"\*|(?<=\w)_(?!\w)")


def make_parser() -> ArgumentParser:
    """The parser with its examples as literal blocks and nothing in a help that is mark-up."""
    parser = program.make_parser()
    for command in _commands(parser):
        if command.epilog:
            title, _, example = command.epilog.partition("\n")
            command.epilog = f"{title.rstrip(':')}::\n\n{example}"
        for action in command._actions:  # noqa: SLF001 - argparse shows them nowhere else
            action.help = action.help and _ROLE.sub(r"\\\g<0>", action.help)
    return parser


def _commands(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    for action in parser._actions:  # noqa: SLF001 - likewise
        if isinstance(action, _SubParsersAction):
            for command in action.choices.values():
                yield command
                yield from _commands(command)
