"""Every command of both programs and its options, as their own parsers know them."""

from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from functools import cache

from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from annotation.core.base_command import FairpoolCommand
from annotation.management.nouns import Noun, commands_of
from config.program import make_parser


@cache
def commands() -> dict[str, BaseCommand]:
    """Our commands by name; those of a noun are named after noun and verb."""
    ours = sorted(name for name, app in get_commands().items() if app == "annotation")
    plain = {name: load_command_class("annotation", name) for name in ours}
    verbs = {
        f"{noun} {verb}": command
        for noun, one in plain.items()
        if isinstance(one, Noun)
        for verb, command in commands_of(noun).items()
    }
    return {name: one for name, one in (plain | verbs).items() if isinstance(one, FairpoolCommand)}


def names() -> list[str]:
    """The names of our commands of `manage.py`."""
    return list(commands())


@cache
def parser_of(name: str) -> ArgumentParser:
    """The parser of a command of `manage.py`, or of `fairpool` and what is below it."""
    first, *below = name.split()
    if first != "fairpool":
        *noun, verb = name.split()
        return commands()[name].create_parser(" ".join(["manage.py", *noun]), verb)
    parser: ArgumentParser = make_parser()
    for word in below:
        [found] = [one for one in parser._actions if isinstance(one, _SubParsersAction)]
        parser = found.choices[word]
    return parser


def options() -> Iterator[tuple[str, Action]]:
    """Each option and argument with the name of its command."""
    for name in ["fairpool", *names()]:
        yield from _actions(name, parser_of(name))


def _actions(name: str, parser: ArgumentParser) -> Iterator[tuple[str, Action]]:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for below, options_below in action.choices.items():
                yield from _actions(f"{name} {below}", options_below)
        else:
            yield name, action
