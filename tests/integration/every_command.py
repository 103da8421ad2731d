"""Every command of ours and its options, as their own parsers know them."""

from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator

from django.core.management import get_commands, load_command_class

_OURS = ("annotation", "metrics", "pooling")


def names() -> list[str]:
    """The names of our commands."""
    return sorted(
        name for name, app in get_commands().items() if str(app).split(".", maxsplit=1)[0] in _OURS
    )


def parser_of(name: str) -> ArgumentParser:
    """The parser of a command."""
    command = load_command_class(get_commands()[name], name)
    return command.create_parser("manage.py", name)


def options() -> Iterator[tuple[str, Action]]:
    """Each option and argument with the name of its command."""
    for name in names():
        for action in _actions(parser_of(name)):
            yield name, action


def _actions(parser: ArgumentParser) -> Iterator[Action]:
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)
        else:
            yield action
